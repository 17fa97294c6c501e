/** The visible part of a drawing, in its own units. */
export interface ViewBox {
  x: number;
  y: number;
  width: number;
  height: number;
}

/** Maximum and minimum zoom, relative to the whole drawing. */
const [nearest, farthest] = [40, 0.5];

interface Distance {
  x: number;
  y: number;
}

/** Returns the box of all these positions with a margin and a minimum size, so that small trees stay small. */
export function getWholeBox(
  places: readonly Distance[],
  margin: Distance,
  least: Distance = { x: 0, y: 0 },
): ViewBox {
  const ends = (values: readonly number[]): [number, number] =>
    values.reduce<[number, number]>(
      ([low, high], value) => [Math.min(low, value), Math.max(high, value)],
      [0, 0],
    );
  const [left, right] = ends(places.map(({ x }) => x));
  const [top, bottom] = ends(places.map(({ y }) => y));
  const width = Math.max(least.x, right - left + 2 * margin.x);
  const height = Math.max(least.y, bottom - top + 2 * margin.y);
  return { x: (left + right - width) / 2, y: (top + bottom - height) / 2, width, height };
}

/**
 * Returns the initial view of a drawing: all of it, or a readable part of a large one, from the top around `middle`.
 */
export function getFirstBox(whole: ViewBox, middle: number, readable: Distance): ViewBox {
  const nearness = Math.max(1, whole.width / readable.x, whole.height / readable.y);
  if (nearness === 1) return whole;
  const near = getZoomedBox(whole, whole, nearness);
  const visibleHeight = Math.min(whole.height, readable.y);
  return { ...near, x: middle - near.width / 2, y: whole.y + (visibleHeight - near.height) / 2 };
}

/** Returns the box zoomed by `factor` around its centre, limited by the whole drawing. */
export function getZoomedBox(box: ViewBox, whole: ViewBox, factor: number): ViewBox {
  const nearness = Math.min(nearest, Math.max(farthest, (whole.width / box.width) * factor));
  const [width, height] = [whole.width / nearness, whole.height / nearness];
  return {
    x: box.x + (box.width - width) / 2,
    y: box.y + (box.height - height) / 2,
    width,
    height,
  };
}

/** Returns the box moved by shares of its size. */
export function getMovedBox(box: ViewBox, right: number, down: number): ViewBox {
  return { ...box, x: box.x + right * box.width, y: box.y + down * box.height };
}
