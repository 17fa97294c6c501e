import { escapeLatex, formatLatexNumber, splitAtBreaks } from '#shared/latex-text.ts';
import { type Cell, type Column, getLabel, printNumber, type Row, type Table } from './table.ts';

/** Width in points of a line of a document with 10-point type. */
const linePoints = 345;

/**
 * A size of type in tables: its command, the average width of a character, and the space between columns. Both widths
 * are in points.
 */
interface TypeSize {
  command: string;
  characterPoints: number;
  gapPoints: number;
}

const floatingSize: TypeSize = { command: '\\small', characterPoints: 4.9, gapPoints: 6 };
const longSize: TypeSize = { command: '\\footnotesize', characterPoints: 4.7, gapPoints: 4 };
const smallestSize: TypeSize = { command: '\\tiny', characterPoints: 3.8, gapPoints: 4 };

/** Maximum number of rows of a table on one page. Longer tables break across pages. */
const maximumFloatRows = 25;

/**
 * Maximum number of lines of a table on one page with its caption and notes. Further lines would not fit on the page.
 */
const maximumFloatLines = 45;

/** Number of characters in a line of a caption or of notes, on average. */
const charactersPerLine = 80;

/**
 * Returns tables as a LaTeX fragment with caption, label and notes. It needs the package `booktabs`. A table of more
 * than 25 rows, or of more than about 45 lines with its caption and notes, does not float, breaks across pages, and
 * needs `longtable` too. Text of more than 32 characters wraps. In a table that is wider than a line, text of more than
 * 8 characters wraps too, but words of up to 24 characters do not break. If the table is still wider, LaTeX scales it
 * to the line, which needs `graphicx`. A `longtable` has smaller type instead. Values of `boldColumns` are bold; values
 * of `markedColumns` have an asterisk.
 */
export function writeLatex(tables: readonly Table[]): string {
  return tables
    .map((table) => (isLong(table) ? formatLongTable(table) : formatFloatingTable(table)))
    .join('\n');
}

function isLong({ rows, caption, notes = [] }: Table): boolean {
  const textLines = [caption, notes.join(' ')].map((text) =>
    Math.ceil(text.length / charactersPerLine),
  );
  return rows.length > maximumFloatRows || rows.length + sum(textLines) > maximumFloatLines;
}

function formatFloatingTable(table: Table): string {
  const isWide = getWidth(table, floatingSize) > linePoints;
  return [
    ...(isWide ? ['% needs \\usepackage{graphicx}'] : []),
    '\\begin{table}[htbp]',
    '\\centering',
    ...makeSizeLines(floatingSize),
    `\\caption{${escapeLatex(table.caption)}}`,
    '\\smallskip',
    `\\label{tab:${getLabel(table)}}`,
    ...(isWide ? ['\\resizebox{\\linewidth}{!}{%'] : []),
    `\\begin{tabular}{${formatAlignments(table, floatingSize)}}`,
    ...formatHead(table),
    ...formatBody(table),
    '\\bottomrule',
    `\\end{tabular}${isWide ? '}' : ''}`,
    ...makeNoteLines(table),
    '\\end{table}',
    '',
  ].join('\n');
}

// A LaTeX group limits the changed sizes and lengths to the table.
function formatLongTable(table: Table): string {
  const size = getWidth(table, longSize) > linePoints ? smallestSize : longSize;
  return [
    '% needs \\usepackage{longtable}',
    '\\begingroup',
    ...makeSizeLines(size),
    '\\setlength{\\LTcapwidth}{\\linewidth}',
    `\\begin{longtable}{${formatAlignments(table, size)}}`,
    `\\caption{${escapeLatex(table.caption)}}`,
    `\\label{tab:${getLabel(table)}} \\\\`,
    ...formatHead(table),
    '\\endfirsthead',
    ...formatHead(table),
    '\\endhead',
    '\\bottomrule',
    '\\endfoot',
    ...formatBody(table),
    '\\end{longtable}',
    ...makeNoteLines(table),
    '\\endgroup',
    '',
  ].join('\n');
}

function makeSizeLines({ command, gapPoints }: TypeSize): string[] {
  return [command, `\\setlength{\\tabcolsep}{${gapPoints / 2}pt}`];
}

function formatHead({ columns }: Table): string[] {
  const header = columns.map((column) => escapeLatex(column.header)).join(' & ');
  return ['\\toprule', `${header} \\\\`, '\\midrule'];
}

function formatBody({ rows, columns }: Table): string[] {
  return rows.map((row) => `${formatLatexRow(row, columns)} \\\\`);
}

function makeNoteLines({ notes = [] }: Table): string[] {
  return notes.length === 0
    ? []
    : [`\\par\\smallskip\\footnotesize ${notes.map(escapeLatex).join(' ')}`];
}

/** Maximum number of characters of a line of text. Longer text wraps in any table. */
const maximumLineCharacters = 32;

/** Minimum width of a wrapped column in average characters. */
const minimumColumnCharacters = 8;

/**
 * A printed column with its width in points. `share` is the part of the line that its text gets, or null if it does not
 * wrap.
 */
interface PrintedColumn {
  isText: boolean;
  points: number;
  share: number | null;
}

