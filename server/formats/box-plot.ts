import type { Box, ProblemComparison } from '#shared/schemas/analysis.ts';
import { formatFitness } from '#shared/number-format.ts';
import { makeInstanceSlug, describeInstance } from './descriptions.ts';
import { getLabel } from './table.ts';
import { getTextStart } from '#shared/syntax.ts';
import { escapeLatex, formatLatexNumber } from '#shared/latex-text.ts';

/** Boxes of several samples on one axis. */
export interface BoxPlot {
  name: 'boxes';
  /** Slug of the owner of the plot, as in a table: letters, digits and hyphens. */
  owner: string;
  caption: string;
  /** At least one row. Each box has at least one finite value. */
  rows: readonly { label: string; box: Box }[];
}

/** Lengths of the plot in millimetres. */
const plot = { left: 38, width: 76, height: 160, rowHeight: 7, axisHeight: 8, tick: 1 };

/**
 * Returns the boxes of the best fitness for the groups of a comparison, in their order. Omits groups without finite
 * values, and returns null if no group has a finite value. `owner` ends the label; the default is the slug of the
 * problem instance.
 */
export function makeComparisonBoxPlot(
  comparison: ProblemComparison,
  owner = makeInstanceSlug(comparison),
): BoxPlot | null {
  const rows = comparison.algorithms
    .filter(({ box }) => box.n > 0)
    .map(({ label, box }) => ({ label, box }));
  if (rows.length === 0) return null;
  return {
    name: 'boxes',
    owner,
    caption:
      `Best fitness of the completed runs on ${describeInstance(comparison)}: median, quartiles, whiskers to the ` +
      'most extreme values within 1.5 interquartile ranges, and the values beyond.',
    rows,
  };
}

/**
 * Returns the boxes as a LaTeX figure. It needs no package, because it uses LaTeX's own picture environment. Its axis
 * is linear, from the smallest to the largest value.
 */
export function writeBoxPlot({ name, owner, caption, rows }: BoxPlot): string {
  const limits = getLimits(rows.map(({ box }) => box));
  const toPosition = makeScale(limits);
  // Many rows have a smaller height, so the plot fits on one page.
  const rowHeight = Math.min(plot.rowHeight, plot.height / rows.length);
  const height = plot.axisHeight + rows.length * rowHeight;
  const pictures = rows.map(({ label, box }, index) => {
    const middle = height - (index + 0.5) * rowHeight;
    return [drawLabel(label, middle), ...drawBox(box, middle, rowHeight / 2, toPosition)].join(
      '\n',
    );
  });
  return [
    '\\begin{figure}[htbp]',
    '\\centering',
    '\\small',
    '\\setlength{\\unitlength}{1mm}',
    `\\begin{picture}(${plot.left + plot.width + 7},${formatLength(height)})`,
    ...drawAxis(limits, toPosition),
    ...pictures,
    '\\end{picture}',
    `\\caption{${escapeLatex(caption)}}`,
    `\\label{fig:${getLabel({ name, owner })}}`,
    '\\end{figure}',
    '',
  ].join('\n');
}

type Scale = (value: number) => number;

type Limits = [lowest: number, highest: number];

function getLimits(boxes: readonly Box[]): Limits {
  return [
    Math.min(...boxes.map(({ min }) => min ?? Infinity)),
    Math.max(...boxes.map(({ max }) => max ?? -Infinity)),
  ];
}

/**
 * Returns a function that returns the position of a value in millimetres; the middle of the axis if all values are
 * equal. The function halves values before it subtracts them, because the difference of two finite values may be
 * infinite.
 */
function makeScale([minimum, maximum]: Limits): Scale {
  const halfSpan = maximum / 2 - minimum / 2;
  const getShare = (value: number) => (halfSpan > 0 ? (value / 2 - minimum / 2) / halfSpan : 0.5);
  return (value) => plot.left + plot.width * getShare(value);
}

function drawAxis([minimum, maximum]: Limits, toPosition: Scale): string[] {
  const middle = minimum / 2 + maximum / 2;
  const y = plot.axisHeight - 1;
  const ticks = [...new Set([minimum, middle, maximum])].flatMap((value) => [
    drawLine(toPosition(value), y, 'down', plot.tick),
    placeContent(
      toPosition(value),
      y - 4.5,
      `\\makebox(0,0)[b]{${formatLatexNumber(formatFitness(value))}}`,
    ),
  ]);
  return [drawLine(plot.left, y, 'right', plot.width), ...ticks];
}

function drawLabel(label: string, middle: number): string {
  const truncatedLabel = label.length > 26 ? `${getTextStart(label, 25)}…` : label;
  return placeContent(plot.left - 3, middle, `\\makebox(0,0)[r]{${escapeLatex(truncatedLabel)}}`);
}

function drawBox(box: Box, middle: number, boxHeight: number, toPosition: Scale): string[] {
  const { q1, median, q3, whiskerLow, whiskerHigh, outliers } = box;
  if (q1 === null || median === null || q3 === null) return [];
  const bottom = middle - boxHeight / 2;
  const [left, right] = [toPosition(q1), toPosition(q3)];
  const [whiskerStart, whiskerEnd] = [toPosition(whiskerLow ?? q1), toPosition(whiskerHigh ?? q3)];
  const dots = new Set(outliers.map((value) => formatLength(toPosition(value))));
  return [
    drawLine(whiskerStart, middle, 'right', left - whiskerStart),
    drawLine(right, middle, 'right', whiskerEnd - right),
    ...[whiskerStart, whiskerEnd].map((x) =>
      drawLine(x, middle - boxHeight / 4, 'up', boxHeight / 2),
    ),
    ...[left, right].map((x) => drawLine(x, bottom, 'up', boxHeight)),
    ...[bottom, bottom + boxHeight].map((y) => drawLine(left, y, 'right', right - left)),
    `{\\linethickness{1pt}${drawLine(toPosition(median), bottom, 'up', boxHeight)}}`,
    ...Array.from(dots, (x) => `\\put(${x},${formatLength(middle)}){\\circle{1.2}}`),
  ];
}

const directions = { right: '(1,0)', up: '(0,1)', down: '(0,-1)' };

function drawLine(x: number, y: number, direction: keyof typeof directions, span: number): string {
  return placeContent(x, y, `\\line${directions[direction]}{${formatLength(span)}}`);
}

function placeContent(x: number, y: number, content: string): string {
  return `\\put(${formatLength(x)},${formatLength(y)}){${content}}`;
}

/** Returns the text of a length, rounded to 0.01 mm, which is below the resolution of printers. */
function formatLength(millimetres: number): string {
  return String(Number(millimetres.toFixed(2)));
}
