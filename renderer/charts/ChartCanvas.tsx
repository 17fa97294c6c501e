import {
  createMemo,
  createSignal,
  createUniqueId,
  For,
  Match,
  onCleanup,
  onMount,
  Show,
  Switch,
  type JSX,
} from 'solid-js';
import { Dynamic } from 'solid-js/web';
import { Skeleton } from '#renderer/ui/Skeleton.tsx';
import type { Handle } from './chart-entry.ts';
import { findPoint, getColumns, placeCloud, type PlacedPoint } from './cloud.ts';
import { ChartHandle } from './ChartHandle.tsx';
import { ChartOverlay } from './ChartOverlay.tsx';
import { getMovedPlace, getNearestStop, type ChartCursor } from './cursor.ts';
import { isValue } from './figure.ts';
import { getPicture, getValueAt, type Picture } from './layout.ts';
import { PlotlyChart } from './PlotlyChart.tsx';
import {
  readScene,
  getCurve,
  findRunAt,
  type Place,
  type PointedRun,
  type Reading,
  type Stops,
} from './reading.ts';
import { getMarks, type Scene, type View } from './scene.ts';
import { makePictureSvg } from './svg-picture.ts';
import type { SvgNode } from './svg.ts';
import { createChartTheme, getThickness, usualTextPixels } from './theme.ts';
import { ThinCurves } from './ThinCurves.tsx';

interface ChartCanvasProps {
  scene: Scene;
  /** Text of the empty state; undefined if the scene has values. */
  empty: string | undefined;
  /** The part that the user chose to see. */
  view: View;
  cursor: ChartCursor;
  /** A series that is drawn in front of all others. */
  pointedSeries?: string | undefined;
  /** Accessible name. */
  title: string;
  /** Accessible description of the chart. */
  description: string;
  /** Minimum height in pixels at the default size of text, with which it grows. The chart fills a higher place. */
  heightPixels: number;
  onViewChange: (view: View) => void;
  /** Whether dragging pans the chart and the wheel zooms it, which needs a chart that fills the window. */
  isAlone?: boolean;
  handle?: Handle | undefined;
  /** Place whose values stay visible. */
  pinnedPlace?: Place | undefined;
  /** Receives the place of the cursor after a click without a drag. */
  onPick?: (place: Place) => void;
  /** Receives the address of a clicked run or point. */
  onOpen?: (href: string) => void;
  /** Receives each key first. Returns whether it uses the key. */
  onKey?: (key: string) => boolean;
}

/**
 * A scene at the size of its place. With the focus on it, arrows, Home and End move the cursor, `+` and `-` zoom
 * x, `0` shows everything.
 */
export function ChartCanvas(props: ChartCanvasProps): JSX.Element {
  const descriptionId = createUniqueId();
  const theme = createChartTheme();
  const [place, setPlace] = createSignal(
    { width: 0, height: 0 },
    { equals: (one, other) => one.width === other.width && one.height === other.height },
  );
  let frame!: HTMLDivElement;
  onMount(() => {
    const measure = (): void => {
      const { clientWidth: width, clientHeight } = frame;
      if (width > 0) setPlace({ width, height: clientHeight });
    };
    measure();
    const resizing = new ResizeObserver(measure);
    resizing.observe(frame);
    onCleanup(() => resizing.disconnect());
  });
  const least = (): number =>
    Math.round((props.heightPixels * theme().textPixels) / usualTextPixels);
  const height = (): number => Math.max(least(), place().height);
  const picture = createMemo((): Picture | undefined => {
    const { width } = place();
    if (props.empty !== undefined || width === 0) return undefined;
    return getPicture(props.scene, theme(), { width, height: height() });
  });
  return (
    <div
      class="chart-frame"
      ref={(node) => (frame = node)}
      style={{ 'min-height': `${least()}px` }}
    >
      <p id={descriptionId} class="visually-hidden">
        {props.description}
      </p>
      <Switch fallback={<Skeleton content="chart" shape={{ blockPixels: least() }} />}>
        <Match when={props.empty}>
          <p class="chart-empty">{props.empty}</p>
        </Match>
        <Match when={picture()}>
          {(drawnPicture) => (
            <ReadableChart {...props} picture={drawnPicture()} descriptionId={descriptionId} />
          )}
        </Match>
      </Switch>
    </div>
  );
}

