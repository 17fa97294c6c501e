import { escapeLatex, formatLatexNumber } from '#shared/latex-text.ts';
import { type Cell, type Column, getLabel, printNumber, type Row, type Table } from './table.ts';

/** Widths in points: a line of a document with 10-point type, and the average character in `\small`. */
const [linePoints, characterPoints] = [345, 4.9];

/** Maximum number of rows of a table on one page. Longer tables break across pages. */
const maximumFloatRows = 25;

/**
 * Returns tables as a LaTeX fragment with caption, label and notes. It needs the package `booktabs`. A table of more
 * than 25 rows does not float, breaks across pages, and needs `longtable` too. Text of more than 32 characters wraps.
 * In a table that is wider than a line, text in columns of more than 48 points wraps too. If the table is still wider,
 * LaTeX scales it to the line, which needs `graphicx`, or sets a `longtable` in smaller type. Values of `boldColumns`
 * are bold; those of `markedColumns` have an asterisk.
 */
export function writeLatex(tables: readonly Table[]): string {
  return tables
    .map((table) =>
      table.rows.length > maximumFloatRows ? formatLongTable(table) : formatFloatingTable(table),
    )
    .join('\n');
}

function formatFloatingTable(table: Table): string {
  const isWide = getWidth(table) > linePoints;
  return [
    ...(isWide ? ['% needs \\usepackage{graphicx}'] : []),
    '\\begin{table}[htbp]',
    '\\centering',
    '\\small',
    '\\setlength{\\tabcolsep}{3pt}',
    `\\caption{${escapeLatex(table.caption)}}`,
    '\\smallskip',
    `\\label{tab:${getLabel(table)}}`,
    ...(isWide ? ['\\resizebox{\\linewidth}{!}{%'] : []),
    `\\begin{tabular}{${formatAlignments(table)}}`,
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
  return [
    '% needs \\usepackage{longtable}',
    '\\begingroup',
    getWidth(table) > linePoints ? '\\tiny' : '\\footnotesize',
    '\\setlength{\\tabcolsep}{2pt}',
    '\\setlength{\\LTcapwidth}{\\linewidth}',
    `\\begin{longtable}{${formatAlignments(table)}}`,
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

/** Minimum width of a wrapped column in points. */
const minimumColumnPoints = 48;

/** Column in print: its width in points, and its share of the line if it wraps, else null. */
interface PrintedColumn {
  isText: boolean;
  points: number;
  share: number | null;
}

/**
 * Returns the widths of the columns. Text wraps if it is long, or in a table wider than a line if the column is wider
 * than {@link minimumColumnPoints}. Wrapped columns share the width that the other columns leave; none gets more than
 * it needs, or less than {@link minimumColumnPoints}.
 */
function measureColumns({ columns, rows }: Table): PrintedColumn[] {
  const widths = columns.map((column) => {
    const lines = [
      column.header,
      ...rows.map(({ cells }) => printCell(cells[column.key] ?? null, column)),
    ];
    const characters = Math.max(...lines.map((line) => line.length));
    return {
      isText: column.format === 'text',
      characters,
      points: characters * characterPoints + 6,
    };
  });
  const isWide = sum(widths.map(({ points }) => points)) > linePoints;
  const wrapFlags = widths.map(
    ({ isText, characters, points }) =>
      isText && (characters > maximumLineCharacters || (isWide && points > minimumColumnPoints)),
  );
  const fixedWidth = sum(widths.flatMap(({ points }, index) => (wrapFlags[index] ? [] : [points])));
  const wrappedWidths = widths.filter((_, index) => wrapFlags[index]).map(({ points }) => points);
  const availableWidth = linePoints - fixedWidth;
  const maximumWidth = findMaximumWidth(wrappedWidths, availableWidth);
  return widths.map(({ isText, points }, index) => {
    if (!wrapFlags[index]) return { isText, points, share: null };
    const width = Math.max(minimumColumnPoints, Math.min(points, maximumWidth));
    return { isText, points: width, share: Math.floor(((width - 6) / linePoints) * 1000) / 1000 };
  });
}

/**
 * Returns the maximum column width at which all columns fit into the available width; Infinity if they fit as they are.
 */
function findMaximumWidth(points: readonly number[], availableWidth: number): number {
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

/** Returns the width of a table in points, with its wrapped columns. */
function getWidth(table: Table): number {
  return sum(measureColumns(table).map(({ points }) => points));
}

function formatAlignments(table: Table): string {
  return measureColumns(table)
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
