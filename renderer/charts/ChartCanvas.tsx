import {
  createMemo,
  createSignal,
  createUniqueId,
  Match,
  onCleanup,
  onMount,
  Show,
  Switch,
  type JSX,
} from 'solid-js';
import { Skeleton } from '#renderer/components/Skeleton.tsx';
import type { Cut } from './chart-entry.ts';
import { ChartCut } from './ChartCut.tsx';
import { ChartOverlay, type PointedRun } from './ChartOverlay.tsx';
import { movedPlace, nearestStop, type ChartCursor } from './cursor.ts';
import type { Figure } from './figure.ts';
import { isEmptyFigure, kindOf } from './kinds.ts';
import type { Place, Reading } from './kinds/kind.ts';
import { runTraceAt } from './kinds/line-reading.ts';
import { valueAt, type Picture, type Setting } from './picture.ts';
import { PlotlyChart } from './PlotlyChart.tsx';
import { Svg } from './Svg.tsx';
import { createChartTheme, usualTextPixels } from './theme.ts';
import { movedTo, viewAfter, viewAfterKey, type View } from './view.ts';

/** What a reader chose about a picture. */
export type ViewOptions = Omit<Setting, 'theme' | 'size'>;

interface ChartCanvasProps {
  figure: Figure;
  options: ViewOptions;
  cursor: ChartCursor;
  /** Accessible name. */
  title: string;
  /** Accessible description: what the picture shows. */
  description: string;
  /** Height at the usual size of text, with which it grows. */
  heightPixels: number;
  onViewChange: (view: View) => void;
  wheelZoom?: boolean;
  cut?: Cut | undefined;
  pinned?: Place | undefined;
  /** A click that was no drag, at the cursor. */
  onPick?: (place: Place) => void;
  /** A click on a single run. */
  onOpen?: (href: string) => void;
  /** Asked first about each key; true when it was used. */
  onKey?: (key: string) => boolean;
}

/**
 * One picture at the size of its place. With the focus on it, arrows, Home and End move the cursor, `+` and `-` zoom
 * x, `0` shows everything.
 */
export function ChartCanvas(props: ChartCanvasProps): JSX.Element {
  const descriptionId = createUniqueId();
  const theme = createChartTheme();
  const [width, setWidth] = createSignal(0);
  let frame!: HTMLDivElement;
  onMount(() => {
    const measure = (): void => {
      if (frame.clientWidth > 0) setWidth(frame.clientWidth);
    };
    measure();
    const resizing = new ResizeObserver(measure);
    resizing.observe(frame);
    onCleanup(() => resizing.disconnect());
  });
  const height = (): number =>
    Math.round((props.heightPixels * theme().textPixels) / usualTextPixels);
  const isEmpty = createMemo(() => isEmptyFigure(props.figure));
  const picture = createMemo((): Picture | undefined => {
    if (isEmpty() || width() === 0) return undefined;
    const size = { width: width(), height: height() };
    return kindOf(props.figure).draw(props.figure, { ...props.options, theme: theme(), size });
  });
  return (
    <div class="chart-frame" ref={(node) => (frame = node)} style={{ height: `${height()}px` }}>
      <p id={descriptionId} class="visually-hidden">
        {props.description}
      </p>
      <Switch fallback={<Skeleton shape={{ blockPixels: height() }} />}>
        <Match when={isEmpty()}>
          <p class="chart-empty">{props.figure.empty}</p>
        </Match>
        <Match when={picture()}>
          {(drawn) => (
            <ReadableChart
              {...props}
              picture={drawn()}
              height={height()}
              descriptionId={descriptionId}
            />
          )}
        </Match>
      </Switch>
    </div>
  );
}

interface ReadableChartProps extends ChartCanvasProps {
  picture: Picture;
  height: number;
  descriptionId: string;
}