interface ReadableChartProps extends ChartCanvasProps {
  picture: Picture;
  descriptionId: string;
}

/** The chart with its cursor, which follows the pointer and the keys. */
function ReadableChart(props: ReadableChartProps): JSX.Element {
  let canvas!: HTMLDivElement;
  const [announcement, setAnnouncement] = createSignal('');
  const [run, setRun] = createSignal<PointedRun>();
  const [draggedView, setDraggedView] = createSignal<View>({});
  const read = (place: Place | null | undefined): Reading | null =>
    place ? readScene(props.scene, place) : null;
  const reading = createMemo(() => read(props.cursor.place()));
  const cloud = createMemo(() =>
    placeCloud(props.scene, {
      width: props.picture.area.width,
      thickness: getThickness(props.picture.theme),
    }),
  );
  /** The point of a cloud at the cursor. */
  const point = createMemo(() => getPointAt(cloud(), props.cursor.place()));
  const href = (): string | undefined => run()?.run.href ?? point()?.point.href;
  const interaction = createMemo(() => {
    const { x, y } = props.scene.axes;
    return {
      drag: props.isAlone === true ? ('pan' as const) : ('zoom' as const),
      hasWheelZoom: props.isAlone === true,
      revision: JSON.stringify([props.view, x.scale.kind, y.scale.kind]),
    };
  });
  const follow = (event: PointerEvent): void => {
    const at = getPoint(event, canvas);
    const place = isCloud(props.scene)
      ? getPlace(findPoint(props.picture, cloud(), at))
      : getPlaceAt(props.picture, props.cursor.stops(), at);
    props.cursor.moveTo(place);
    setRun(
      place ? findRunAt(props.picture, getValueAt(props.picture, 'x', at.left), at.top) : undefined,
    );
  };
  const leave = (): void => {
    props.cursor.moveTo(null);
    setRun(undefined);
  };
  // Plotly covers the page while the button is down, so the click uses the run and the place at the press.
  const press = (down: PointerEvent): void =>
    callAfterRelease(down, makeClickAction(props, href(), props.cursor.place()));
  const moveCursor = (key: string): boolean => {
    const place = getMovedPlace(props.cursor.stops(), props.cursor.place(), key);
    if (!place) return false;
    props.cursor.moveTo(place);
    setAnnouncement(describeReading(read(place)));
    const view = getViewOn(props, place);
    if (view) props.onViewChange(view);
    return true;
  };
  const handleKey = (key: string): boolean => {
    if (props.onKey?.(key) || moveCursor(key)) return true;
    const opened = key === 'Enter' ? href() : undefined;
    if (opened !== undefined) props.onOpen?.(opened);
    if (opened !== undefined) return true;
    const view = getViewAfterKey(props.view, key, props.scene);
    if (view) props.onViewChange(view);
    return view !== null;
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.ctrlKey || event.metaKey || event.altKey || !handleKey(event.key)) return;
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    <div
      ref={(node) => (canvas = node)}
      class="chart-canvas"
      classList={{ 'chart-opens': href() !== undefined }}
      role="application"
      aria-roledescription="chart"
      tabindex="0"
      aria-label={props.title}
      aria-describedby={props.descriptionId}
      onKeyDown={onKeyDown}
      onPointerMove={follow}
      onPointerDown={press}
      onPointerLeave={leave}
      onBlur={leave}
    >
      <Show
        when={getMarks(props.scene, 'ranks').length === 0}
        fallback={<Svg node={makePictureSvg(props.picture)} />}
      >
        <ThinCurves picture={props.picture} visibleView={draggedView()} />
        <PlotlyChart
          picture={props.picture}
          interaction={interaction()}
          onMove={setDraggedView}
          onView={(view) => {
            setDraggedView({});
            if (view.x || view.y) props.onViewChange({ ...props.view, ...view });
          }}
          onDoubleClick={() => props.onViewChange({})}
        />
      </Show>
      <ChartOverlay
        picture={props.picture}
        place={props.cursor.place()}
        reading={reading()}
        run={run() ?? getCurve(props.scene, props.pointedSeries)}
        point={point()}
        pinnedReading={read(props.pinnedPlace)}
      />
      <Show when={props.handle}>
        {(handle) => <ChartHandle handle={handle()} picture={props.picture} />}
      </Show>
      <p class="visually-hidden" aria-live="polite">
        {announcement()}
      </p>
    </div>
  );
}

