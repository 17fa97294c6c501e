import { decodePathText } from '#renderer/state/url-kinds.ts';
import { makeDataColumnId } from '#renderer/ui/table/columns.ts';
import type { TableColumn } from '#renderer/ui/table/types.ts';

/** Prefix of the id of a parameter column, followed by the path. */
const paramPrefix = 'p.';

/**
 * Kind of the columns of parameters with a comma. Their ids encode the path, because commas separate ids in the URL.
 */
const encodedKind = 'p';
const encodedPrefix = makeDataColumnId(encodedKind, '');

/** Returns the id of the column of this parameter; it contains no comma. */
export function getParamColumnId(path: string): string {
  return path.includes(',') ? makeDataColumnId(encodedKind, path) : paramPrefix + path;
}

/** Returns the parameter of a column; null for other columns. */
function findParam(columnId: string): string | null {
  if (columnId.startsWith(paramPrefix)) return columnId.slice(paramPrefix.length);
  if (!columnId.startsWith(encodedPrefix)) return null;
  return decodePathText(columnId.slice(encodedPrefix.length));
}

/** Returns the parameter paths among chosen column ids, each once, at most `maximum`. */
export function getParams(columnIds: readonly string[], maximum: number): string[] {
  const paths = columnIds.flatMap((id) => findParam(id) ?? []);
  return [...new Set(paths.filter(Boolean))].slice(0, maximum);
}

/**
 * Returns the query `params` for these parameters. The service splits a single text at commas, but not several texts: a
 * single path with a comma is sent twice.
 */
export function makeParamsQuery(paths: readonly string[]): readonly string[] {
  const [path] = paths;
  return paths.length === 1 && path?.includes(',') ? [path, path] : paths;
}

const paramColumns = new Map<string, TableColumn<object>>();

/** Returns the column of a parameter; the same object for the same path, so that rendered cells stay. */
export function makeParamColumn(path: string): TableColumn<object> {
  const cached = paramColumns.get(path);
  if (cached) return cached;
  const column: TableColumn<object> = {
    id: getParamColumnId(path),
    header: path,
    term: null,
    align: 'auto',
    sortBy: `param:${path}`,
    maxWidthChars: 28,
    value: (row: { params?: Readonly<Record<string, string | null>> }) => row.params?.[path],
  };
  paramColumns.set(path, column);
  return column;
}
