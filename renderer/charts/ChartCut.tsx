import { createEffect, createSignal, Show, type JSX } from 'solid-js';
import { Button } from '#renderer/ui/Button.tsx';
import type { Cut } from './chart-entry.ts';
import { getPixel, getValueAt, type Picture } from './layout.ts';
import { getRoundedTo } from './scale.ts';
import './chart-cut.css';

interface ChartCutProps {
  cut: Cut;
  picture: Picture;
}

/** Number of keyboard steps from one end of the chart to the other. */
const keySteps = 60;

/** Height that the value over the line takes. */
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
 * The line of a cut over a picture: dragged, or moved by the arrow keys. Esc restores its position before the last drag, or
 * before the arrow keys moved it, until the focus leaves it. It moves without a redraw of the picture. What is beyond a cut along x is pale; one along y is held by a grip at its end. Where it is not seen, a
 * button may offer to set it.
 */
export function ChartCut(props: ChartCutProps): JSX.Element {
  let handle: HTMLDivElement | undefined;
  let wantsFocus = false;
  /** Position of the picture when it was pressed: changes of the page above it must not move the target. */
  let frame: DOMRect | undefined;
  /** Pixels between the line and the place where it was pressed. A drag keeps this distance. */
  let grabOffset = 0;
  const [isMoved, setMoved] = createSignal(false);
  const axis = (): 'x' | 'y' => props.cut.axis ?? 'x';
  const at = (): number | undefined => props.cut.value.current() ?? props.cut.usual();
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
    if (props.cut.range) {
      const [low, high] = props.cut.range();
      return Math.min(Math.max(value(inside), low), high);
    }
    return getRoundedTo(value(inside), Math.abs(value(inside + 0.5) - value(inside - 0.5)));
  };
  const getPlace = ({ clientX, clientY }: PointerEvent): number =>
    axis() === 'x' ? clientX - (frame?.left ?? 0) : clientY - (frame?.top ?? 0);
  const pointed = (event: PointerEvent): number => getValue(getPlace(event) - grabOffset);
  const press = (event: PointerEvent): void => {
    if (event.button !== 0) return;
    event.stopPropagation();
    frame = handle?.parentElement?.getBoundingClientRect();
    grabOffset = getPlace(event) - pixel();
    handle?.setPointerCapture(event.pointerId);
    // Esc reaches the handle only while it has the focus.
    handle?.focus({ preventScroll: true });
    props.cut.value.leave();
    props.cut.value.grab();
    setMoved(true);
  };
  const drag = (event: PointerEvent): void => {
    // What is under the line is not pointed at.
    event.stopPropagation();
    if (isMoved()) props.cut.value.move(pointed(event));
  };
  const drop = (event: PointerEvent): void => {
    if (!isMoved()) return;
    setMoved(false);
    // Without a drag there is no held value, so a click changes nothing.
    if (props.cut.value.heldValue() !== undefined) props.cut.value.set(pointed(event));
  };
  const cancel = (): boolean => {
    setMoved(false);
    return props.cut.value.restore();
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
    props.cut.value.move(getValue(pixel() + (steps * (end - start)) / keySteps));
  };
  const set = (value: number): void => {
    wantsFocus = true;
    props.cut.value.set(value);
  };
  // The button goes when the line comes, so the focus goes on with it.
  createEffect(() => {
    if (!isSeen() || !wantsFocus) return;
    wantsFocus = false;
    queueMicrotask(() => handle?.focus());
  });
  return (
    <Show
      when={isSeen()}
      fallback={<Offer cut={props.cut} picture={props.picture} onSet={set} getValue={getValue} />}
    >
      <Show when={axis() === 'x'}>
        <div
          class="chart-beyond"
          style={{ ...getAcrossArea(props.picture), ...beyond(pixel(), props.picture) }}
        />
      </Show>
      <div
        ref={(element) => (handle = element)}
        class={`chart-cut chart-cut-${axis()}`}
        classList={{ 'chart-cut-dragged': isMoved() }}
        style={handleStyle(axis(), pixel(), props.picture)}
        role="slider"
        tabIndex={0}
        aria-label={props.cut.label}
        aria-orientation={axis() === 'x' ? 'horizontal' : 'vertical'}
        aria-valuemin={getValue(ends()[0])}
        aria-valuemax={getValue(ends()[1])}
        aria-valuenow={at() ?? 0}
        aria-valuetext={props.cut.text(at() ?? 0)}
        title={`${props.cut.label}: drag it, or move it with the arrow keys`}
        onPointerDown={press}
        onPointerMove={drag}
        onPointerUp={drop}
        onPointerCancel={() => void cancel()}
        onKeyDown={onKeyDown}
        onKeyUp={() => {
          setMoved(false);
          props.cut.value.release();
        }}
        onBlur={() => {
          setMoved(false);
          props.cut.value.leave();
        }}
      />
      <Show when={axis() === 'y'}>
        <div
          class="chart-cut-line"
          classList={{ 'chart-cut-line-high': pixel() < props.picture.area.top + labelPixels }}
          aria-hidden="true"
          style={{
            left: `${props.picture.area.left}px`,
            top: `${pixel()}px`,
            width: `${props.picture.area.width}px`,
          }}
        >
          <span>{props.cut.text(at() ?? 0)}</span>
        </div>
      </Show>
    </Show>
  );
}

interface OfferProps {
  cut: Cut;
  picture: Picture;
  onSet: (value: number) => void;
  /** The value at a pixel along the axis. */
  getValue: (pixel: number) => number;
}

/** A button that sets the line at its proposed value if it is visible, else in the middle of the chart. */
function Offer(props: OfferProps): JSX.Element {
  const proposed = (): number => {
    const { area, scene } = props.picture;
    const value = props.cut.offer?.value();
    const [low, high] = scene.axes.y.scale.range;
    const isSeen = value !== undefined && value >= low && value <= high;
    return isSeen ? value : props.getValue(area.top + area.height / 2);
  };
  return (
    <Show when={props.cut.offer}>
      {(offer) => (
        <div
          class={`chart-cut-offer chart-cut-offer-${offer().corner}`}
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

function beyond(pixel: number, { area }: Picture): JSX.CSSProperties {
  return { left: `${pixel}px`, width: `${Math.max(0, area.left + area.width - pixel)}px` };
}

function handleStyle(axis: 'x' | 'y', pixel: number, { area }: Picture): JSX.CSSProperties {
  return axis === 'x'
    ? { left: `${pixel}px`, top: `${area.top}px`, height: `${area.height}px` }
    : { left: `${area.left + area.width}px`, top: `${pixel}px` };
}
