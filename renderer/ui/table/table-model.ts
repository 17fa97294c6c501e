import { createEffect, createMemo, createSignal, on, type Accessor } from 'solid-js';
import { readPreference, writePreference } from '#renderer/state/preferences.ts';
import { createWindowSize } from '#renderer/state/window-size.ts';
import { useUrl, type Url } from '#renderer/state/url.ts';
import {
  addHiddenColumns,
  findLongest,
  getAlignment,
  getLongestDecimals,
  getMeasuredRows,
  getPadding,
  getConstantColumnIds,
  formatColumns,
  formatSort,
  getNextSort,
  parseColumns,
  parseSort,
  makeShownColumns,
  makeSortableColumns,
  sortRows,
} from './columns.ts';
import type { ChosenColumns, TableColumn, TableSort } from './types.ts';

/** Options of a table. Every member except the names may be reactive. */
export interface TableOptions<Row> {
  /** Key under which this browser stores the chosen columns, and name of the CSV file. */
  readonly name: string;
  /** Prefix of `sort`, `cols` and `equal` in the URL; '' for the main table of a page. */
  readonly urlKey: string;
  readonly columns: readonly TableColumn<Row>[];
  readonly rows: readonly Row[];
  readonly rowId: (row: Row) => string;
  /** The sort while the URL names none; null keeps the given order. */
  readonly defaultSort?: TableSort | null;
  /** The rows come sorted: a heading only changes the URL, and the list returns to the first page. */
  readonly isSortedByService?: boolean;
}

/** State of a table, shared by the grid and its tools. */
export interface TableModel<Row> {
  readonly options: TableOptions<Row>;
  /** The shown rows, sorted. */
  readonly rows: Accessor<readonly Row[]>;
  /** The shown columns, in order. */
  readonly columns: Accessor<readonly TableColumn<Row>[]>;
  readonly sort: Accessor<TableSort | null>;
  /** Whether the column with this id cannot be hidden. */
  readonly isFixed: (id: string) => boolean;
  readonly isSortable: (column: TableColumn<Row>) => boolean;
  readonly toggleSort: (column: TableColumn<Row>) => void;
  readonly align: (column: TableColumn<Row>) => 'start' | 'end';
  /** Returns the invisible text after a number that aligns the decimal points of its column; '' for none. */
  readonly padding: (column: TableColumn<Row>, row: Row) => string;
  /** Returns the row with the longest text in a column; undefined without rows. */
  readonly widest: (column: TableColumn<Row>) => Row | undefined;
  /** Ids of the chosen (or default) columns, including those hidden as constant. */
  readonly visibleIds: Accessor<readonly string[]>;
  readonly choose: (ids: ChosenColumns) => void;
  /** The columns hidden because all their values are equal. */
  readonly hiddenConstantColumns: Accessor<readonly TableColumn<Row>[]>;
  readonly areConstantHidden: Accessor<boolean>;
  readonly hideConstant: (hides: boolean) => void;
  /** The rows selected by the user, also on other pages, by id. */
  readonly selected: Accessor<ReadonlyMap<string, Row>>;
  readonly setSelected: (rows: ReadonlyMap<string, Row>) => void;
}

type Sorting<Row> = Pick<
  TableOptions<Row>,
  'urlKey' | 'columns' | 'defaultSort' | 'isSortedByService'
>;

/** Returns the sort of a table from the URL; the default when the URL names no sortable column. */
export function getSortInUrl<Row>(url: Url, options: Sorting<Row>): TableSort | null {
  const [text] = url.texts(`${options.urlKey}sort`);
  const sortable = makeSortableColumns(options.columns, options.isSortedByService === true);
  const sort = parseSort(
    text,
    sortable.map(({ id }) => id),
  );
  return sort ?? options.defaultSort ?? null;
}

/** Returns the column ids from the URL, else those stored in this browser; null for the default ones. */
export function getColumnsInUrl(
  url: Url,
  { urlKey, name }: { urlKey: string; name: string },
): ChosenColumns {
  return parseColumns(url.texts(`${urlKey}cols`)[0] ?? readPreference(`columns.${name}`));
}

