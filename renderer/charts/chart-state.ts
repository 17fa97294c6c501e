import { createMemo, createSignal, type Accessor } from 'solid-js';
import type { DrawOptions, View } from './drawing.ts';
import { allowedScales, type Figure, type Scales } from './figure.ts';

/** What the reader did to one chart; it outlives every change of the figure. */
export interface ChartState {
  options: Accessor<DrawOptions>;
  isTableShown: Accessor<boolean>;
  setTableShown: (isShown: boolean) => void;
  setView: (view: View) => void;
  toggleSeries: (name: string) => void;
  /** Shows one series alone, or all again when it is alone already. */
  isolateSeries: (name: string, all: readonly string[]) => void;
}

/** State of a chart whose wanted scales are held elsewhere, such as in the address. Both are reactive. */
export function createChartState(figure: Accessor<Figure>, wanted: Accessor<Scales>): ChartState {
  const [hidden, setHidden] = createSignal<ReadonlySet<string>>(new Set());
  const [zoom, setZoom] = createSignal<{ view: View; scales: Scales } | null>(null);
  const [isTableShown, setTableShown] = createSignal(false);
  const scales = createMemo(() => allowedScales(figure(), wanted()), undefined, {
    equals: (one, other) => one.x === other.x && one.y === other.y,
  });
  const options = createMemo<DrawOptions>(() => ({
    scales: scales(),
    view: viewOn(zoom(), scales()),
    hidden: hidden(),
    drag: 'zoom',
    colorRange: {},
  }));
  return {
    options,
    isTableShown,
    setTableShown,
    setView: (view) => setZoom({ view, scales: scales() }),
    toggleSeries: (name) => setHidden((before) => toggled(before, name)),
    isolateSeries: (name, all) => setHidden((before) => isolated(before, name, all)),
  };
}

/** The zoom of each axis whose scale is still the one it was made on. */
function viewOn(zoom: { view: View; scales: Scales } | null, scales: Scales): View {
  if (!zoom) return {};
  const { view } = zoom;
  return {
    ...(view.x && zoom.scales.x === scales.x && { x: view.x }),
    ...(view.y && zoom.scales.y === scales.y && { y: view.y }),
  };
}

/** The set with the name put in or taken out. */
export function toggled(names: ReadonlySet<string>, name: string): ReadonlySet<string> {
  return names.has(name)
    ? new Set([...names].filter((one) => one !== name))
    : new Set([...names, name]);
}

/** The names to hide so that one is alone; none when it is alone already. */
export function isolated(
  hidden: ReadonlySet<string>,
  name: string,
  all: readonly string[],
): ReadonlySet<string> {
  const others = all.filter((other) => other !== name);
  const isAlone = !hidden.has(name) && others.every((other) => hidden.has(other));
  return new Set(isAlone ? [] : others);
}
