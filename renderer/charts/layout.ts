import { getExtent, isValue, type Cell, type Range } from './figure.ts';
import { planRanks } from './rank-diagram.ts';
import { restIndex } from './palette.ts';
import {
  hasRest,
  isShown,
  getMarks,
  getValue,
  type BoxMark,
  type CurveMark,
  type Scene,
} from './scene.ts';
import { getTextSizes, type ChartTheme } from './theme.ts';
import { truncateText, getTextWidth, getTicks, getTickWidth, type Tick } from './ticks.ts';

/** A rectangle of a picture, in pixels from its upper left corner. */
export interface Area {
  left: number;
  top: number;
  width: number;
  height: number;
}

/** A text with an opaque background over the chart. Pixels from the upper left corner. */
export interface Label {
  text: string;
  left: number;
  top: number;
  /** Palette index of the series that it names; absent for other labels. */
  paletteIndex?: number;
}

/** A scene with colours and pixels, drawn by the backends for the screen and for SVG. */
export interface Picture {
  scene: Scene;
  theme: ChartTheme;
  size: { width: number; height: number };
  /** Area of the values, inside the axes. */
  area: Area;
  ticks: { x: readonly Tick[]; y: readonly Tick[] };
  labels: readonly Label[];
  /** Ticks of the colour scale at the right of the area. */
  colorTicks: readonly Tick[];
}

/**
 * Returns a scene at a size in pixels: margins as wide as its labels need, as many ticks as have room, labels of lines
 * clear of curves and boxes.
 */
export function getPicture(scene: Scene, theme: ChartTheme, size: Picture['size']): Picture {
  const [diagram] = getMarks(scene, 'ranks');
  if (diagram) {
    const { area } = planRanks(diagram.figure, theme, size);
    return { scene, theme, size, area, ticks: { x: [], y: [] }, labels: [], colorTicks: [] };
  }
  const { tick, title } = getTextSizes(theme);
  const { x, y } = scene.axes;
  const colorTicks = getColorTicks(scene, size.height, tick);
  const right = scene.colors
    ? Math.round(getWidest(colorTicks, tick) + 4.2 * tick)
    : getWidthOfNames(scene, size.width, tick);
  const top = Math.round(tick * 0.9);
  const bottom = Math.round(tick * 1.9 + (x.label === '' ? 0 : title * 1.7));
  const height = Math.max(20, size.height - top - bottom);
  const yTicks = y.scale.ticks({ axis: 'y', pixels: height, fontPixels: tick });
  const titleWidth = y.label === '' ? 0 : title * 1.9;
  const left = Math.round(titleWidth + getWidest(yTicks, tick) + tick);
  const rough = Math.max(40, size.width - left - right - tick);
  // Names below each third or fourth box would not say which is which: the emphasised ones are named above their boxes.
  const isUnnamed = hasRest({ marks: getMarks(scene, 'box') });
  const xTicks = isUnnamed ? [] : x.scale.ticks({ axis: 'x', pixels: rough, fontPixels: tick });
  const last = xTicks.at(-1);
  // The last label goes beyond the end of its axis.
  const overhang = last && x.scale.at(last.value) >= 0.8 ? getTickWidth(last, tick) / 2 : 0;
  const beyond = right + Math.round(Math.max(tick, overhang));
  const picture = {
    scene,
    theme,
    size,
    area: { left, top, width: Math.max(40, size.width - left - beyond), height },
    ticks: { x: xTicks, y: yTicks },
    colorTicks,
    labels: [],
  };
  return {
    ...picture,
    labels: [...getAreaLabels(picture), ...getRuleLabels(picture), ...getSeriesLabels(picture)],
  };
}

function getWidest(ticks: readonly Tick[], fontPixels: number): number {
  return Math.max(fontPixels, ...ticks.map((tick) => getTickWidth(tick, fontPixels)));
}

