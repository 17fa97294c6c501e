import type { Annotation, Shape } from 'plotly.js-dist-min';
import type { Reference, Scale } from '#renderer/charts/figure.ts';
import {
  lineAcross,
  noteAt,
  pixelOf,
  textSizes,
  type Area,
  type Picture,
} from '#renderer/charts/picture.ts';
import type { ChartTheme } from '#renderer/charts/theme.ts';
import { textWidth } from '#renderer/charts/ticks.ts';
import type { Range } from '#renderer/charts/view.ts';

/** What curves and boxes take between two columns of the picture: their uppermost and lowest pixels, one pair each. */
export type TakenBetween = (left: number, right: number) => readonly Range[];

/** Lines across the picture with their labels. */
export interface DrawnReferences {
  shapes: Partial<Shape>[];
  annotations: Partial<Annotation>[];
}

/**
 * The target and its like: a line across the picture where its value is seen, and a label that keeps clear of the
 * curves as far as there is room for it. A value that a log axis has no place for is named at the foot, without line.
 */
export function drawReferences(
  references: readonly Reference[],
  picture: Pick<Picture, 'area' | 'ranges'>,
  scale: Scale,
  theme: ChartTheme,
  taken: TakenBetween,
): DrawnReferences {
  const drawn: DrawnReferences = { shapes: [], annotations: [] };
  for (const { value, label } of references) {
    const { area } = picture;
    if (scale === 'log' && value <= 0) {
      const top = area.top + area.height;
      drawn.annotations.push(labelAt(`${label}, below a log axis`, top, area, theme, taken));
      continue;
    }
    const top = pixelOf(picture, 'y', value, scale);
    if (top < area.top - 1 || top > area.top + area.height + 1) continue;
    drawn.shapes.push(lineAcross(value, theme));
    drawn.annotations.push(labelAt(label, top, area, theme, taken));
  }
  return drawn;
}

function labelAt(
  text: string,
  line: number,
  area: Area,
  theme: ChartTheme,
  taken: TakenBetween,
): Partial<Annotation> {
  const { tick } = textSizes(theme);
  const box = { width: textWidth(text, tick) + 4, height: tick * 1.45 };
  const places = clearPlaces(line, area, box);
  const crossings = places.map(({ left, top }) => crossingsOf({ left, top, ...box }, taken));
  const best = crossings.indexOf(Math.min(...crossings));
  const { left, top } = places[best] ?? { left: area.left, top: line };
  return noteAt(text, { left, top, area }, theme);
}

/** Places of a label above and below its line, from the right to the left, that are inside the picture. */
function clearPlaces(line: number, area: Area, box: { width: number; height: number }) {
  const steps = [1, 0, 0.75, 0.5, 0.25];
  const room = Math.max(0, area.width - box.width - 4);
  const lefts = steps.map((share) => area.left + 2 + share * room);
  const tops = [line - box.height - 2, line + 3].filter(
    (top) => top >= area.top - 4 && top + box.height <= area.top + area.height + 2,
  );
  return lefts.flatMap((left) => tops.map((top) => ({ left, top })));
}

function crossingsOf(box: Area, taken: TakenBetween): number {
  const width = box.width / 6;
  return Array.from({ length: 6 }, (_, step) => {
    const left = box.left + step * width;
    const inside = taken(left, left + width).filter(
      ([upper, lower]) => lower > box.top - 3 && upper < box.top + box.height + 3,
    );
    return inside.length;
  }).reduce((sum, count) => sum + count, 0);
}
