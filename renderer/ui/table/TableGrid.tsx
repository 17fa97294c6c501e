import {
  createEffect,
  createMemo,
  createSignal,
  For,
  on,
  onMount,
  Show,
  untrack,
  type JSX,
} from 'solid-js';
import { formatCount } from '#shared/number-format.ts';
import { getRowPixels } from '#renderer/state/density.ts';
import { createColumnWindow } from './column-window.ts';
import { isFromInside, moveRow } from './row-keys.ts';
import './table.css';
import { TableHead } from './TableHead.tsx';
import type { TableModel } from './table-model.ts';
import { TableRow, WidthRow } from './TableRow.tsx';
import type { TableColumn } from './types.ts';
import { createVirtualRange } from './virtual-range.ts';

/** Maximum numbers of rows and of cells up to which all of a table is rendered. */
const renderedWhole = { rows: 200, cells: 3000 };

/** Options of the grid of a table, in a card or in a page. */
export interface GridOptions<Row> {
  /** Called on Enter or a click on a row. */
  onOpen?: (row: Row) => void;
  /** Whether Space and a checkbox select rows. */
  selectable?: boolean;
  /** Buttons of a row, in a last column that Copy, CSV and the column menu omit. */
  actions?: TableColumn<Row>['cell'];
  /** Shown when there are no rows: a sentence or more. */
  empty: JSX.Element;
  /** The rows belong to the previous filter or page. */
  isPlaceholder?: boolean;
  /** Height at which the table starts to scroll; CSS length. */
  maxHeight?: string;
}

interface TableGridProps<Row> extends GridOptions<Row> {
  table: TableModel<Row>;
  /** Label of the table for screen readers. */
  label: string;
}

/**
 * Rows and columns of a table. One row has the keyboard focus (arrows, Home, End and Page keys move it). Rows are keyed
 * by id, so an update keeps focus, selection and scroll position.
 */