function getColorTicks(scene: Scene, height: number, fontPixels: number): readonly Tick[] {
  if (!scene.colors) return [];
  const most = Math.max(2, height / (4 * fontPixels));
  return getTicks(scene.colors.range, 'linear', (all) => all.length <= most);
}

/** Returns the pixel of a value along an axis, from the picture's upper left corner. */
export function getPixel(
  { area, scene }: Pick<Picture, 'area' | 'scene'>,
  axis: 'x' | 'y',
  value: number,
): number {
  const fraction = scene.axes[axis].scale.at(value);
  return axis === 'x' ? area.left + fraction * area.width : area.top + (1 - fraction) * area.height;
}

/** Returns the value at a pixel along an axis; the inverse of {@link getPixel}. */
export function getValueAt(
  { area, scene }: Pick<Picture, 'area' | 'scene'>,
  axis: 'x' | 'y',
  pixel: number,
): number {
  const fraction =
    axis === 'x' ? (pixel - area.left) / area.width : 1 - (pixel - area.top) / area.height;
  return scene.axes[axis].scale.invert(fraction);
}

/** The labels of tinted stretches at the top, one below the other. */
function getAreaLabels({ scene, area, theme }: Picture): Label[] {
  const { tick } = getTextSizes(theme);
  const { at } = scene.axes.x.scale;
  return getMarks(scene, 'area')
    .filter(({ from, to }) => at(from) <= 1 && at(to) >= 0)
    .map(({ label, from }, index) => {
      const room = area.width - getTextWidth(label, tick) - 4;
      const start = Math.max(0, at(from)) * area.width;
      return {
        text: label,
        left: area.left + Math.max(0, Math.min(start + 3, room)),
        top: area.top + 2 + index * 1.5 * tick,
      };
    });
}

/** Largest share of the width for the names at the ends of curves. */
const widestNames = 0.3;

/** Width for the names of the emphasised curves at the right of the area; 0 where all series have colours. */
function getWidthOfNames(scene: Scene, width: number, fontPixels: number): number {
  const curves = getMarks(scene, 'curve').filter((mark) => isEmphasised(scene, mark));
  if (!hasRest(scene) || curves.length === 0) return 0;
  const names = getShortNames(curves.map(({ series }) => series));
  const longest = Math.max(...names.map((name) => getTextWidth(name, fontPixels)));
  return Math.round(Math.min(longest + 8, widestNames * width));
}

function isEmphasised(scene: Scene, mark: CurveMark | BoxMark): boolean {
  return isShown(scene, mark) && mark.paletteIndex !== restIndex;
}

/** Fewest characters that names share for an ellipsis in their place. */
const sharedLength = 5;

/** Returns the names without the words that all of them begin with, if these are long: "…elitist-8". */
export function getShortNames(names: readonly string[]): readonly string[] {
  const [first = '', ...others] = names;
  let length = 0;
  while (length < first.length && others.every((name) => name[length] === first[length]))
    length += 1;
  const shared = first.slice(0, length).replace(/[^-_ ,/.]*$/, '');
  if (others.length === 0 || shared.length < sharedLength) return names;
  return names.map((name) => `…${name.slice(shared.length)}`);
}

/**
 * Returns names of the emphasised series next to their curves' ends and above their boxes; none if all series have
 * colours.
 */
