import { createEffect, For, Show, type JSX } from 'solid-js';
import { Icon } from '#renderer/components/Icon.tsx';
import type { TableModel } from './table-model.ts';
import type { TableColumn } from './types.ts';

interface TableHeadProps<Row> {
  table: TableModel<Row>;
  selectable: boolean;
}

/** The headings; those that sort are buttons. */
export function TableHead<Row extends object>(props: TableHeadProps<Row>): JSX.Element {
  return (
    <thead>
      <tr aria-rowindex={1}>
        <Show when={props.selectable}>
          <th scope="col" class="table-box">
            <SelectAll table={props.table} />
          </th>
        </Show>
        <For each={props.table.columns()}>
          {(column) => <Heading table={props.table} column={column} />}
        </For>
      </tr>
    </thead>
  );
}

function Heading<Row>(props: { table: TableModel<Row>; column: TableColumn<Row> }): JSX.Element {
  const direction = () => {
    const sort = props.table.sort();
    return sort?.column === props.column.id ? sort.direction : null;
  };
  const sortable = (): boolean => props.column.sortable !== false;
  return (
    <th
      scope="col"
      class={`align-${props.column.align ?? 'start'}`}
      title={props.column.explanation}
      aria-sort={sortable() ? ariaSort(direction()) : undefined}
    >
      <Show when={sortable()} fallback={<span class="heading">{props.column.header}</span>}>
        <button
          type="button"
          class="heading heading-sort"
          classList={{ 'heading-sorted': direction() !== null }}
          onClick={() => props.table.toggleSort(props.column)}
        >
          {props.column.header}
          <span class="heading-arrow">
            <Show when={direction()}>
              {(shown) => <Icon name={shown() === 'asc' ? 'up' : 'descending'} size={12} />}
            </Show>
          </span>
        </button>
      </Show>
    </th>
  );
}

function ariaSort(direction: 'asc' | 'desc' | null): 'ascending' | 'descending' | 'none' {
  if (direction === null) return 'none';
  return direction === 'asc' ? 'ascending' : 'descending';
}

function SelectAll<Row>(props: { table: TableModel<Row> }): JSX.Element {
  const ids = () => props.table.rows().map((row) => props.table.options.rowId(row));
  const count = () => ids().filter((id) => props.table.selected().has(id)).length;
  const isAll = () => count() > 0 && count() === ids().length;
  let box: HTMLInputElement | undefined;
  createEffect(() => {
    if (box) box.indeterminate = count() > 0 && !isAll();
  });
  const toggle = (): void => {
    const next = new Map(props.table.selected());
    const all = isAll();
    for (const row of props.table.rows()) {
      const id = props.table.options.rowId(row);
      if (all) next.delete(id);
      else next.set(id, row);
    }
    props.table.setSelected(next);
  };
  return (
    <input
      ref={(element) => (box = element)}
      type="checkbox"
      aria-label="Select all rows shown"
      checked={isAll()}
      onChange={toggle}
    />
  );
}
