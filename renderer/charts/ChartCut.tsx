import { createSignal, Show, type JSX } from 'solid-js';
import type { Cut } from './chart-entry.ts';
import type { Scales } from './figure.ts';
import { pixelOf, valueAt, type Picture } from './picture.ts';

interface ChartCutProps {
  cut: Cut;
  picture: Picture;
  scales: Scales;
}

/** Steps of the keyboard from one end of the picture to the other. */
const keySteps = 60;

const keys: Readonly<Record<string, number>> = {
  ArrowLeft: -1,
  ArrowDown: -1,
  ArrowRight: 1,
  ArrowUp: 1,
  PageDown: -10,
  PageUp: 10,
  Home: -Infinity,
  End: Infinity,
};

/**
 * The line of a cut over a picture, with what is beyond it pale: dragged, or moved by the arrow keys. It moves without the
 * picture being drawn anew. Beyond what is seen of the axis there is none.
 */
export function ChartCut(props: ChartCutProps): JSX.Element {
  let handle!: HTMLDivElement;
  const [isDragged, setDragged] = createSignal(false);
  const left = (): number => {
    const at = props.cut.at();
    return at === undefined ? NaN : pixelOf(props.picture, 'x', at, props.scales.x);
  };
  const isSeen = (): boolean => {
    const { area } = props.picture;
    return left() >= area.left - 1 && left() <= area.left + area.width + 1;
  };
  const placeOf = (pixel: number): number => {
    const [low, high] = props.cut.range();
    return Math.min(Math.max(valueAt(props.picture, 'x', pixel, props.scales.x), low), high);
  };
  const pointed = (event: PointerEvent): number => {
    const frame = handle.parentElement?.getBoundingClientRect();
    return placeOf(event.clientX - (frame?.left ?? 0));
  };
  const press = (event: PointerEvent): void => {
    if (event.button !== 0) return;
    event.stopPropagation();
    handle.setPointerCapture(event.pointerId);
    setDragged(true);
  };
  const drag = (event: PointerEvent): void => {
    // What is under the line is not pointed at.
    event.stopPropagation();
    if (isDragged()) props.cut.onMove(pointed(event));
  };
  const release = (event: PointerEvent): void => {
    if (!isDragged()) return;
    setDragged(false);
    props.cut.onDone(pointed(event));
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    const steps = keys[event.key];
    if (steps === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    event.stopPropagation();
    const { area } = props.picture;
    const pixel = left() + (steps * area.width) / keySteps;
    const ends = [area.left, area.left + area.width] as const;
    props.cut.onDone(placeOf(Math.min(Math.max(pixel, ends[0]), ends[1])));
  };
  return (
    <Show when={isSeen()}>
      <div
        class="chart-beyond"
        style={{
          left: `${left()}px`,
          top: `${props.picture.area.top}px`,
          width: `${Math.max(0, props.picture.area.left + props.picture.area.width - left())}px`,
          height: `${props.picture.area.height}px`,
        }}
      />
      <div
        ref={(element) => (handle = element)}
        class="chart-cut"
        classList={{ 'chart-cut-dragged': isDragged() }}
        style={{
          left: `${left()}px`,
          top: `${props.picture.area.top}px`,
          height: `${props.picture.area.height}px`,
        }}
        role="slider"
        tabIndex={0}
        aria-label={props.cut.label}
        aria-orientation="horizontal"
        aria-valuemin={props.cut.range()[0]}
        aria-valuemax={props.cut.range()[1]}
        aria-valuenow={props.cut.at() ?? 0}
        aria-valuetext={props.cut.text(props.cut.at() ?? 0)}
        title={`${props.cut.label}: drag it, or move it with the arrow keys`}
        onPointerDown={press}
        onPointerMove={drag}
        onPointerUp={release}
        onKeyDown={onKeyDown}
      />
    </Show>
  );
}
