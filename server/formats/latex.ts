import { escapeLatex, latexNumber } from '#shared/latex-text.ts';
import { type Cell, type Column, printNumber, type Row, type Table } from './table.ts';

/** Tables of more rows would not fit on a page, and break over several. */
const longestFloat = 25;

/**
 * The tables as a LaTeX fragment that needs the package `booktabs`, with caption, label, and notes below.
 * Each floats, but those of more than 25 rows, which break over pages and need `longtable` too. Best values
 * are bold.
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
    `\\label{tab:${table.id}}`,
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

// The group keeps sizes and lengths from the text around the table.
function longTable(table: Table): string {
  return [
    '% needs \\usepackage{longtable}',
    '\\begingroup',
    '\\footnotesize',
    '\\setlength{\\tabcolsep}{2pt}',
    '\\setlength{\\LTcapwidth}{\\linewidth}',
    `\\begin{longtable}{${alignments(table)}}`,
    `\\caption{${escapeLatex(table.caption)}}`,
    `\\label{tab:${table.id}} \\\\`,
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

/** Text longer than this gets a column that wraps. */
const longestLine = 32;

function alignments({ columns, rows }: Table): string {
  return columns.map((column) => alignment(column, rows)).join('');
}

function alignment(column: Column, rows: readonly Row[]): string {
  if (column.format !== 'text') return 'r';
  const isLong = rows.some(({ cells }) => String(cells[column.key] ?? '').length > longestLine);
  return isLong ? 'p{0.3\\linewidth}' : 'l';
}

// A row that begins with a bracket would be read as the optional argument of the line break before it.
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