/** The picture with its cursor, which follows the pointer and the keys. */
function ReadableChart(props: ReadableChartProps): JSX.Element {
  let canvas!: HTMLDivElement;
  const [spoken, setSpoken] = createSignal('');
  const [run, setRun] = createSignal<PointedRun>();
  const stops = createMemo(() => kindOf(props.figure).stops(props.figure));
  const read = (place: Place | null | undefined): Reading | null =>
    place ? kindOf(props.figure).read(props.figure, place, props.options.hidden) : null;
  const reading = createMemo(() => read(props.cursor.place()));
  const follow = (event: PointerEvent): void => {
    const at = pointOf(event, canvas);
    const place = placeAt(props.picture, props.options.scales, stops(), at);
    props.cursor.moveTo(place);
    const { figure, picture, options } = props;
    if (figure.kind !== 'lines') return;
    const x = valueAt(picture, 'x', at.left, options.scales.x);
    const pointer = { x, top: at.top, hidden: options.hidden };
    setRun(place ? runTraceAt(figure, picture, options.scales, pointer) : undefined);
  };
  const leave = (): void => {
    props.cursor.moveTo(null);
    setRun(undefined);
  };
  // While the button is down Plotly covers the page, and the pointer has left: what counts is what was pressed.
  const press = (down: PointerEvent): void =>
    onceReleased(down, clickOn(props, run()?.trace.href, props.cursor.place()));
  const moveCursor = (key: string): boolean => {
    const place = movedPlace(stops(), props.cursor.place(), key);
    if (!place) return false;
    props.cursor.moveTo(place);
    setSpoken(textOf(read(place)));
    const view = viewOn(props, place);
    if (view) props.onViewChange(view);
    return true;
  };
  const usesKey = (key: string): boolean => {
    if (props.onKey?.(key) || moveCursor(key)) return true;
    const { options, picture } = props;
    const view = viewAfterKey(options.view, key, picture.ranges.x, options.scales.x);
    if (view) props.onViewChange(view);
    return view !== null;
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.ctrlKey || event.metaKey || event.altKey || !usesKey(event.key)) return;
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    <div
      ref={(node) => (canvas = node)}
      class="chart-canvas"
      classList={{ 'chart-opens': run()?.trace.href !== undefined }}
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
      <Switch>
        <Match when={props.picture.drawing.by === 'plotly' && props.picture.drawing}>
          {(drawing) => (
            <PlotlyChart
              drawing={drawing()}
              revision={JSON.stringify([props.options.view, props.options.scales])}
              heightPixels={props.height}
              wheelZoom={props.wheelZoom === true}
              onRelayout={(report) => {
                const view = viewAfter(props.options.view, report, props.options.scales);
                if (view !== props.options.view) props.onViewChange(view);
              }}
              onDoubleClick={() => props.onViewChange({})}
            />
          )}
        </Match>
        <Match when={props.picture.drawing.by === 'svg' && props.picture.drawing.node}>
          {(node) => <Svg node={node()} />}
        </Match>
      </Switch>
      <ChartOverlay
        picture={props.picture}
        scales={props.options.scales}
        place={props.cursor.place()}
        reading={reading()}
        run={run()}
        pinned={read(props.pinned)}
      />
      <Show when={props.cut}>
        {(cut) => <ChartCut cut={cut()} picture={props.picture} scales={props.options.scales} />}
      </Show>
      <p class="visually-hidden" aria-live="polite">
        {spoken()}
      </p>
    </div>
  );
}

/** What a click on this place does: a single run under it is opened, else the place is picked. */
function clickOn(
  chart: Pick<ChartCanvasProps, 'onOpen' | 'onPick'>,
  href: string | undefined,
  place: Place | null,
): () => void {
  return () => {
    if (href !== undefined) chart.onOpen?.(href);
    else if (place) chart.onPick?.(place);
  };
}

/** Calls back when the button is let go where it was pressed. Plotly takes the release away from what was pressed. */
function onceReleased(down: PointerEvent, then: () => void): void {
  if (down.button !== 0) return;
  const release = (up: PointerEvent): void => {
    if (Math.hypot(up.clientX - down.clientX, up.clientY - down.clientY) <= 4) then();
  };
  document.addEventListener('pointerup', release, { once: true });
}

function pointOf(event: PointerEvent, element: HTMLElement): { left: number; top: number } {
  const { left, top } = element.getBoundingClientRect();
  return { left: event.clientX - left, top: event.clientY - top };
}

/** The stop and the row under a pixel; null outside the area of the values. */
function placeAt(
  picture: Picture,
  scales: Setting['scales'],
  stops: { x: readonly number[]; rows: number },
  { left, top }: { left: number; top: number },
): Place | null {
  const { area } = picture;
  const isInside =
    left >= area.left &&
    left <= area.left + area.width &&
    top >= area.top &&
    top <= area.top + area.height;
  if (!isInside || stops.x.length === 0) return null;
  const x = nearestStop(stops.x, valueAt(picture, 'x', left, scales.x));
  if (stops.rows === 1) return { x };
  const row = Math.round(valueAt(picture, 'y', top, scales.y));
  return { x, row: Math.min(Math.max(row, 0), stops.rows - 1) };
}

/** The view moved so that the cursor is seen; undefined when it is seen already. */
function viewOn({ options, picture }: ReadableChartProps, place: Place): View | undefined {
  const { view, scales } = options;
  const x = view.x && movedTo(picture.ranges.x, place.x, scales.x);
  const y = view.y && place.row !== undefined && movedTo(picture.ranges.y, place.row, 'linear');
  const isSeen = (!x || x === picture.ranges.x) && (!y || y === picture.ranges.y);
  return isSeen ? undefined : { ...view, ...(x && { x }), ...(y && { y }) };
}

function textOf(reading: Reading | null): string {
  if (!reading) return '';
  return [reading.title, ...reading.rows.map(({ name, text }) => `${name} ${text}`)].join(', ');
}
