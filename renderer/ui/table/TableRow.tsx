import { createMemo, For, Show, type Accessor, type JSX } from 'solid-js';
import { noValue } from '#shared/number-format.ts';
import type { ColumnWindow } from './column-window.ts';
import { isFromInside } from './row-keys.ts';
import type { TableModel } from './table-model.ts';
import type { CellContext, CellValue, TableColumn } from './types.ts';

interface TableRowProps<Row> {
  table: TableModel<Row>;
  /** Undefined only while the row is being removed. */
  row: Accessor<Row | undefined>;
  index: number;
  columns: ColumnWindow<Row>;
  isActive: boolean;
  selectable: boolean;
  /** Buttons at the end of the row. */
  actions: TableColumn<Row>['cell'] | undefined;
  onActivate: () => void;
  onToggle: () => void;
  /** Absent where a row opens nothing. */
  onOpen: (() => void) | undefined;
}

/** One row; its element lives while its id is shown, its cells follow its values. */
export function TableRow<Row extends object>(props: TableRowProps<Row>): JSX.Element {
  const row = createMemo<Row | undefined>((last) => props.row() ?? last);
  const context: CellContext = { tabIndex: () => (props.isActive ? 0 : -1) };
  const isSelected = (): boolean => {
    const current = row();
    return current !== undefined && props.table.selected().has(props.table.options.rowId(current));
  };
  return (
    <tr
      tabIndex={context.tabIndex()}
      aria-rowindex={props.index + 2}
      aria-selected={props.selectable ? isSelected() : undefined}
      classList={{ 'row-selected': isSelected(), 'row-opens': props.onOpen !== undefined }}
      onFocusIn={() => props.onActivate()}
      onClick={(event) => isPlainClick(event) && props.onOpen?.()}
    >
      <Show when={props.selectable}>
        <td class="table-box">
          <input
            type="checkbox"
            aria-label="Select this row"
            tabIndex={-1}
            checked={isSelected()}
            onChange={() => props.onToggle()}
          />
        </td>
      </Show>
      <For each={props.columns.rendered()}>
        {(column) => (
          <>
            <OmittedCells count={props.columns.omittedBefore(column)} />
            <Cell
              column={column}
              align={props.table.align(column)}
              padding={props.table.padding(column, row() as Row)}
              row={row as Accessor<Row>}
              context={context}
              colIndex={props.columns.colIndex(column)}
              left={props.columns.left(column)}
            />
          </>
        )}
      </For>
      <OmittedCells count={props.columns.omittedAfter()} />
      <Show when={props.actions}>
        {(draw) => <td class="align-end table-actions">{draw()(row as Accessor<Row>, context)}</td>}
      </Show>
    </tr>
  );
}

/** The place of columns that are not rendered. */
function OmittedCells(props: { count: number }): JSX.Element {
  return (
    <Show when={props.count > 0}>
      <td aria-hidden="true" class="omitted-cells" colSpan={props.count} />
    </Show>
  );
}

interface WidthRowProps<Row> extends Pick<TableRowProps<Row>, 'table' | 'selectable' | 'actions'> {}

/**
 * A row without height of the widest cell of each column: columns keep their width with every rendered part of a table.
 */
export function WidthRow<Row extends object>(props: WidthRowProps<Row>): JSX.Element {
  const context: CellContext = { tabIndex: () => -1 };
  const first = (): Row => props.table.rows()[0] as Row;
  return (
    <tr class="table-widths" aria-hidden="true" inert>
      <Show when={props.selectable}>
        <td class="table-box" />
      </Show>
      <For each={props.table.columns()}>
        {(column) => {
          const row = (): Row => props.table.widest(column) ?? first();
          return (
            <Cell
              isOnlyWidth
              column={column}
              align={props.table.align(column)}
              padding={props.table.padding(column, row())}
              row={row}
              context={context}
            />
          );
        }}
      </For>
      <Show when={props.actions}>
        {(draw) => (
          <td class="table-actions">
            <div>{draw()(first, context)}</div>
          </td>
        )}
      </Show>
    </tr>
  );
}

/** Whether a click is for the row: not for a part of it or a dialog, and not the end of a text selection. */
function isPlainClick(event: MouseEvent): boolean {
  const isOfPart =
    event.target instanceof Element &&
    event.target.closest('a, button, input, .table-box, .table-actions') !== null;
  return isFromInside(event) && !isOfPart && getSelection()?.isCollapsed !== false;
}

interface CellProps<Row> {
  column: TableColumn<Row>;
  align: 'start' | 'end';
  /** Invisible text after a number. */
  padding: string;
  row: Accessor<Row>;
  context: CellContext;
  /** Position among all columns, where not all of them are rendered. */
  colIndex?: number | undefined;
  /** Distance of a column that stays from the left edge, in pixels. */
  left?: number | undefined;
  /** The cell takes no height. */
  isOnlyWidth?: boolean;
}

function Cell<Row>(props: CellProps<Row>): JSX.Element {
  const value = (): CellValue => props.column.value(props.row());
  const content = (
    <Show when={props.column.cell} fallback={formatCell(value())}>
      {(draw) => draw()(props.row, props.context)}
    </Show>
  );
  return (
    <td
      class={`align-${props.align}`}
      classList={{ 'column-stays': props.left !== undefined }}
      data-padding={(!props.isOnlyWidth && props.padding) || undefined}
      aria-colindex={props.colIndex}
      style={{
        ...(props.column.maxWidthChars && { '--widest': `${props.column.maxWidthChars}ch` }),
        ...(props.left !== undefined && { left: `${props.left}px` }),
      }}
      title={props.column.maxWidthChars ? formatCell(value()) : undefined}
    >
      <Show when={props.isOnlyWidth} fallback={content}>
        <div data-padding={props.padding || undefined}>{content}</div>
      </Show>
    </td>
  );
}

function formatCell(value: CellValue): string {
  return value === null || value === undefined || value === '' ? noValue : String(value);
}
