import { csvOf } from '#renderer/components/table/csv.ts';
import type { ExhibitFile } from '#renderer/state/exhibits.ts';
import type { ViewOptions } from './ChartCanvas.tsx';
import { pictureSize, svgFile, type PictureText } from './export-picture.ts';
import type { Figure } from './figure.ts';
import { kindOf } from './kinds.ts';
import { lightTheme } from './theme.ts';

const width = '85 mm';

/** A figure as it goes into an archive: SVG and, but for heat maps, LaTeX, as wide as a column; all of its numbers as CSV. */
export async function figureFiles(
  figure: Figure,
  options: ViewOptions,
  text: PictureText,
  screen: { width: number; height: number },
): Promise<ExhibitFile[]> {
  const { pgfplotsFile } = await import('./pgfplots/file.ts');
  const { columns, rows } = kindOf(figure).table(figure);
  const source = pgfplotsFile(figure, { ...options, width, theme: lightTheme() }, text);
  const svg = await svgFile(figure, options, text, pictureSize(figure, width, screen));
  return [
    { ending: 'svg', content: svg },
    ...(source === null ? [] : [{ ending: 'tex', content: source }]),
    { ending: 'csv', content: csvOf(columns, rows) },
  ];
}
