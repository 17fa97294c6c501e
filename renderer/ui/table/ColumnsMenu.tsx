import { createMemo, For, Show, type JSX } from 'solid-js';
import { Button } from '#renderer/ui/Button.tsx';
import { Check } from '#renderer/ui/Check.tsx';
import { Icon } from '#renderer/ui/Icon.tsx';
import { Keyed } from '#renderer/ui/Keyed.tsx';
import { Popover } from '#renderer/ui/Popover.tsx';
import { chooseDensity, tableDensity } from '#renderer/state/density.ts';
import { addColumn, moveColumn } from './columns.ts';
import type { TableModel } from './table-model.ts';
import type { TableColumn } from './types.ts';
import './columns-menu.css';

interface ColumnsMenuProps<Row> {
  table: TableModel<Row>;
  more?: JSX.Element;
  size: 'small' | 'normal';
}

/** Menu to choose and reorder columns, hide constant columns and set the density. */
export function ColumnsMenu<Row extends object>(props: ColumnsMenuProps<Row>): JSX.Element {
  return (
    <Popover
      label="Columns"
      placement="bottom-end"
      class="columns-menu"
      buttonClass={`button button-plain button-${props.size}`}
      button={
        <>
          <Icon name="columns" size={14} />
          Columns
        </>
      }
    >
      <div class="popover-options">
        <Check checked={props.table.areConstantHidden()} onChange={props.table.hideConstant}>
          Hide constant columns
        </Check>
        <Show when={props.table.areConstantHidden()}>
          <p class="field-note muted">{describeHidden(props.table.hiddenConstantColumns())}</p>
        </Show>
        <Check
          checked={tableDensity() === 'compact'}
          onChange={(isCompact) => chooseDensity(isCompact ? 'compact' : 'normal')}
        >
          Compact rows
        </Check>
      </div>
      <ColumnList table={props.table} />
      {props.more}
      <div class="popover-foot">
        <Button size="small" onClick={() => props.table.choose(null)}>
          Reset columns
        </Button>
      </div>
    </Popover>
  );
}

function describeHidden(hidden: readonly { header: string }[]): string {
  if (hidden.length === 0) return 'No constant columns on this page.';
  return `Hidden: ${hidden.map(({ header }) => header).join(', ')}`;
}

function ColumnList<Row extends object>(props: { table: TableModel<Row> }): JSX.Element {
  // The chosen columns in their order, then the others.
  const listedColumns = createMemo(() => {
    const { columns } = props.table.options;
    const visible = props.table
      .visibleIds()
      .flatMap((id) => columns.find((one) => one.id === id) ?? []);
    return [...visible, ...columns.filter((column) => !visible.includes(column))];
  });
  const toggle = (id: string, isShown: boolean): void => {
    const columnIds = props.table.visibleIds();
    const order = props.table.options.columns.map((column) => column.id);
    props.table.choose(
      isShown ? addColumn(columnIds, id, order) : columnIds.filter((other) => other !== id),
    );
  };
  return (
    <ul class="column-list">
      <Keyed each={listedColumns()} by={({ id }) => id}>
        {(column) => (
          <ColumnItem
            column={column()}
            isShown={props.table.visibleIds().includes(column().id)}
            onToggle={(isShown) => toggle(column().id, isShown)}
            onMove={(step) =>
              props.table.choose(moveColumn(props.table.visibleIds(), column().id, step))
            }
          />
        )}
      </Keyed>
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
      <Check
        checked={props.isShown}
        disabledReason={props.column.fixed ? 'It names the row and is always shown.' : undefined}
        onChange={props.onToggle}
      >
        <span class="clip">{props.column.header}</span>
      </Check>
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
