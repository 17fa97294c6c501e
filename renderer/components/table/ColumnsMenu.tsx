import { Popover } from '@kobalte/core/popover';
import { createMemo, For, Show, type JSX } from 'solid-js';
import { Button } from '#renderer/components/Button.tsx';
import { Icon } from '#renderer/components/Icon.tsx';
import { chooseDensity, tableDensity } from '#renderer/state/density.ts';
import { addColumn, moveColumn } from './columns.ts';
import type { TableModel } from './table-model.ts';
import type { TableColumn } from './types.ts';

interface ColumnsMenuProps<Row> {
  table: TableModel<Row>;
  more?: JSX.Element;
  size: 'small' | 'normal';
}

/** Chooses and orders columns, hides those whose values are equal, sets the density. */
export function ColumnsMenu<Row extends object>(props: ColumnsMenuProps<Row>): JSX.Element {
  return (
    <Popover gutter={4} placement="bottom-end">
      <Popover.Trigger class={`button button-plain button-${props.size}`}>
        <Icon name="columns" size={14} />
        Columns
      </Popover.Trigger>
      <Popover.Portal>
        <Popover.Content class="popover columns-menu">
          <Popover.Title class="visually-hidden">Columns</Popover.Title>
          <div class="popover-options">
            <label class="check">
              <input
                type="checkbox"
                checked={props.table.hidesEqual()}
                onChange={(event) => props.table.setHidesEqual(event.currentTarget.checked)}
              />
              Hide columns whose values are all equal
            </label>
            <Show when={props.table.hidesEqual()}>
              <p class="field-note muted">{hiddenWords(props.table.hiddenAsEqual())}</p>
            </Show>
            <label class="check">
              <input
                type="checkbox"
                checked={tableDensity() === 'compact'}
                onChange={(event) =>
                  chooseDensity(event.currentTarget.checked ? 'compact' : 'normal')
                }
              />
              Compact rows
            </label>
          </div>
          <ColumnList table={props.table} />
          {props.more}
          <div class="popover-foot">
            <Button size="small" onClick={() => props.table.choose(null)}>
              Columns as at first
            </Button>
          </div>
        </Popover.Content>
      </Popover.Portal>
    </Popover>
  );
}

function hiddenWords(hidden: readonly { header: string }[]): string {
  if (hidden.length === 0) return 'No column has equal values in all rows shown.';
  return `Hidden: ${hidden.map(({ header }) => header).join(', ')}`;
}

function ColumnList<Row extends object>(props: { table: TableModel<Row> }): JSX.Element {
  const byId = createMemo(
    () => new Map(props.table.options.columns.map((column) => [column.id, column])),
  );
  const others = createMemo(() =>
    props.table.options.columns
      .map((column) => column.id)
      .filter((id) => !props.table.chosen().includes(id)),
  );
  const toggle = (id: string, isShown: boolean): void => {
    const chosen = props.table.chosen();
    const order = props.table.options.columns.map((column) => column.id);
    props.table.choose(
      isShown ? addColumn(chosen, id, order) : chosen.filter((other) => other !== id),
    );
  };
  return (
    <ul class="column-list">
      <For each={[...props.table.chosen(), ...others()]}>
        {(id) => (
          <Show when={byId().get(id)}>
            {(column) => (
              <ColumnItem
                column={column()}
                isShown={props.table.chosen().includes(id)}
                onToggle={(isShown) => toggle(id, isShown)}
                onMove={(step) => props.table.choose(moveColumn(props.table.chosen(), id, step))}
              />
            )}
          </Show>
        )}
      </For>
    </ul>
  );
}

interface ColumnItemProps<Row> {
  column: TableColumn<Row>;
  isShown: boolean;
  onToggle: (isShown: boolean) => void;
  onMove: (step: -1 | 1) => void;
}

function ColumnItem<Row>(props: ColumnItemProps<Row>): JSX.Element {
  return (
    <li>
      <label class="check">
        <input
          type="checkbox"
          checked={props.isShown}
          disabled={props.column.fixed === true}
          onChange={(event) => props.onToggle(event.currentTarget.checked)}
        />
        <span class="column-name">{props.column.header}</span>
      </label>
      <Show when={props.isShown}>
        <For each={[-1, 1] as const}>
          {(step) => (
            <button
              type="button"
              class="icon-button icon-button-small"
              aria-label={`Move ${props.column.header} ${step < 0 ? 'earlier' : 'later'}`}
              onClick={() => props.onMove(step)}
            >
              <Icon name={step < 0 ? 'up' : 'descending'} size={12} />
            </button>
          )}
        </For>
      </Show>
    </li>
  );
}
