import { createEffect, createSignal, Show, type JSX } from 'solid-js';
import { Button } from '#renderer/ui/Button.tsx';
import type { Handle } from './chart-entry.ts';
import { getPixel, getValueAt, type Picture } from './layout.ts';
import { roundTo } from './scale.ts';
import './chart-handle.css';

interface ChartHandleProps {
  handle: Handle;
  picture: Picture;
}

/** Number of keyboard steps from one end of the chart to the other. */
const keySteps = 60;

/** Height of the value over the line, in pixels. */
const labelPixels = 20;

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
 * A handle over a picture, which a drag or the arrow keys move without a redraw of the picture. Esc restores its
 * position before the last drag, or before the arrow keys moved it, until the focus leaves it. The picture is pale
 * beyond a handle along x; a handle along y has a grip at its end. While the handle is not visible, a button may offer
 * to set it.
 */
export function ChartHandle(props: ChartHandleProps): JSX.Element {
  let element: HTMLDivElement | undefined;
  let wantsFocus = false;
  /** Position of the picture at the press: changes of the page above it must not move the value. */
  let frame: DOMRect | undefined;
  /** Pixels between the line and the pointer at the press. A drag keeps this distance. */
  let grabOffset = 0;
  const [isMoved, setMoved] = createSignal(false);
  const axis = (): 'x' | 'y' => props.handle.axis ?? 'x';
  const at = (): number | undefined => props.handle.value.current() ?? props.handle.defaultValue();
  /** Ends of the axis in pixels, that of the least value first. */
  const ends = (): readonly [number, number] => {
    const { left, top, width, height } = props.picture.area;
    return axis() === 'x' ? [left, left + width] : [top + height, top];
  };
  const pixel = (): number => {
    const value = at();
    return value === undefined ? NaN : getPixel(props.picture, axis(), value);
  };
  const isSeen = (): boolean =>
    pixel() >= Math.min(...ends()) - 1 && pixel() <= Math.max(...ends()) + 1;
  const getValue = (place: number): number => {
    const value = (position: number) => getValueAt(props.picture, axis(), position);
    const inside = Math.min(Math.max(place, Math.min(...ends())), Math.max(...ends()));
    if (props.handle.range) {
      const [low, high] = props.handle.range();
      return Math.min(Math.max(value(inside), low), high);
    }
    return roundTo(value(inside), Math.abs(value(inside + 0.5) - value(inside - 0.5)));
  };
  const getPlace = ({ clientX, clientY }: PointerEvent): number =>
    axis() === 'x' ? clientX - (frame?.left ?? 0) : clientY - (frame?.top ?? 0);
  const getPointedValue = (event: PointerEvent): number => getValue(getPlace(event) - grabOffset);
  const press = (event: PointerEvent): void => {
    if (event.button !== 0) return;
    event.stopPropagation();
    frame = element?.parentElement?.getBoundingClientRect();
    grabOffset = getPlace(event) - pixel();
    element?.setPointerCapture(event.pointerId);
    // Esc reaches the handle only while it has the focus.
    element?.focus({ preventScroll: true });
    props.handle.value.leave();
    props.handle.value.grab();
    setMoved(true);
  };
  const drag = (event: PointerEvent): void => {
    // The chart under the line must not show its values.
    event.stopPropagation();
    if (isMoved()) props.handle.value.move(getPointedValue(event));
  };
  const drop = (event: PointerEvent): void => {
    if (!isMoved()) return;
    setMoved(false);
    // A click without a drag holds no value, so it changes nothing.
    if (props.handle.value.heldValue() !== undefined)
      props.handle.value.set(getPointedValue(event));
  };
  const cancel = (): boolean => {
    setMoved(false);
    return props.handle.value.restore();
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    const steps = keys[event.key];
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (steps === undefined && !(event.key === 'Escape' && cancel())) return;
    event.preventDefault();
    event.stopPropagation();
    if (steps === undefined) return;
    const [start, end] = ends();
    setMoved(true);
    props.handle.value.move(getValue(pixel() + (steps * (end - start)) / keySteps));
  };
  const set = (value: number): void => {
    wantsFocus = true;
    props.handle.value.set(value);
  };
  // The line replaces the button, so it receives the focus.
  createEffect(() => {
    if (!isSeen() || !wantsFocus) return;
    wantsFocus = false;
    queueMicrotask(() => element?.focus());
  });
  return (
    <Show
      when={isSeen()}
      fallback={
        <Offer handle={props.handle} picture={props.picture} onSet={set} getValue={getValue} />
      }
    >
      <Show when={axis() === 'x'}>
        <div
          class="chart-beyond"
          style={{ ...getAcrossArea(props.picture), ...getBeyondStyle(pixel(), props.picture) }}
        />
      </Show>
      <div
        ref={(node) => (element = node)}
        class={`chart-handle chart-handle-${axis()}`}
        classList={{ 'chart-handle-dragged': isMoved() }}
        style={getHandleStyle(axis(), pixel(), props.picture)}
        role="slider"
        tabIndex={0}
        aria-label={props.handle.label}
        aria-orientation={axis() === 'x' ? 'horizontal' : 'vertical'}
        aria-valuemin={getValue(ends()[0])}
        aria-valuemax={getValue(ends()[1])}
        aria-valuenow={at() ?? 0}
        aria-valuetext={props.handle.text(at() ?? 0)}
        title={`${props.handle.label}: drag it, or move it with the arrow keys`}
        onPointerDown={press}
        onPointerMove={drag}
        onPointerUp={drop}
        onPointerCancel={() => void cancel()}
        onKeyDown={onKeyDown}
        onKeyUp={() => {
          setMoved(false);
          props.handle.value.release();
        }}
        onBlur={() => {
          setMoved(false);
          props.handle.value.leave();
        }}
      />
      <Show when={axis() === 'y'}>
        <div
          class="chart-handle-line"
          classList={{ 'chart-handle-line-high': pixel() < props.picture.area.top + labelPixels }}
          aria-hidden="true"
          style={{
            left: `${props.picture.area.left}px`,
            top: `${pixel()}px`,
            width: `${props.picture.area.width}px`,
          }}
        >
          <span>{props.handle.text(at() ?? 0)}</span>
        </div>
      </Show>
    </Show>
  );
}