/**
 * Returns the widths of the columns. A column of text wraps if it is wider than {@link maximumLineCharacters}. If the
 * table is wider than a line, a column of text also wraps if it is wider than {@link minimumColumnCharacters}. Wrapped
 * columns share the width that the other columns leave. A wrapped column is at most as wide as its longest text. It is
 * at least as wide as {@link minimumColumnCharacters}, and as its longest part without a line break, which LaTeX would
 * otherwise print over the next column.
 */
function measureColumns(
  { columns, rows }: Table,
  { characterPoints, gapPoints }: TypeSize,
): PrintedColumn[] {
  const widths = columns.map((column) => {
    const texts = [
      column.header,
      ...rows.map(({ cells }) => printCell(cells[column.key] ?? null, column)),
    ];
    const lines = [...new Set(texts)].map(splitAtBreaks);
    const characters = Math.max(...lines.map((parts) => parts.join('').length));
    const longestPart = Math.max(...lines.flat().map(measurePart));
    return {
      isText: column.format === 'text',
      characters,
      points: characters * characterPoints + gapPoints,
      minimum: Math.max(minimumColumnCharacters, longestPart) * characterPoints + gapPoints,
    };
  });
  const isWide = sum(widths.map(({ points }) => points)) > linePoints;
  const wrapFlags = widths.map(
    ({ isText, characters }) =>
      isText &&
      (characters > maximumLineCharacters || (isWide && characters > minimumColumnCharacters)),
  );
  const fixedWidth = sum(widths.flatMap(({ points }, index) => (wrapFlags[index] ? [] : [points])));
  const wrappedWidths = widths.filter((_, index) => wrapFlags[index]);
  const maximumWidth = findMaximumWidth(wrappedWidths, linePoints - fixedWidth);
  return widths.map(({ isText, points, minimum }, index) => {
    if (!wrapFlags[index]) return { isText, points, share: null };
    const width = Math.max(minimum, Math.min(points, maximumWidth));
    return {
      isText,
      points: width,
      share: Math.floor(((width - gapPoints) / linePoints) * 1000) / 1000,
    };
  });
}

/** Returns the width of a part in average characters. Capitals and a few other characters are wider. */
function measurePart(part: string): number {
  const text = part.trimEnd();
  return text.length + 0.45 * (text.match(/[\p{Lu}mw%@]/gu)?.length ?? 0);
}

/** Widths of a wrapped column in points: the width without line breaks, and the minimum. */
interface WrappedWidths {
  points: number;
  minimum: number;
}

/**
 * Returns the maximum width at which all columns fit into the available width. This maximum does not apply to columns
 * with a larger minimum. Returns Infinity if the columns fit without a maximum. If the minimums do not fit, the columns
 * are wider than the available width.
 */
function findMaximumWidth(columns: readonly WrappedWidths[], availableWidth: number): number {
  const maximumWidth = shareWidth(
    columns.map(({ points }) => points),
    availableWidth,
  );
  const flexibleColumns = columns.filter(({ minimum }) => minimum <= maximumWidth);
  if (flexibleColumns.length === columns.length || flexibleColumns.length === 0)
    return maximumWidth;
  const otherColumns = columns.filter((column) => !flexibleColumns.includes(column));
  return findMaximumWidth(
    flexibleColumns,
    availableWidth - sum(otherColumns.map(({ minimum }) => minimum)),
  );
}

/**
 * Returns the maximum width at which columns of these widths fit into the available width; Infinity if they fit without
 * a maximum.
 */
function shareWidth(points: readonly number[], availableWidth: number): number {
  let remainingWidth = availableWidth;
  const ascendingWidths = [...points].sort((a, b) => a - b);
  for (const [index, width] of ascendingWidths.entries()) {
    const maximumWidth = remainingWidth / (ascendingWidths.length - index);
    if (width > maximumWidth) return maximumWidth;
    remainingWidth -= width;
  }
  return Infinity;
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

/** Returns the width of a table in points, after its columns wrap. */
function getWidth(table: Table, size: TypeSize): number {
  return sum(measureColumns(table, size).map(({ points }) => points));
}

function formatAlignments(table: Table, size: TypeSize): string {
  return measureColumns(table, size)
    .map(({ isText, share }) => (share === null ? (isText ? 'l' : 'r') : `p{${share}\\linewidth}`))
    .join('');
}

/** Returns a text about as long as the printed cell; a number has "×10" instead of "e". */
function printCell(value: Cell, column: Column): string {
  if (typeof value === 'string') return value;
  return printNumber(value, column.format).replace('e', '×10');
}

// LaTeX parses a bracket or an asterisk at the start of a row as an option of the previous line break.
function formatLatexRow(row: Row, columns: readonly Column[]): string {
  const cells = columns.map((column) => formatLatexCell(row, column));
  const line = cells.join(' & ');
  return /^[[*]/.test(line) ? `{}${line}` : line;
}

function formatLatexCell(row: Row, column: Column): string {
  const text = formatCell(row.cells[column.key] ?? null, column);
  if (row.markedColumns?.includes(column.key)) return `${text}$^{*}$`;
  if (!row.boldColumns?.includes(column.key)) return text;
  return text.startsWith('$') ? `{\\boldmath${text}}` : `\\textbf{${text}}`;
}

function formatCell(value: Cell, column: Column): string {
  if (typeof value === 'string') return escapeLatex(value);
  return formatLatexNumber(printNumber(value, column.format));
}
