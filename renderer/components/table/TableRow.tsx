import { createMemo, For, Show, type Accessor, type JSX } from 'solid-js';
import { noValue } from '#shared/number-format.ts';
import type { CellContext, CellValue, TableColumn } from './types.ts';

interface TableRowProps<Row> {
  /** Undefined only in the moment in which the row goes away. */
  row: Accessor<Row | undefined>;
  index: number;
  columns: readonly TableColumn<Row>[];
  isActive: boolean;
  isSelected: boolean;
  selectable: boolean;
  /** Buttons at the end of the row. */
  actions: TableColumn<Row>['cell'] | undefined;
  onActivate: () => void;
  onToggle: () => void;
  onOpen: () => void;
}

/** One row; its element lives as long as its id is shown, its cells follow its values. */
export function TableRow<Row extends object>(props: TableRowProps<Row>): JSX.Element {
  const row = createMemo<Row | undefined>((last) => props.row() ?? last);
  const context: CellContext = { tabIndex: () => (props.isActive ? 0 : -1) };
  return (
    <tr
      tabIndex={context.tabIndex()}
      aria-rowindex={props.index + 2}
      aria-selected={props.selectable ? props.isSelected : undefined}
      classList={{ 'row-selected': props.isSelected }}
      onFocusIn={() => props.onActivate()}
      onDblClick={() => props.onOpen()}
    >
      <Show when={props.selectable}>
        <td class="table-box">
          <input
            type="checkbox"
            aria-label="Select this row"
            tabIndex={-1}
            checked={props.isSelected}
            onChange={() => props.onToggle()}
          />
        </td>
      </Show>
      <For each={props.columns}>
        {(column) => <Cell column={column} row={row as Accessor<Row>} context={context} />}
      </For>
      <Show when={props.actions}>
        {(draw) => <td class="align-end table-actions">{draw()(row as Accessor<Row>, context)}</td>}
      </Show>
    </tr>
  );
}

interface CellProps<Row> {
  column: TableColumn<Row>;
  row: Accessor<Row>;
  context: CellContext;
}

function Cell<Row>(props: CellProps<Row>): JSX.Element {
  const value = (): CellValue => props.column.value(props.row());
  return (
    <td
      class={`align-${props.column.align ?? 'start'}`}
      style={
        props.column.maxWidthChars ? { 'max-width': `${props.column.maxWidthChars}ch` } : undefined
      }
      title={props.column.maxWidthChars ? cellText(value()) : undefined}
    >
      <Show when={props.column.cell} fallback={cellText(value())}>
        {(draw) => draw()(props.row, props.context)}
      </Show>
    </td>
  );
}

function cellText(value: CellValue): string {
  return value === null || value === undefined || value === '' ? noValue : String(value);
}
