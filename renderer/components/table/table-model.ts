import { useSearchParams, type SearchParams } from '@solidjs/router';
import {
  columnOrderingFeature,
  columnVisibilityFeature,
  createSortedRowModel,
  createTable,
  rowSortingFeature,
  tableFeatures,
  type ColumnDef,
} from '@tanstack/solid-table';
import { createEffect, createMemo, createSignal, on, type Accessor } from 'solid-js';
import { readPreference, writePreference } from '#renderer/state/preferences.ts';
import {
  compareCells,
  equalColumns,
  formatColumns,
  formatSort,
  nextSort,
  parseColumns,
  parseSort,
  shownColumns,
} from './columns.ts';
import type { ChosenColumns, TableColumn, TableSort } from './types.ts';

/** What a table shows. Every member may be reactive but the names. */
export interface TableOptions<Row> {
  /** Under which the chosen columns are kept in this browser, and the name of its CSV file. */
  readonly name: string;
  /** Set before the names `sort`, `cols`, `equal` in the URL; '' for the one main table of a page. */
  readonly urlKey: string;
  readonly columns: readonly TableColumn<Row>[];
  readonly rows: readonly Row[];
  readonly rowId: (row: Row) => string;
  /** The sort while the URL names none; null leaves the rows as they come. */
  readonly initialSort?: TableSort | null;
  /** The rows come sorted: a heading only changes the URL. */
  readonly sortedByServer?: boolean;
  /** Names in the URL that a new sort makes void, such as the page. */
  readonly sortResets?: readonly string[];
}

/** A table's state and what follows from it, shared by the grid and its tools. */
export interface TableModel<Row> {
  readonly options: TableOptions<Row>;
  /** The rows as they stand, sorted. */
  readonly rows: Accessor<readonly Row[]>;
  /** The columns as they stand, in order. */
  readonly columns: Accessor<readonly TableColumn<Row>[]>;
  readonly sort: Accessor<TableSort | null>;
  toggleSort(column: TableColumn<Row>): void;
  /** Ids of the columns chosen (or shown at first), those hidden as equal among them. */
  readonly chosen: Accessor<readonly string[]>;
  choose(ids: ChosenColumns): void;
  /** Ids of the columns left out because all their values are equal. */
  readonly hiddenAsEqual: Accessor<readonly string[]>;
  readonly hidesEqual: Accessor<boolean>;
  setHidesEqual(hides: boolean): void;
  /** The rows selected by the user, those of other pages too, by id. */
  readonly selected: Accessor<ReadonlyMap<string, Row>>;
  setSelected(rows: ReadonlyMap<string, Row>): void;
}

const features = tableFeatures({
  columnVisibilityFeature,
  columnOrderingFeature,
  rowSortingFeature,
  sortedRowModel: createSortedRowModel(),
});

/** Makes the state of a table from reactive options; sort and columns live in the URL. */
export function createTableModel<Row extends object>(options: TableOptions<Row>): TableModel<Row> {
  const [search, setSearch] = useSearchParams<SearchParams>();
  const named = (name: string): string => `${options.urlKey}${name}`;
  const [selected, setSelected] = createSignal<ReadonlyMap<string, Row>>(new Map());

  const sort = createMemo(
    () =>
      parseSort(singleValue(search[named('sort')]), sortableIds(options.columns)) ??
      options.initialSort ??
      null,
  );
  const choice = createMemo(() => chosenColumns(search, options.urlKey, options.name));
  const chosen = createMemo(() => shownColumns(options.columns, choice()));
  const hidesEqual = (): boolean => search[named('equal')] === 'hidden';
  const hiddenAsEqual = createMemo(() =>
    hidesEqual()
      ? equalColumns(options.columns, options.rows).filter((id) => chosen().includes(id))
      : [],
  );

  const table = createTable<typeof features, Row>({
    features,
    get columns() {
      return options.columns.map(toColumnDef);
    },
    get data() {
      return options.rows;
    },
    getRowId: (row) => options.rowId(row),
    get manualSorting() {
      return options.sortedByServer === true;
    },
    get state() {
      const sorted = sort();
      const shown = new Set(chosen().filter((id) => !hiddenAsEqual().includes(id)));
      return {
        sorting: sorted ? [{ id: sorted.column, desc: sorted.direction === 'desc' }] : [],
        columnOrder: [...chosen()],
        columnVisibility: Object.fromEntries(
          options.columns.map((column) => [column.id, shown.has(column.id)]),
        ),
      };
    },
  });
  createEffect(
    on(
      () => options.rows,
      (rows) => setSelected((held) => freshened(held, rows, options.rowId)),
    ),
  );
  const byId = createMemo(() => new Map(options.columns.map((column) => [column.id, column])));
  const rows = createMemo(() => table.getRowModel().rows.map((row) => row.original));
  const columns = createMemo(() =>
    table.getVisibleLeafColumns().flatMap((column) => byId().get(column.id) ?? []),
  );

  return {
    options,
    sort,
    chosen,
    hidesEqual,
    hiddenAsEqual,
    selected,
    setSelected: (chosenRows) => setSelected(chosenRows),
    rows,
    columns,
    toggleSort: (column) => {
      const next = nextSort(sort(), column.id, firstDirection(column));
      const resets = (options.sortResets ?? []).map((name) => [name, undefined]);
      setSearch({ ...Object.fromEntries(resets), [named('sort')]: formatSort(next) });
    },
    choose: (ids) => {
      writePreference(`columns.${options.name}`, formatColumns(ids));
      setSearch({ [named('cols')]: formatColumns(ids) });
    },
    setHidesEqual: (hides) => setSearch({ [named('equal')]: hides ? 'hidden' : undefined }),
  };
}

/** The selected rows, those of them that came again with their new values; in the same order. */
function freshened<Row>(
  selected: ReadonlyMap<string, Row>,
  rows: readonly Row[],
  rowId: (row: Row) => string,
): ReadonlyMap<string, Row> {
  const fresh = rows.filter((row) => selected.has(rowId(row)));
  if (fresh.length === 0) return selected;
  return new Map([...selected, ...fresh.map((row): [string, Row] => [rowId(row), row])]);
}

/** Ids of the columns that the URL names, else those kept in this browser; null for those shown at first. */
export function chosenColumns(search: SearchParams, urlKey: string, name: string): ChosenColumns {
  return parseColumns(singleValue(search[`${urlKey}cols`]) ?? readPreference(`columns.${name}`));
}

/** The first of the values of a name that an edited URL repeats. */
function singleValue(value: string | string[] | undefined): string | undefined {
  return Array.isArray(value) ? value[0] : value;
}

function sortableIds<Row>(columns: readonly TableColumn<Row>[]): string[] {
  return columns.filter((column) => column.sortable !== false).map((column) => column.id);
}

function firstDirection<Row>(column: TableColumn<Row>): TableSort['direction'] {
  return (column.descendingFirst ?? column.align === 'end') ? 'desc' : 'asc';
}

function toColumnDef<Row extends object>(
  column: TableColumn<Row>,
): ColumnDef<typeof features, Row> {
  return {
    id: column.id,
    accessorFn: (row) => orderedValue(column.value(row)),
    sortUndefined: 'last',
    sortFn: (one, other, id) => compareCells(one.getValue(id) ?? null, other.getValue(id) ?? null),
  };
}

/** Missing values and NaN are undefined, which the table puts last in both directions. */
function orderedValue<Value>(value: Value): Value | undefined {
  return value === null || Number.isNaN(value) ? undefined : value;
}
