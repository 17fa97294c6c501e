import { escapeLatex, latexNumber } from '#shared/latex-text.ts';
import { type Cell, type Column, labelOf, printNumber, type Row, type Table } from './table.ts';

/** Widths in points: of the lines of a document of 10 points, and of a character in `\\small` on average. */
const [linePoints, characterPoints] = [345, 4.9];

/** Maximum number of rows of a table that fits on one page. Longer tables break across pages. */
const longestFloat = 25;

/**
 * Returns tables as a LaTeX fragment with caption, label and notes. It needs the package `booktabs`. A table of more than
 * 25 rows does not float, breaks across pages, and needs `longtable` too. Text of a table that is wider than a line wraps; a
 * table whose numbers alone are wider is scaled to the line, and needs `graphicx` too, or in a `longtable` is printed
 * small. Best values are bold.
 */
export function writeLatex(tables: readonly Table[]): string {
  return tables
    .map((table) => (table.rows.length > longestFloat ? longTable(table) : floatingTable(table)))
    .join('\n');
}

function floatingTable(table: Table): string {
  const isWide = widthOf(table) > linePoints;
  return [
    ...(isWide ? ['% needs \\usepackage{graphicx}'] : []),
    '\\begin{table}[htbp]',
    '\\centering',
    '\\small',
    '\\setlength{\\tabcolsep}{3pt}',
    `\\caption{${escapeLatex(table.caption)}}`,
    '\\smallskip',
    `\\label{tab:${labelOf(table)}}`,
    ...(isWide ? ['\\resizebox{\\linewidth}{!}{%'] : []),
    `\\begin{tabular}{${alignments(table)}}`,
    ...headLines(table),
    ...bodyLines(table),
    '\\bottomrule',
    `\\end{tabular}${isWide ? '}' : ''}`,
    ...noteLines(table),
    '\\end{table}',
    '',
  ].join('\n');
}

// The group limits sizes and lengths to the table.
function longTable(table: Table): string {
  return [
    '% needs \\usepackage{longtable}',
    '\\begingroup',
    widthOf(table) > linePoints ? '\\tiny' : '\\footnotesize',
    '\\setlength{\\tabcolsep}{2pt}',
    '\\setlength{\\LTcapwidth}{\\linewidth}',
    `\\begin{longtable}{${alignments(table)}}`,
    `\\caption{${escapeLatex(table.caption)}}`,
    `\\label{tab:${labelOf(table)}} \\\\`,
    ...headLines(table),
    '\\endfirsthead',
    ...headLines(table),
    '\\endhead',
    '\\bottomrule',
    '\\endfoot',
    ...bodyLines(table),
    '\\end{longtable}',
    ...noteLines(table),
    '\\endgroup',
    '',
  ].join('\n');
}

function headLines({ columns }: Table): string[] {
  const header = columns.map((column) => escapeLatex(column.header)).join(' & ');
  return ['\\toprule', `${header} \\\\`, '\\midrule'];
}

function bodyLines({ rows, columns }: Table): string[] {
  return rows.map((row) => `${latexRow(row, columns)} \\\\`);
}

function noteLines({ notes = [] }: Table): string[] {
  return notes.length === 0
    ? []
    : [`\\par\\smallskip\\footnotesize ${notes.map(escapeLatex).join(' ')}`];
}

/** Text that is longer wraps in any table. */
const longestLine = 32;

/** A column of text wraps to no less than so many points. */
const narrowestPoints = 48;

/** A column as it is printed: its widest line in points without wrapping, and its share of the line if it wraps. */
interface PrintedColumn {
  isText: boolean;
  points: number;
  share: number | null;
}

/**
 * Returns the widths of the columns. Text wraps where it is long or the table is wider than a line; then wrapped columns
 * share what the others leave, but none gets more than it needs.
 */
function printedColumns({ columns, rows }: Table): PrintedColumn[] {
  const widths = columns.map((column) => {
    const lines = [
      column.header,
      ...rows.map(({ cells }) => printed(cells[column.key] ?? null, column)),
    ];
    const characters = Math.max(...lines.map((line) => line.length));
    return {
      isText: column.format === 'text',
      characters,
      points: characters * characterPoints + 6,
    };
  });
  const isWide = sum(widths.map(({ points }) => points)) > linePoints;
  const wraps = widths.map(
    ({ isText, characters, points }) =>
      isText && (characters > longestLine || (isWide && points > narrowestPoints)),
  );
  const fixed = sum(widths.flatMap(({ points }, index) => (wraps[index] ? [] : [points])));
  const wrapped = widths.filter((_, index) => wraps[index]).map(({ points }) => points);
  const room = linePoints - fixed;
  const level = fairLevel(wrapped, room);
  return widths.map(({ isText, points }, index) => {
    if (!wraps[index]) return { isText, points, share: null };
    const given = Math.max(narrowestPoints, Math.min(points, level));
    return { isText, points: given, share: Math.floor(((given - 6) / linePoints) * 1000) / 1000 };
  });
}

/** Returns the width at which columns are cut so that all of them fit into the room: the narrow ones stay whole. */
function fairLevel(points: readonly number[], room: number): number {
  let left = room;
  const rising = [...points].sort((one, other) => one - other);
  for (const [index, width] of rising.entries()) {
    const level = left / (rising.length - index);
    if (width > level) return level;
    left -= width;
  }
  return Infinity;
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

/** Returns the width of a table in points, with its wrapped columns. */
function widthOf(table: Table): number {
  return sum(printedColumns(table).map(({ points }) => points));
}

function alignments(table: Table): string {
  return printedColumns(table)
    .map(({ isText, share }) => (share === null ? (isText ? 'l' : 'r') : `p{${share}\\linewidth}`))
    .join('');
}

/** Returns the text of a cell as long as it is printed: "×10" is longer than "e". */
function printed(value: Cell, column: Column): string {
  if (typeof value === 'string') return value;
  return printNumber(value, column.format).replace('e', '×10');
}

// LaTeX reads a bracket at the start of a row as the optional argument of the previous line break.
function latexRow(row: Row, columns: readonly Column[]): string {
  const cells = columns.map((column) => latexCell(row, column));
  const line = cells.join(' & ');
  return /^[[*]/.test(line) ? `{}${line}` : line;
}

function latexCell(row: Row, column: Column): string {
  const text = cellText(row.cells[column.key] ?? null, column);
  if (row.marked?.includes(column.key)) return `${text}$^{*}$`;
  if (!row.best?.includes(column.key)) return text;
  return text.startsWith('$') ? `{\\boldmath${text}}` : `\\textbf{${text}}`;
}

function cellText(value: Cell, column: Column): string {
  if (typeof value === 'string') return escapeLatex(value);
  return latexNumber(printNumber(value, column.format));
}
