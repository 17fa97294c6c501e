import { isValue, type GroupPoint } from './figure.ts';
import { getPixel, type Picture } from './layout.ts';
import { getMarks, isShown, type CloudMark, type Scene } from './scene.ts';
import { swarm } from './swarm.ts';

/** A visible point with the mark of its group. */
export interface CloudPoint {
  mark: CloudMark;
  point: GroupPoint;
}

/** A visible point at its place in a picture. */
export interface PlacedPoint extends CloudPoint {
  /** Its index among the points at its x, from the top. */
  row: number;
  /** Its place in values of the axes: next to its x where other points are near, at the upper edge if infinite. */
  drawnX: number;
  drawnY: number;
}

/** Sizes that determine the places of points. */
export interface CloudSize {
  /** Width of the area of the values in pixels. */
  width: number;
  /** Size of a symbol relative to a screen of usual size. */
  thickness?: number;
}

/** Returns the visible points with a value by their x, those at one x from the top to the bottom. */
export function getColumns(scene: Pick<Scene, 'marks' | 'hidden'>): Map<number, CloudPoint[]> {
  const points = getMarks(scene, 'cloud')
    .filter((mark) => isShown(scene, mark))
    .flatMap((mark) => mark.points.map((point): CloudPoint => ({ mark, point })))
    .filter(({ point }) => hasPlace(point));
  const columns = Map.groupBy(points, ({ point }) => point.x);
  for (const column of columns.values()) {
    column.sort((one, other) => compareHeights(one.point, other.point));
  }
  return columns;
}

function hasPlace({ y }: GroupPoint): boolean {
  return isValue(y) || y === Infinity;
}

/** Compares two points from the top down. Infinite points are equal, because their difference is NaN. */
function compareHeights({ y: one }: GroupPoint, { y: other }: GroupPoint): number {
  return one === other ? 0 : Number(other) - Number(one);
}

/** Pixels of the largest symbol, and of its distance from one next to it. */
const symbolPixels = 9;

/** Height of the largest symbol as a share of that of a usual chart. */
const symbolHeight = 0.04;

/** Returns the size of the symbols of so many points, relative to that of a few. */
export function getSymbolScale(count: number): number {
  return Math.min(1, Math.max(0.4, (40 / count) ** 0.3));
}

/** Share of the distance between two columns that the points of one may fill. */
const columnShare = 0.45;

/**
 * Returns the visible points inside the x axis with their places. Points of near height at one x are drawn next to each
 * other, nearer than half way to the next x and inside the axis.
 */
export function placeCloud(scene: Scene, { width, thickness = 1 }: CloudSize): PlacedPoint[] {
  const { x, y } = { x: scene.axes.x.scale, y: scene.axes.y.scale };
  const columns = Array.from(getColumns(scene), ([place, points]) => ({
    points,
    at: x.at(place),
  }))
    .filter(({ at }) => at >= 0 && at <= 1)
    .sort((one, other) => one.at - other.at);
  const count = columns.reduce((sum, { points }) => sum + points.length, 0);
  const scale = getSymbolScale(count) * thickness;
  const room = { step: (symbolPixels * scale) / width, near: symbolHeight * scale };
  return columns.flatMap(({ points, at }, index) => {
    const distances = [columns[index - 1], columns[index + 1]].map((near) =>
      near ? Math.abs(near.at - at) : 1,
    );
    const edge = Math.max(room.step / 2, Math.min(at, 1 - at) - room.step / 2);
    const drawn = points.map(({ point }) => (isValue(point.y) ? y.onAxis(point.y) : y.range[1]));
    const most = Math.min(columnShare * Math.min(...distances), edge);
    const offsets = swarm(drawn.map(y.at), most, room);
    return points.map((one, row): PlacedPoint => {
      const offset = offsets[row] ?? 0;
      return {
        ...one,
        row,
        drawnX: offset === 0 ? one.point.x : x.invert(at + offset),
        drawnY: drawn[row] ?? 0,
      };
    });
  });
}

/** Distance from the pointer within which a point is found, in pixels. */
const reachPixels = 12;

/** Returns the point nearest to a pixel; undefined without one nearby. */
export function findPoint(
  picture: Picture,
  points: readonly PlacedPoint[],
  { left, top }: { left: number; top: number },
): PlacedPoint | undefined {
  let nearest: PlacedPoint | undefined;
  let shortest = reachPixels;
  for (const point of points) {
    const across = getPixel(picture, 'x', point.drawnX) - left;
    const distance = Math.hypot(across, getPixel(picture, 'y', point.drawnY) - top);
    if (!(distance < shortest)) continue;
    shortest = distance;
    nearest = point;
  }
  return nearest;
}