interface OfferProps {
  handle: Handle;
  picture: Picture;
  onSet: (value: number) => void;
  /** The value at a pixel along the axis. */
  getValue: (pixel: number) => number;
}

/** A button that sets the line at its proposed value if it is visible, else in the middle of the chart. */
function Offer(props: OfferProps): JSX.Element {
  const proposed = (): number => {
    const { area, scene } = props.picture;
    const value = props.handle.offer?.value();
    const [low, high] = scene.axes.y.scale.range;
    const isSeen = value !== undefined && value >= low && value <= high;
    return isSeen ? value : props.getValue(area.top + area.height / 2);
  };
  return (
    <Show when={props.handle.offer}>
      {(offer) => (
        <div
          class={`chart-handle-offer chart-handle-offer-${offer().corner}`}
          style={getAcrossArea(props.picture)}
          onPointerDown={(event) => event.stopPropagation()}
        >
          <Button size="small" onClick={() => props.onSet(proposed())}>
            {offer().label}
          </Button>
        </div>
      )}
    </Show>
  );
}

function getAcrossArea({ area }: Picture): JSX.CSSProperties {
  const pixels = { left: area.left, top: area.top, width: area.width, height: area.height };
  return Object.fromEntries(Object.entries(pixels).map(([name, value]) => [name, `${value}px`]));
}

function getBeyondStyle(pixel: number, { area }: Picture): JSX.CSSProperties {
  return { left: `${pixel}px`, width: `${Math.max(0, area.left + area.width - pixel)}px` };
}

function getHandleStyle(axis: 'x' | 'y', pixel: number, { area }: Picture): JSX.CSSProperties {
  return axis === 'x'
    ? { left: `${pixel}px`, top: `${area.top}px`, height: `${area.height}px` }
    : { left: `${area.left + area.width}px`, top: `${pixel}px` };
}
