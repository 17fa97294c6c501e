import { escapeLatex } from '#shared/latex-text.ts';
import type { PictureText } from '#renderer/charts/export-picture.ts';
import type { Figure } from '#renderer/charts/figure.ts';
import type { ChartTheme } from '#renderer/charts/theme.ts';
import { boxesSource } from './boxes.ts';
import { histogramSource } from './histogram.ts';
import { linesSource } from './lines.ts';
import { ranksSource } from './ranks.ts';
import type { TexOptions, TexPlot } from './tex.ts';

/** Why there is no LaTeX for a figure. */
export const noHeatMap =
  'A heat map cannot be exported for pgfplots: it has more cells than LaTeX can draw. Its SVG has all of them.';

/**
 * The picture as a LaTeX figure that has its data inside, with colours, dashes and marks of the screen, title and
 * caption as its caption. It compiles where `pgfplots` is loaded; text is 7 points high at least. Null for a heat map.
 */
export function pgfplotsFile(
  figure: Figure,
  options: TexOptions,
  { title, caption }: PictureText,
): string | null {
  const plot = plotOf(figure, options);
  if (plot === null) return null;
  const { body, isThinned } = plot;
  return [
    '% Needs \\usepackage{pgfplots} and \\pgfplotsset{compat=1.16} before \\begin{document}.',
    ...(isThinned ? ['% Long curves keep their extremes only; the CSV has all points.'] : []),
    '\\begin{figure}[htbp]',
    '\\centering',
    ...colorsOf(options.theme),
    '\\begin{tikzpicture}',
    ...body,
    '\\end{tikzpicture}',
    `\\caption{${escapeLatex(`${title}. ${caption}`)}}`,
    '\\end{figure}',
    '',
  ].join('\n');
}

function plotOf(figure: Figure, options: TexOptions): TexPlot | null {
  if (figure.kind === 'heatmap') return null;
  if (figure.kind === 'lines') return linesSource(figure, options);
  if (figure.kind === 'boxes') return boxesSource(figure, options);
  if (figure.kind === 'histogram') return histogramSource(figure, options);
  return ranksSource(figure, options);
}

function colorsOf({ series, muted, accent, grid, text }: ChartTheme): string[] {
  const named = { muted, accent, grid, text };
  return [
    ...series.map((color, place) => colorLine(`series${place + 1}`, color)),
    ...Object.entries(named).map(([name, color]) => colorLine(`evo${name}`, color)),
  ];
}

/** Anything but "#rrggbb" is black. */
function colorLine(name: string, color: string): string {
  const [, digits = '000000'] = /^#([0-9a-f]{6})$/i.exec(color) ?? [];
  return `\\definecolor{${name}}{HTML}{${digits.toUpperCase()}}`;
}
