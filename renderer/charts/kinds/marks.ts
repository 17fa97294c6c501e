import type { Mark, Scale } from '#renderer/charts/figure.ts';
import { noteAt, pixelOf, textSizes, type Picture } from '#renderer/charts/picture.ts';
import { withOpacity, type ChartTheme } from '#renderer/charts/theme.ts';
import { textWidth } from '#renderer/charts/ticks.ts';
import type { DrawnReferences } from './references.ts';

/**
 * What is said of stretches of x: a tinted field behind the curves with its label at the top, one below the other.
 * What is not seen is not drawn; a stretch of one value is a line.
 */
export function drawMarks(
  marks: readonly Mark[],
  picture: Pick<Picture, 'area' | 'ranges'>,
  scale: Scale,
  theme: ChartTheme,
): DrawnReferences {
  const { area } = picture;
  const { tick } = textSizes(theme);
  const drawn: DrawnReferences = { shapes: [], annotations: [] };
  const shareOf = (x: number): number => (pixelOf(picture, 'x', x, scale) - area.left) / area.width;
  for (const { label, from, to } of marks) {
    if (scale === 'log' && from <= 0) continue;
    const [start, end] = [Math.max(0, shareOf(from)), Math.min(1, shareOf(to))];
    if (!(start <= 1 && end >= 0)) continue;
    drawn.shapes.push({
      type: 'rect',
      xref: 'paper',
      yref: 'paper',
      x0: start,
      x1: end,
      y0: 0,
      y1: 1,
      layer: 'below',
      fillcolor: withOpacity(theme.accent, 0.1),
      line: { color: withOpacity(theme.accent, 0.5), width: 1 },
    });
    const room = area.width - textWidth(label, tick) - 4;
    const left = area.left + Math.max(0, Math.min(start * area.width + 3, room));
    const top = area.top + 2 + drawn.annotations.length * 1.5 * tick;
    drawn.annotations.push(noteAt(label, { left, top, area }, theme));
  }
  return drawn;
}
