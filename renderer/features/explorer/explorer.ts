import { createMemo, type Accessor } from 'solid-js';
import { maximumParamColumns } from '#shared/words.ts';
import type { QueryValue } from '#renderer/api/client.ts';
import type { QueryState } from '#renderer/api/queries.ts';
import { isEqualData } from '#renderer/charts/equal-data.ts';
import { getParams, makeParamsQuery } from './param-columns.ts';
import {
  getColumnsInUrl,
  createTableModel,
  getSortInUrl,
  type TableModel,
} from '#renderer/ui/table/table-model.ts';
import { makeShownColumns } from '#renderer/ui/table/columns.ts';
import type { TableColumn, TableSort } from '#renderer/ui/table/types.ts';
import { createWindowSize } from '#renderer/state/window-size.ts';
import { useUrl } from '#renderer/state/url.ts';
import type { Filter } from './filters.ts';
import { createListState, type ListState } from './list-state.ts';

/** Query of a list: its filters, `page`, `size`, `sortBy`, `sortDir` and `params`. */
type ListQuery = Readonly<Record<string, QueryValue>>;

/** One page of a list. */
export interface ListResponse<Row> {
  items: Row[];
  total: number;
  totalPages: number;
}

/** The rows of a list. */
export interface ListQueryState<Row> extends QueryState<ListResponse<Row>> {
  /** The query that adds computed values to the rows, if a separate one does. */
  computed?: Pick<QueryState<unknown>, 'error' | 'retry'>;
}

/** Describes a list of the service that is filtered, sorted and paged by the URL. */
export interface ExplorerOptions<Row> {
  /** Key under which the chosen columns and the views are stored, and name of the CSV file. */
  name: string;
  /** Name of an item: "run", "experiment". */
  noun: string;
  filters: readonly Filter[];
  /** Returns the columns, with one for each of these parameters. */
  columns: (params: readonly string[]) => readonly TableColumn<Row>[];
  rowId: (row: Row) => string;
  defaultSort: TableSort;
  defaultSize?: number;
  /** All rows come in one response and are sorted in the browser: there are no pages. */
  isWhole?: boolean;
  /** COCO trials are among the rows, and hidden by default. */
  hasTrials?: boolean;
  /** Returns the query of the rows on the page. `isShown` states, reactively, whether a column is shown. */
  useRows: (
    query: Accessor<ListQuery>,
    isShown: (columnId: string) => boolean,
  ) => ListQueryState<Row>;
  /** Fetches the rows once, for the file of all pages; absent where all come in one response. */
  fetchRows?: (query: ListQuery) => Promise<ListResponse<Row>>;
}

/** A list with its state; see {@link createExplorer}. */
export interface Explorer<Row> {
  options: ExplorerOptions<Row>;
  list: ListState;
  table: TableModel<Row>;
  rows: ListQueryState<Row>;
  query: Accessor<ListQuery>;
}

/** Creates the state of a list from its description. */
export function createExplorer<Row extends object>(options: ExplorerOptions<Row>): Explorer<Row> {
  const url = useUrl();
  const isSortedByService = !options.isWhole;
  const named = { name: options.name, urlKey: '', isSortedByService };
  const list = createListState(options.filters, options.defaultSize ?? 25);
  // Compared by content, so that another order of the other columns sends no new request.
  const params = createMemo(
    () => getParams(getColumnsInUrl(url, named) ?? [], maximumParamColumns),
    undefined,
    { equals: isEqualData },
  );
  const columns = createMemo(() => options.columns(params()));
  const sort = createMemo(() =>
    getSortInUrl(url, { ...named, columns: columns(), defaultSort: options.defaultSort }),
  );
  const query = createMemo((): ListQuery => ({
    ...list.query(),
    ...(options.hasTrials && { trials: list.trials() }),
    sortBy: columns().find(({ id }) => id === sort()?.column)?.sortBy,
    sortDir: sort()?.direction,
    params: makeParamsQuery(params()),
  }));
  const size = createWindowSize();
  const visibleColumns = createMemo(
    () => new Set(makeShownColumns(columns(), getColumnsInUrl(url, named), size().width)),
  );
  const rows = options.useRows(query, (id) => visibleColumns().has(id));
  const table = createTableModel<Row>({
    ...named,
    get columns() {
      return columns();
    },
    get rows() {
      return rows.data?.items ?? [];
    },
    rowId: options.rowId,
    defaultSort: options.defaultSort,
  });
  return { options, list, table, rows, query };
}