/** Creates the state of a table from reactive options; sort and columns are in the URL. */
export function createTableModel<Row extends object>(options: TableOptions<Row>): TableModel<Row> {
  const url = useUrl();
  const getUrlName = (name: string): string => `${options.urlKey}${name}`;
  const [selected, setSelected] = createSignal<ReadonlyMap<string, Row>>(new Map());
  const size = createWindowSize();
  const sort = createMemo(() => getSortInUrl(url, options));
  const visibleIds = createMemo(() =>
    makeShownColumns(options.columns, getColumnsInUrl(url, options), size().width),
  );
  const byId = createMemo(() => new Map(options.columns.map((column) => [column.id, column])));
  const areConstantHidden = (): boolean => url.texts(getUrlName('equal'))[0] === 'hidden';
  const chosenColumns = createMemo(() => visibleIds().flatMap((id) => byId().get(id) ?? []));
  const constantIds = createMemo(() =>
    areConstantHidden()
      ? new Set(getConstantColumnIds(chosenColumns(), options.rows))
      : new Set<string>(),
  );
  const sortable = createMemo(
    () => new Set(makeSortableColumns(options.columns, options.isSortedByService === true)),
  );
  const rows = createMemo(() => {
    const sorted = sort();
    const column = sorted && !options.isSortedByService ? byId().get(sorted.column) : undefined;
    return sorted && column ? sortRows(options.rows, column, sorted.direction) : options.rows;
  });
  const alignments = createMemo(
    () => new Map(chosenColumns().map((column) => [column, getAlignment(column, options.rows)])),
  );
  const measuredRows = createMemo(() => getMeasuredRows(options.rows));
  const decimals = createMemo(
    () =>
      new Map(
        chosenColumns().map((column) => {
          const { print } = column;
          return [column, print ? getLongestDecimals(measuredRows().map(print)) : ''];
        }),
      ),
  );
  const padding = (column: TableColumn<Row>, row: Row): string =>
    column.print ? getPadding(column.print(row), decimals().get(column) ?? '') : '';
  const hiddenConstantColumns = createMemo(() =>
    chosenColumns().filter(({ id }) => constantIds().has(id)),
  );
  const columns = createMemo(() => chosenColumns().filter(({ id }) => !constantIds().has(id)));
  createEffect(
    on(
      () => options.rows,
      (fresh) => setSelected((previous) => refreshSelection(previous, fresh, options.rowId)),
    ),
  );

  const getText = (column: TableColumn<Row>, row: Row): string =>
    column.measure?.(row) ??
    (column.print ? column.print(row) + padding(column, row) : String(column.value(row) ?? ''));
  const widest = (column: TableColumn<Row>): Row | undefined =>
    measuredRows()[findLongest(measuredRows().map((row) => getText(column, row)))];

  return {
    options,
    padding,
    widest,
    sort,
    visibleIds,
    areConstantHidden,
    selected,
    rows,
    hiddenConstantColumns,
    columns,
    setSelected: (chosenRows) => setSelected(chosenRows),
    isFixed: (id) => byId().get(id)?.fixed === true,
    isSortable: (column) => sortable().has(column),
    align: (column) => alignments().get(column) ?? 'start',
    toggleSort: (column) =>
      url.write(
        {
          [getUrlName('sort')]: formatSort(getNextSort(sort(), column)),
          ...(options.isSortedByService && { [getUrlName('page')]: undefined }),
        },
        'push',
      ),
    choose: (ids) => {
      const text = formatColumns(ids && addHiddenColumns(options.columns, ids));
      writePreference(`columns.${options.name}`, text);
      url.write({ [getUrlName('cols')]: text ?? undefined }, 'push');
    },
    hideConstant: (hides) =>
      url.write({ [getUrlName('equal')]: hides ? 'hidden' : undefined }, 'replace'),
  };
}

/** Returns the selected rows in the same order, replaced by their new values where they came again. */
function refreshSelection<Row>(
  selected: ReadonlyMap<string, Row>,
  rows: readonly Row[],
  rowId: (row: Row) => string,
): ReadonlyMap<string, Row> {
  if (selected.size === 0) return selected;
  const fresh = rows.filter((row) => selected.has(rowId(row)));
  if (fresh.length === 0) return selected;
  return new Map([...selected, ...fresh.map((row): [string, Row] => [rowId(row), row])]);
}
