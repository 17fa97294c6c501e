import { createMemo, For, Show, type Accessor, type JSX } from 'solid-js';
import { noValue } from '#shared/number-format.ts';
import type { TableModel } from './table-model.ts';
import type { CellContext, CellValue, TableColumn } from './types.ts';

interface TableRowProps<Row> {
  table: TableModel<Row>;
  /** Undefined only while the row is being removed. */
  row: Accessor<Row | undefined>;
  index: number;
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
      <For each={props.table.columns()}>
        {(column) => (
          <Cell
            column={column}
            align={props.table.align(column)}
            padding={props.table.padding(column, row() as Row)}
            row={row as Accessor<Row>}
            context={context}
          />
        )}
      </For>
      <Show when={props.actions}>
        {(draw) => <td class="align-end table-actions">{draw()(row as Accessor<Row>, context)}</td>}
      </Show>
    </tr>
  );
}

/** Whether a click is for the row: not for a part of it, and not the end of a text selection. */
function isPlainClick(event: MouseEvent): boolean {
  const isOfPart =
    event.target instanceof Element &&
    event.target.closest('a, button, input, .table-box, .table-actions') !== null;
  return !isOfPart && getSelection()?.isCollapsed !== false;
}

interface CellProps<Row> {
  column: TableColumn<Row>;
  align: 'start' | 'end';
  /** Invisible text after a number. */
  padding: string;
  row: Accessor<Row>;
  context: CellContext;
}

function Cell<Row>(props: CellProps<Row>): JSX.Element {
  const value = (): CellValue => props.column.value(props.row());
  return (
    <td
      class={`align-${props.align}`}
      data-padding={props.padding || undefined}
      style={
        props.column.maxWidthChars ? { '--widest': `${props.column.maxWidthChars}ch` } : undefined
      }
      title={props.column.maxWidthChars ? formatCell(value()) : undefined}
    >
      <Show when={props.column.cell} fallback={formatCell(value())}>
        {(draw) => draw()(props.row, props.context)}
      </Show>
    </td>
  );
}

function formatCell(value: CellValue): string {
  return value === null || value === undefined || value === '' ? noValue : String(value);
}