function getSeriesLabels(picture: Picture): Label[] {
  const { scene, area, theme, size } = picture;
  if (!hasRest(scene)) return [];
  const { tick } = getTextSizes(theme);
  const height = tick * 1.45;
  const marks = [...getMarks(scene, 'curve'), ...getMarks(scene, 'box')].filter((mark) =>
    isEmphasised(scene, mark),
  );
  const names = getShortNames(marks.map(({ series }) => series));
  const right = area.left + area.width;
  const anchors = marks.flatMap((mark, index): Anchor[] => {
    const { paletteIndex } = mark;
    if (mark.type === 'curve') {
      const end = scene.axes.x.scale.range[1];
      const value = getValue(mark, Math.min(end, mark.ends?.[1] ?? mark.x.at(-1) ?? end));
      if (!isValue(value)) return [];
      const text = truncateText(names[index] ?? '', size.width - right - 6, tick);
      const top = getPixel(picture, 'y', value) - height / 2;
      return [{ text, width: getTextWidth(text, tick), left: right + 4, top, paletteIndex }];
    }
    const ends = getExtent([[mark.shape.whiskerHigh, mark.shape.q3, ...mark.values]]);
    if (!ends) return [];
    const text = truncateText(names[index] ?? '', area.width / 3, tick);
    const width = getTextWidth(text, tick) + 4;
    const middle = getPixel(picture, 'x', mark.at) - width / 2;
    const left = Math.max(area.left, Math.min(middle, right - width));
    return [{ text, width, left, top: getPixel(picture, 'y', ends[1]) - height - 4, paletteIndex }];
  });
  const boxes = getBoxAreas(picture);
  const labelAnchors: Anchor[] = [];
  for (const anchor of anchors.toSorted((one, other) => one.top - other.top)) {
    const top = findFreeTop(anchor, { area, height, anchors: labelAnchors, boxes });
    labelAnchors.push({ ...anchor, top });
  }
  return labelAnchors.map(({ width: _width, ...label }) => label);
}

/** A label with its width in pixels. */
type Anchor = Label & { width: number };

/** The visible boxes with their outliers, in pixels. */
function getBoxAreas(picture: Picture): Area[] {
  const boxes = getMarks(picture.scene, 'box').filter((mark) => isShown(picture.scene, mark));
  return boxes.flatMap(({ at, width, shape, values }) => {
    const ends = getExtent([[shape.whiskerLow, shape.whiskerHigh, ...values]]);
    if (!ends) return [];
    const left = getPixel(picture, 'x', at - width / 2);
    const top = getPixel(picture, 'y', ends[1]);
    return [
      {
        left,
        top,
        width: getPixel(picture, 'x', at + width / 2) - left,
        height: getPixel(picture, 'y', ends[0]) - top,
      },
    ];
  });
}

/** Surroundings of a new label. */
interface Surroundings {
  area: Area;
  /** Height of each label. */
  height: number;
  /** Labels that already have a place. */
  anchors: readonly Anchor[];
  boxes: readonly Area[];
}

/**
 * Returns the top nearest to that of a label, inside the area, at which it overlaps no other label and covers no box,
 * as far as there is room.
 */
function findFreeTop(
  { top, left, width }: Anchor,
  { area, height, anchors, boxes }: Surroundings,
): number {
  const isNear = (other: { left: number; width: number }): boolean =>
    other.left < left + width && left < other.left + other.width;
  const near = anchors.filter(isNear);
  const nearBoxes = boxes.filter(isNear);
  const [lowest, highest] = [area.top, area.top + area.height - height];
  const places = [
    top,
    ...near.flatMap((other) => [other.top - height, other.top + height]),
    ...nearBoxes.flatMap((box) => [box.top - height - 4, box.top + box.height + 4]),
  ]
    .map((place) => Math.min(Math.max(place, lowest), highest))
    .sort((one, other) => Math.abs(one - top) - Math.abs(other - top));
  const isFree = (place: number): boolean =>
    near.every((other) => Math.abs(other.top - place) >= height - 0.5);
  const isClear = (place: number): boolean =>
    nearBoxes.every((box) => place + height <= box.top || place >= box.top + box.height);
  return (
    places.find((place) => isFree(place) && isClear(place)) ??
    places.find(isFree) ??
    places[0] ??
    top
  );
}

/** A function that returns the top and bottom pixels of each curve and box between two columns of the chart. */
type CoveredBetween = (left: number, right: number) => readonly Range[];

