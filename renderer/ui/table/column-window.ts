import { createEffect, createMemo, createSignal, onCleanup, type Accessor } from 'solid-js';
import type { TableModel } from './table-model.ts';
import type { TableColumn } from './types.ts';
import { createVirtualRange } from './virtual-range.ts';

/** Maximum number of columns of a table that omits rows but no columns. */
const mostColumns = 24;

/** Width of a column until it is measured. */
const defaultPixels = 100;

/** The columns of a table whose cells are rendered. Headings always are. */
export interface ColumnWindow<Row> {
  rendered: Accessor<readonly TableColumn<Row>[]>;
  isRendered: (column: TableColumn<Row>) => boolean;
  /** Returns the number of omitted columns directly before a rendered one. */
  omittedBefore: (column: TableColumn<Row>) => number;
  omittedAfter: Accessor<number>;
  /** Number of all columns if some are omitted. */
  count: Accessor<number | undefined>;
  /** Returns the position of a column among all, from 1, if some are omitted. */
  colIndex: (column: TableColumn<Row>) => number | undefined;
  /** Returns the distance from the left edge in pixels at which a column stays; undefined for one that scrolls. */
  left: (column: TableColumn<Row>) => number | undefined;
  /** Follows the width of a heading until it is removed. */
  measure: (heading: HTMLElement, column: TableColumn<Row>) => void;
}

interface WindowOptions<Row> {
  scroller: Accessor<HTMLElement | null>;
  table: TableModel<Row>;
  /** Whether only a part of the table is rendered. */
  isVirtual: Accessor<boolean>;
}

/**
 * Creates the window of a table: all columns, or those in view if there are many. The fixed ones at the start stay in
 * view.
 */
export function createColumnWindow<Row>(options: WindowOptions<Row>): ColumnWindow<Row> {
  const { scroller, table, isVirtual } = options;
  const isOn = createMemo(() => isVirtual() && table.columns().length > mostColumns);
  const [widths, setWidths] = createSignal<ReadonlyMap<TableColumn<Row>, number>>(new Map());
  const getWidth = (column: TableColumn<Row> | undefined): number =>
    (column && widths().get(column)) ?? defaultPixels;
  const positions = createMemo(
    () => new Map(table.columns().map((column, index) => [column, index])),
  );
  const lefts = createMemo(() => {
    const own = new Map<TableColumn<Row>, number>();
    if (!isOn()) return own;
    let left = 0;
    for (const column of table.columns()) {
      if (column.fixed !== true) break;
      own.set(column, left);
      left += getWidth(column);
    }
    return own;
  });
  const range = createVirtualRange({
    scroller,
    count: () => (isOn() ? table.columns().length : 0),
    getPixels: (index) => getWidth(table.columns()[index]),
    sizes: widths,
    always: () => [...lefts().keys()].map((_, index) => index),
    overscan: () => 1,
    isHorizontal: true,
  });
  const rendered = createMemo(() =>
    isOn() ? range.indices().flatMap((index) => table.columns()[index] ?? []) : table.columns(),
  );
  const renderedSet = createMemo(() => new Set(rendered()));
  const observedColumns = new Map<Element, TableColumn<Row>>();
  const sizes = new ResizeObserver(() =>
    setWidths(
      new Map(
        Array.from(observedColumns, ([heading, column]) => [
          column,
          heading.getBoundingClientRect().width,
        ]),
      ),
    ),
  );
  onCleanup(() => sizes.disconnect());
  return {
    rendered,
    isRendered: (column) => renderedSet().has(column),
    omittedBefore: (column) =>
      isOn() ? range.omittedBefore(positions().get(column) ?? 0).count : 0,
    omittedAfter: () => (isOn() ? range.omittedAfter().count : 0),
    count: () => (isOn() ? table.columns().length : undefined),
    colIndex: (column) => (isOn() ? (positions().get(column) ?? 0) + 1 : undefined),
    left: (column) => lefts().get(column),
    measure: (heading, column) =>
      createEffect(() => {
        if (!isOn()) return;
        observedColumns.set(heading, column);
        sizes.observe(heading);
        onCleanup(() => {
          observedColumns.delete(heading);
          sizes.unobserve(heading);
        });
      }),
  };
}