export function TableGrid<Row extends object>(props: TableGridProps<Row>): JSX.Element {
  const [scroller, setScroller] = createSignal<HTMLDivElement | null>(null);
  let element: HTMLDivElement | undefined;
  // Before it is in the document, the element belongs to a window without layout.
  onMount(() => setScroller(element ?? null));
  const [active, setActive] = createSignal<{ id: string; index: number } | null>(null);
  const rowId = (row: Row): string => props.table.options.rowId(row);
  const byId = createMemo(() => new Map(props.table.rows().map((row) => [rowId(row), row])));
  const ids = createMemo(() => [...byId().keys()]);
  const positions = createMemo(() => new Map(ids().map((id, index) => [id, index])));
  const activeId = createMemo(() => {
    const focused = active();
    if (focused && positions().has(focused.id)) return focused.id;
    return ids()[Math.min(focused?.index ?? 0, ids().length - 1)];
  });
  const activeIndex = (): number => positions().get(activeId() ?? '') ?? 0;
  const isVirtual = createMemo(
    () =>
      ids().length > renderedWhole.rows ||
      ids().length * props.table.columns().length > renderedWhole.cells,
  );
  const columns = createColumnWindow({
    scroller,
    table: untrack(() => props.table),
    isVirtual,
  });
  // The range needs the height once per row, and reading it from the style sheet takes microseconds.
  const rowPixels = createMemo(getRowPixels);
  const range = createVirtualRange({
    scroller,
    count: () => (isVirtual() ? ids().length : 0),
    getPixels: rowPixels,
    sizes: rowPixels,
    // Tab leads to it, and it keeps the focus while the user scrolls elsewhere.
    always: () => [activeIndex()],
    // The rows of a table with many columns are expensive.
    overscan: () => (columns.count() === undefined ? 12 : 2),
  });
  const renderedIds = createMemo(() =>
    isVirtual() ? range.indices().flatMap((index) => ids()[index] ?? []) : ids(),
  );

  const focusRow = (index: number): void => {
    const id = ids()[index];
    if (id === undefined) return;
    setActive({ id, index });
    if (isVirtual()) range.scrollTo(index);
    const row = getRowElement(scroller(), index);
    // A row far away is rendered first.
    if (row) row.focus();
    else requestAnimationFrame(() => getRowElement(scroller(), index)?.focus());
  };
  const open = (id: string): void => {
    const row = byId().get(id);
    if (row) props.onOpen?.(row);
  };
  const toggle = (id: string): void => {
    const row = byId().get(id);
    if (!props.selectable || !row) return;
    const next = new Map(props.table.selected());
    if (!next.delete(id)) next.set(id, row);
    props.table.setSelected(next);
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    const id = activeId();
    if (id === undefined || !isFromInside(event)) return;
    const from = positions().get(id) ?? 0;
    const index = moveRow(event.key, from, ids().length);
    // Enter and Space belong to a link, button or checkbox inside a row.
    const isOfRow = event.target instanceof HTMLTableRowElement;
    if (event.key === 'ArrowUp' && from === 0) focusHeading(scroller());
    else if (index !== null) focusRow(index);
    else if (isOfRow && event.key === 'Enter' && props.onOpen) open(id);
    else if (isOfRow && event.key === ' ' && props.selectable) toggle(id);
    else return;
    event.preventDefault();
  };
  useFocusAfterRemoval(ids, scroller, activeIndex, focusRow);

  return (
    <div
      ref={(row) => (element = row)}
      class="table-scroll"
      classList={{ 'table-previous': props.isPlaceholder === true }}
      style={{ 'max-height': props.maxHeight }}
    >
      <table
        class="table"
        role="grid"
        aria-label={props.label}
        aria-rowcount={ids().length + 1}
        aria-colcount={columns.count()}
        aria-multiselectable={props.selectable ? true : undefined}
      >
        <TableHead
          table={props.table}
          columns={columns}
          selectable={props.selectable === true}
          hasActions={props.actions !== undefined}
          onDown={() => focusRow(activeIndex())}
        />
        <tbody onKeyDown={onKeyDown}>
          <Show when={isVirtual()}>
            <WidthRow
              table={props.table}
              selectable={props.selectable === true}
              actions={props.actions}
            />
          </Show>
          <For each={renderedIds()}>
            {(id) => (
              <>
                <OmittedRows pixels={range.omittedBefore(positions().get(id) ?? 0).pixels} />
                <TableRow
                  row={() => byId().get(id)}
                  index={positions().get(id) ?? 0}
                  table={props.table}
                  columns={columns}
                  isActive={activeId() === id}
                  selectable={props.selectable === true}
                  actions={props.actions}
                  onActivate={() => setActive({ id, index: positions().get(id) ?? 0 })}
                  onToggle={() => toggle(id)}
                  onOpen={props.onOpen && (() => open(id))}
                />
              </>
            )}
          </For>
          <OmittedRows pixels={isVirtual() ? range.omittedAfter().pixels : 0} />
        </tbody>
      </table>
      <Show when={isVirtual()}>
        <PrintedPart rows={renderedIds().length} of={ids().length} />
      </Show>
      <Show when={ids().length === 0}>
        <Show when={typeof props.empty === 'string'} fallback={props.empty}>
          <p class="card-empty">{props.empty}</p>
        </Show>
      </Show>
    </div>
  );
}

/** The space of rows that are not rendered. */
function OmittedRows(props: { pixels: number }): JSX.Element {
  return (
    <Show when={props.pixels > 0}>
      <tr aria-hidden="true" class="omitted-rows" style={{ height: `${props.pixels}px` }} />
    </Show>
  );
}

/** Line on paper that states which part of a large table is printed. */
export function PrintedPart(props: { rows: number; of: number }): JSX.Element {
  return (
    <p class="print-only">
      {formatCount(props.rows)} of {formatCount(props.of)} rows are printed: those in view. Export
      the table to get all of them.
    </p>
  );
}

function getRowElement(scroller: HTMLElement | null, index: number): HTMLElement | null {
  return scroller?.querySelector<HTMLElement>(`tr[aria-rowindex="${index + 2}"]`) ?? null;
}

function focusHeading(scroller: HTMLElement | null): void {
  scroller?.querySelector<HTMLElement>('thead button[tabindex="0"]')?.focus();
}

/** Moves the focus to the neighbour when an update removes the row with the focus. */
function useFocusAfterRemoval(
  ids: () => readonly string[],
  scroller: () => HTMLElement | null,
  activeIndex: () => number,
  focusRow: (index: number) => void,
): void {
  let hadFocus = false;
  createEffect(() => {
    const place = scroller();
    place?.addEventListener('focusin', () => (hadFocus = true));
    place?.addEventListener('focusout', (event) => {
      // A removed row loses the focus first and leaves the page right after.
      queueMicrotask(() => {
        if ((event.target as Element).isConnected) {
          hadFocus = place.contains(document.activeElement);
        }
      });
    });
  });
  createEffect(
    on(
      ids,
      () => {
        if (hadFocus && document.activeElement === document.body) focusRow(activeIndex());
      },
      { defer: true },
    ),
  );
}
