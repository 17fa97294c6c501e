import { createMemo, createSignal, type Accessor } from 'solid-js';
import { toggleValue } from '#renderer/state/toggle-value.ts';
import type { Url } from '#renderer/state/url.ts';
import type { ChartEntry } from './chart-entry.ts';
import { emphasisName } from './emphasis.ts';
import type { Figure, Range, Scales } from './figure.ts';
import type { Choice, View } from './scene.ts';
import { getAllowedScales, getAutomaticScales } from './scenes.ts';

/** User's changes to one chart, which survive a change of the figure. */
export interface ChartState {
  choice: Accessor<Choice>;
  isTableShown: Accessor<boolean>;
  setTableShown: (isShown: boolean) => void;
  setScales: (scales: Scales) => void;
  setView: (view: View) => void;
  toggleSeries: (name: string) => void;
  /** Shows one series alone, or all again when it is alone already. */
  isolateSeries: (name: string, all: readonly string[]) => void;
  /** Emphasises these series on all charts of the page; the default ones without any. */
  emphasise: (names: readonly string[]) => void;
}

/**
 * State of a chart. Scales and zoom are in the URL under the chart's id, as `fit.x=log` and `fit.zoomX=200..500`
 * (in values of the axis, so a zoom survives a change of its scale). Switched-off series are in it as `hide=mean`, for
 * all charts of the page with a series of this name.
 */
export function createChartState(
  entry: Accessor<Pick<ChartEntry, 'id' | 'scales'>>,
  figure: Accessor<Figure>,
  url: Url,
): ChartState {
  const [isTableShown, setTableShown] = createSignal(false);
  const texts = (name: string): readonly string[] => url.texts(`${entry().id}.${name}`);
  const write = (changed: Record<string, string | undefined>): void => {
    const named = Object.entries(changed).map(([name, text]) => [`${entry().id}.${name}`, text]);
    // A choice of a view, which adds nothing to the history.
    url.write(Object.fromEntries(named), 'replace');
  };
  const defaultScales = createMemo(() => ({ ...getAutomaticScales(figure()), ...entry().scales }));
  const scales = createMemo(
    (): Scales =>
      getAllowedScales(figure(), {
        x: getScale(texts('x')) ?? defaultScales().x,
        y: getScale(texts('y')) ?? defaultScales().y,
      }),
    undefined,
    { equals: (one, other) => one.x === other.x && one.y === other.y },
  );
  const view = createMemo<View>(() => {
    const [x, y] = [getRange(texts('zoomX')), getRange(texts('zoomY'))];
    return { ...(x && { x }), ...(y && { y }) };
  });
  const hidden = createMemo<ReadonlySet<string>>(() => new Set(url.texts('hide')));
  const setHidden = (names: Iterable<string>): void => url.write({ hide: [...names] }, 'replace');
  const choice = createMemo<Choice>(() => ({
    scales: scales(),
    view: view(),
    hidden: hidden(),
    colorRange: {},
  }));
  return {
    choice,
    isTableShown,
    setTableShown,
    setScales: ({ x, y }) =>
      write({
        x: x === defaultScales().x ? undefined : x,
        y: y === defaultScales().y ? undefined : y,
      }),
    setView: ({ x, y }) => write({ zoomX: formatRange(x), zoomY: formatRange(y) }),
    toggleSeries: (name) => setHidden(toggleValue(hidden(), name)),
    isolateSeries: (name, all) => setHidden(isolate(hidden(), name, all)),
    emphasise: (names) => url.write({ [emphasisName]: names }, 'replace'),
  };
}

function getScale([text]: readonly string[]): Scales['x'] | undefined {
  return text === 'log' || text === 'linear' ? text : undefined;
}

/** Returns the range of a text such as "200..500"; undefined for any other text. */
function getRange([text]: readonly string[]): Range | undefined {
  const ends = (text ?? '').split('..').map((end) => (end === '' ? Number.NaN : Number(end)));
  const [low, high] = ends;
  const isRange = ends.length === 2 && ends.every(Number.isFinite) && low !== high;
  return isRange ? (ends as [number, number]) : undefined;
}

/** Returns the text of a range with six digits of each end, and more where the ends would otherwise be nearly equal. */
function formatRange(range: Range | undefined): string | undefined {
  if (!range) return undefined;
  const span = Math.abs(range[1] - range[0]);
  return range
    .map((end) => {
      const more = getExponent(end) - getExponent(span);
      return String(Number(end.toPrecision(Math.min(17, Math.max(6, 6 + more)))));
    })
    .join('..');
}

function getExponent(value: number): number {
  return Math.floor(Math.log10(Math.abs(value)));
}

/**
 * Returns the names to hide so that one is alone; none when all others are hidden already. Its own state does not
 * count, because the first click of a double click switches it.
 */
export function isolate(
  hidden: ReadonlySet<string>,
  name: string,
  all: readonly string[],
): ReadonlySet<string> {
  const others = all.filter((other) => other !== name);
  const isAlone = others.every((other) => hidden.has(other));
  return new Set(isAlone ? [] : others);
}
