import type { TableColumn } from '#renderer/ui/table/types.ts';

/** Prefix of the id of a parameter column. */
const paramPrefix = 'p.';

/** Returns the id of the column of this parameter. */
export function getParamColumnId(path: string): string {
  return paramPrefix + path;
}

/** Whether a parameter can be a column: commas separate the columns in the URL and the parameters in a request. */
export function canBeColumn(path: string): boolean {
  return !path.includes(',');
}

/** Returns the parameter paths among chosen column ids, at most `maximum`. */
export function getParams(columnIds: readonly string[], maximum: number): string[] {
  return columnIds
    .filter((id) => id.startsWith(paramPrefix))
    .map((id) => id.slice(paramPrefix.length))
    .slice(0, maximum);
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