function isCloud(scene: Scene): boolean {
  return getMarks(scene, 'cloud').length > 0;
}

/**
 * Returns the point at a place; the last one at its x for a row below it. Undefined without a place, and without a
 * point at its x.
 */
function getPointAt(points: readonly PlacedPoint[], place: Place | null): PlacedPoint | undefined {
  if (!place) return undefined;
  const row = place.row ?? 0;
  return points.findLast(({ point, row: own }) => point.x === place.x && own <= row);
}

function getPlace(point: PlacedPoint | undefined): Place | null {
  return point ? { x: point.point.x, row: point.row } : null;
}

/** Returns the action of a click: it opens the run or the point under the pointer, else picks the place. */
function makeClickAction(
  chart: Pick<ChartCanvasProps, 'onOpen' | 'onPick'>,
  href: string | undefined,
  place: Place | null,
): () => void {
  return () => {
    if (href !== undefined) chart.onOpen?.(href);
    else if (place) chart.onPick?.(place);
  };
}

/**
 * Calls back when the user releases the primary button at most 4 pixels from the press. The document listens, because
 * Plotly keeps the release from the pressed element.
 */
function callAfterRelease(down: PointerEvent, then: () => void): void {
  if (down.button !== 0) return;
  const release = (up: PointerEvent): void => {
    if (Math.hypot(up.clientX - down.clientX, up.clientY - down.clientY) <= 4) then();
  };
  document.addEventListener('pointerup', release, { once: true });
}

function getPoint(event: PointerEvent, element: HTMLElement): { left: number; top: number } {
  const { left, top } = element.getBoundingClientRect();
  return { left: event.clientX - left, top: event.clientY - top };
}

/** Returns the stop and the row under a pixel; null outside the area of the values, and without stops. */
function getPlaceAt(
  picture: Picture,
  stops: Stops,
  { left, top }: { left: number; top: number },
): Place | null {
  const { area } = picture;
  const isInside =
    left >= area.left &&
    left <= area.left + area.width &&
    top >= area.top &&
    top <= area.top + area.height;
  if (!isInside || stops.x.length === 0) return null;
  const x = getNearestStop(stops.x, getValueAt(picture, 'x', left));
  if (stops.rows === 1) return { x };
  const row = Math.round(getValueAt(picture, 'y', top));
  return { x, row: Math.min(Math.max(row, 0), stops.rows - 1) };
}

/** Returns the value of the point at a place; undefined for an infinite one, which is always visible. */
function getHeightAt(scene: Scene, place: Place): number | undefined {
  const y = getColumns(scene).get(place.x)?.[place.row ?? 0]?.point.y;
  return isValue(y) ? y : undefined;
}

/** Returns the view moved to contain the cursor; undefined if it contains it already. */
function getViewOn({ view, scene }: ReadableChartProps, place: Place): View | undefined {
  const { x: across, y: up } = { x: scene.axes.x.scale, y: scene.axes.y.scale };
  const x = view.x && across.moveTo(place.x);
  const height = isCloud(scene) ? getHeightAt(scene, place) : place.row;
  const y = view.y && height !== undefined && up.moveTo(height);
  const isSeen = (!x || x === across.range) && (!y || y === up.range);
  return isSeen ? undefined : { ...view, ...(x && { x }), ...(y && { y }) };
}

const zoomFactors: Readonly<Record<string, number>> = { '+': 0.5, '=': 0.5, '-': 2 };

/** Returns the view after a key: `+` and `-` zoom x, `0` shows everything. Null for any other key. */
export function getViewAfterKey(view: View, key: string, scene: Pick<Scene, 'axes'>): View | null {
  if (key === '0') return {};
  const factor = Object.hasOwn(zoomFactors, key) ? zoomFactors[key] : undefined;
  return factor === undefined ? null : { ...view, x: scene.axes.x.scale.zoom(factor) };
}

/** An SVG chart on the page. */
function Svg(props: { node: SvgNode }): JSX.Element {
  return (
    <Dynamic component={props.node.tag} {...props.node.attributes}>
      {props.node.text}
      <For each={props.node.children}>{(child) => <Svg node={child} />}</For>
    </Dynamic>
  );
}

function describeReading(reading: Reading | null): string {
  if (!reading) return '';
  return [reading.title, ...reading.rows.map(({ name, text }) => `${name} ${text}`)].join(', ');
}
