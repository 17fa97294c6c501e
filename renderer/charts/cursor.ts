import {
  createContext,
  createMemo,
  createSignal,
  useContext,
  type Accessor,
  type Setter,
} from 'solid-js';
import { findFirstIndex } from './figure.ts';
import { getStops, type Place, type Stops } from './reading.ts';
import type { Scene } from './scene.ts';

/** Position of a page's cursor on an axis, for all of its charts with this axis. */
interface SharedPlace {
  axis: string;
  x: number;
}

/** The cursor that the charts below share; each has its own without it. */
export const SharedCursor =
  createContext<[Accessor<SharedPlace | null>, Setter<SharedPlace | null>]>();

/** A cursor for several charts. */
export function createSharedCursor(): [Accessor<SharedPlace | null>, Setter<SharedPlace | null>] {
  return createSignal<SharedPlace | null>(null, {
    equals: (one, other) => one?.x === other?.x && one?.axis === other?.axis,
  });
}

/** The cursor of one chart. */
export interface ChartCursor {
  /** Its position; null without one. */
  place: Accessor<Place | null>;
  /** Possible places of the cursor. */
  stops: Accessor<Stops>;
  /** Moves it; the other charts of the page with its axis follow. Null removes it. */
  moveTo: (place: Place | null) => void;
}

/** The cursor of a chart, which follows those of others over the same axis. */
export function createCursor(scene: Accessor<Scene>): ChartCursor {
  const [shared, setShared] = useContext(SharedCursor) ?? createSharedCursor();
  const [own, setOwn] = createSignal<Place | null>(null, { equals: isSamePlace });
  const axis = createMemo(() => makeSharedAxis(scene()));
  // A zoom does not change the marks, so their places stay.
  const marks = createMemo(() => scene().marks);
  const stops = createMemo(() => getStops({ marks: marks() }));
  const getFollowedPlace = (): Place | null => {
    const there = shared();
    if (!there || there.axis !== axis()) return null;
    const { x } = stops();
    const [first, last] = [x[0] ?? Infinity, x.at(-1) ?? -Infinity];
    return there.x < first || there.x > last ? null : { x: getNearestStop(x, there.x) };
  };
  const place = createMemo(() => own() ?? getFollowedPlace(), null, { equals: isSamePlace });
  return {
    place,
    stops,
    moveTo: (next) => {
      setOwn(next);
      const title = axis();
      if (title !== null) setShared(next && { axis: title, x: next.x });
    },
  };
}

function isSamePlace(one: Place | null, other: Place | null): boolean {
  return one?.x === other?.x && one?.row === other?.row;
}

/** The axis on which a chart shares its cursor; null where x is no measure, such as the place of a box. */
function makeSharedAxis({ marks, axes }: Scene): string | null {
  const isMeasure = marks.some(({ type }) => type === 'curve' || type === 'cells');
  return isMeasure ? axes.x.title : null;
}

/** Returns the stop nearest to a value; the higher of two that are equally near. `stops` rise and are not empty. */
export function getNearestStop(stops: readonly number[], value: number): number {
  const after = findFirstIndex(stops, (stop) => stop >= value);
  if (after === stops.length) return stops.at(-1) ?? value;
  if (after === 0) return stops[0] ?? value;
  const [before, next] = [stops[after - 1] ?? value, stops[after] ?? value];
  return value - before < next - value ? before : next;
}

const steps: Readonly<Record<string, readonly [columns: number, rows: number]>> = {
  ArrowLeft: [-1, 0],
  ArrowRight: [1, 0],
  ArrowUp: [0, -1],
  ArrowDown: [0, 1],
  Home: [-Infinity, 0],
  End: [Infinity, 0],
};

/**
 * Number of stops per step of the cursor = all stops / this, rounded down to at least 1. So a key crosses a picture in
 * fewer than twice as many steps.
 */
const mostSteps = 200;

/**
 * Returns the place to which a key moves the cursor: arrows to the next stop or row, Home and End to the ends. Without
 * a previous place it is the first stop, for End the last. Null for other keys, without stops, and for up and down
 * where there is only one row.
 */
export function getMovedPlace(
  { x, rows, rowsAt }: Stops,
  from: Place | null,
  key: string,
): Place | null {
  const step = Object.hasOwn(steps, key) ? steps[key] : undefined;
  if (!step || x.length === 0 || (step[1] !== 0 && rows === 1)) return null;
  const [columns, down] = step;
  const at = (index: number, row: number): Place => {
    const place = x[clamp(index, x.length - 1)] ?? 0;
    const last = (rowsAt?.get(place) ?? rows) - 1;
    return { x: place, ...(rows > 1 && { row: clamp(row, last) }) };
  };
  if (!from) return at(columns === Infinity ? Infinity : 0, 0);
  const stride = rows > 1 ? 1 : Math.max(1, Math.floor(x.length / mostSteps));
  return at(x.indexOf(getNearestStop(x, from.x)) + columns * stride, (from.row ?? 0) + down);
}

function clamp(index: number, last: number): number {
  return Math.min(Math.max(index, 0), last);
}