/**
 * Returns the labels of horizontal lines, clear of curves and boxes as far as there is room. A value of at most 0 has
 * its label at the foot of a log axis; any other value that is not visible has none.
 */
function getRuleLabels(picture: Picture): Label[] {
  const { area, scene, theme } = picture;
  const isLog = scene.axes.y.scale.kind === 'log';
  const covered = findCovered(picture);
  return getMarks(scene, 'rule').flatMap(({ label, value }) => {
    if (isLog && value <= 0) {
      const foot = area.top + area.height;
      return [getRuleLabel(`${label}, below a log axis`, foot, area, theme, covered)];
    }
    const top = getPixel(picture, 'y', value);
    const isSeen = top >= area.top - 1 && top <= area.top + area.height + 1;
    return isSeen ? [getRuleLabel(label, top, area, theme, covered)] : [];
  });
}

function findCovered(picture: Picture): CoveredBetween {
  const { scene } = picture;
  const curves = getMarks(scene, 'curve').filter((mark) => isShown(scene, mark));
  const boxes = getMarks(scene, 'box').filter((mark) => isShown(scene, mark));
  const crosses = getMarks(scene, 'points').filter(({ symbol }) => symbol === 'cross');
  const between = (values: readonly Cell[]): Range[] => {
    const ends = getExtent([values]);
    return ends ? [[getPixel(picture, 'y', ends[1]), getPixel(picture, 'y', ends[0])]] : [];
  };
  return (left, right) => {
    const from = getValueAt(picture, 'x', left);
    const to = getValueAt(picture, 'x', right);
    return [
      ...curves.flatMap((curve) => {
        // Its values at both places, and at its end and its cross if they are between these.
        const cross = crosses.find(({ series }) => series === curve.series)?.x[0];
        const marked = [curve.x.at(-1), cross].filter(
          (place) => place !== undefined && place >= from && place <= to,
        );
        return between([from, to, ...marked].map((place) => getValue(curve, place ?? from)));
      }),
      ...boxes
        .filter(({ at, width }) => Math.abs(from - at) <= width / 2)
        .flatMap(({ shape, values }) => {
          const { whiskerLow, q1, median, q3, whiskerHigh } = shape;
          return between([whiskerLow, q1, median, q3, whiskerHigh, ...values].filter(isValue));
        }),
    ];
  };
}

function getRuleLabel(
  text: string,
  line: number,
  area: Area,
  theme: ChartTheme,
  covered: CoveredBetween,
): Label {
  const { tick } = getTextSizes(theme);
  const box = { width: getTextWidth(text, tick) + 4, height: tick * 1.45 };
  const places = getPlacesAlong(line, area, box);
  const crossings = places.map(({ left, top }) => getCrossings({ left, top, ...box }, covered));
  const best = crossings.indexOf(Math.min(...crossings));
  return { text, ...(places[best] ?? { left: area.left, top: line }) };
}

/** Places of a label above and below its line, from the right to the left, that are inside the picture. */
function getPlacesAlong(line: number, area: Area, box: { width: number; height: number }) {
  const steps = [1, 0, 0.75, 0.5, 0.25];
  const room = Math.max(0, area.width - box.width - 4);
  const lefts = steps.map((share) => area.left + 2 + share * room);
  const tops = [line - box.height - 2, line + 3].filter(
    (top) => top >= area.top - 4 && top + box.height <= area.top + area.height + 2,
  );
  return lefts.flatMap((left) => tops.map((top) => ({ left, top })));
}

function getCrossings(box: Area, covered: CoveredBetween): number {
  const width = box.width / 6;
  return Array.from({ length: 6 }, (_, step) => {
    const left = box.left + step * width;
    const inside = covered(left, left + width).filter(
      ([upper, lower]) => lower > box.top - 3 && upper < box.top + box.height + 3,
    );
    return inside.length;
  }).reduce((sum, count) => sum + count, 0);
}
