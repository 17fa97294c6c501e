import { escapeLatex, latexNumber } from './latex-text.ts';
import { type Cell, type Column, printNumber, type Row, type Table } from './table.ts';

/**
 * The tables as a LaTeX fragment that needs nothing but the package `booktabs`: one floating table each,
 * with caption, label, and notes below. Best values are bold.
 */
export function writeLatex(tables: readonly Table[]): string {
  return tables.map(latexTable).join('\n');
}

function latexTable(table: Table): string {
  const header = table.columns.map((column) => escapeLatex(column.header)).join(' & ');
  const notes = (table.notes ?? []).map(escapeLatex).join(' ');
  return [
    '\\begin{table}[htbp]',
    '\\centering',
    '\\small',
    '\\setlength{\\tabcolsep}{3pt}',
    `\\caption{${escapeLatex(table.caption)}}`,
    '\\smallskip',
    `\\label{tab:${table.id}}`,
    `\\begin{tabular}{${table.columns.map((column) => alignment(column, table.rows)).join('')}}`,
    '\\toprule',
    `${header} \\\\`,
    '\\midrule',
    ...table.rows.map((row) => `${latexRow(row, table.columns)} \\\\`),
    '\\bottomrule',
    '\\end{tabular}',
    ...(notes === '' ? [] : [`\\par\\smallskip\\footnotesize ${notes}`]),
    '\\end{table}',
    '',
  ].join('\n');
}

/** Text longer than this gets a column that wraps. */
const longestLine = 32;

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
  if (!row.best?.includes(column.key)) return text;
  return text.startsWith('$') ? `{\\boldmath${text}}` : `\\textbf{${text}}`;
}

function cellText(value: Cell, column: Column): string {
  if (typeof value === 'string') return escapeLatex(value);
  return latexNumber(printNumber(value, column.format));
}
