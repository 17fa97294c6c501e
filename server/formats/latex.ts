import { escapeLatex, latexNumber } from '#shared/latex-text.ts';
import { type Cell, type Column, labelOf, printNumber, type Row, type Table } from './table.ts';

/** Maximum number of rows of a table that fits on one page. Longer tables break across pages. */
const longestFloat = 25;

/**
 * Returns tables as a LaTeX fragment with caption, label and notes. It needs the package `booktabs`. A table of more than
 * 25 rows does not float, breaks across pages, and needs `longtable` too. Best values are bold.
 */
export function writeLatex(tables: readonly Table[]): string {
  return tables
    .map((table) => (table.rows.length > longestFloat ? longTable(table) : floatingTable(table)))
    .join('\n');
}

function floatingTable(table: Table): string {
  return [
    '\\begin{table}[htbp]',
    '\\centering',
    '\\small',
    '\\setlength{\\tabcolsep}{3pt}',
    `\\caption{${escapeLatex(table.caption)}}`,
    '\\smallskip',
    `\\label{tab:${labelOf(table)}}`,
    `\\begin{tabular}{${alignments(table)}}`,
    ...headLines(table),
    ...bodyLines(table),
    '\\bottomrule',
    '\\end{tabular}',
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
    '\\footnotesize',
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

/** A column with longer text wraps. */
const longestLine = 32;

function alignments({ columns, rows }: Table): string {
  return columns.map((column) => alignment(column, rows)).join('');
}

function alignment(column: Column, rows: readonly Row[]): string {
  if (column.format !== 'text') return 'r';
  const isLong = rows.some(({ cells }) => String(cells[column.key] ?? '').length > longestLine);
  return isLong ? 'p{0.3\\linewidth}' : 'l';
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
