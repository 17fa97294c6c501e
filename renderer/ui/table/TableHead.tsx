import { createEffect, createMemo, createSignal, For, Show, type JSX } from 'solid-js';
import { getFirstTerm, type TermId } from '#shared/glossary.ts';
import { Icon } from '#renderer/ui/Icon.tsx';
import { TermCard } from '#renderer/ui/TermCard.tsx';
import type { ColumnWindow } from './column-window.ts';
import type { TableModel } from './table-model.ts';
import type { TableColumn } from './types.ts';

interface TableHeadProps<Row> {
  table: TableModel<Row>;
  columns: ColumnWindow<Row>;
  selectable: boolean;
  hasActions: boolean;
  /** Called on the arrow key that leads to the rows. */
  onDown: () => void;
}

/**
 * The headings. Sortable headings are buttons, one of which has the keyboard; arrows move between them and their cards.
 */
export function TableHead<Row extends object>(props: TableHeadProps<Row>): JSX.Element {
  const sortable = createMemo(() => props.table.columns().filter(props.table.isSortable));
  const [reachedColumn, setReachedColumn] = createSignal<TableColumn<Row>>();
  const active = createMemo(() => {
    const sorted = props.table.sort()?.column;
    return (
      sortable().find((column) => column === reachedColumn()) ??
      sortable().find(({ id }) => id === sorted) ??
      sortable()[0]
    );
  });
  const onKeyDown = (event: KeyboardEvent): void => {
    if (!(event.target instanceof HTMLButtonElement)) return;
    const buttons = [...(event.currentTarget as HTMLElement).querySelectorAll('button')];
    const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (event.key === 'ArrowDown') props.onDown();
    else if (step !== undefined) buttons[buttons.indexOf(event.target) + step]?.focus();
    else return;
    event.preventDefault();
  };
  return (
    <thead onKeyDown={onKeyDown}>
      <tr aria-rowindex={1}>
        <Show when={props.selectable}>
          <th scope="col" class="table-box">
            <SelectAll table={props.table} />
          </th>
        </Show>
        <For each={props.table.columns()}>
          {(column) => (
            <Heading
              table={props.table}
              columns={props.columns}
              column={column}
              isActive={active() === column}
              isAnySortable={sortable().length > 0}
              onReach={() => setReachedColumn(() => column)}
            />
          )}
        </For>
        <Show when={props.hasActions}>
          <th scope="col" class="align-end table-actions">
            <span class="visually-hidden">Actions</span>
          </th>
        </Show>
      </tr>
    </thead>
  );
}

interface HeadingProps<Row> {
  table: TableModel<Row>;
  columns: ColumnWindow<Row>;
  column: TableColumn<Row>;
  isActive: boolean;
  /** Whether Tab reaches a heading, from which arrows lead to the others and to their cards. */
  isAnySortable: boolean;
  onReach: () => void;
}

function Heading<Row>(props: HeadingProps<Row>): JSX.Element {
  const direction = () => {
    const sort = props.table.sort();
    return sort?.column === props.column.id ? sort.direction : null;
  };
  const isSortable = (): boolean => props.table.isSortable(props.column);
  const left = () => props.columns.left(props.column);
  const term = (): TermId | undefined => {
    const { term: own, header } = props.column;
    return own === undefined ? getFirstTerm(header) : (own ?? undefined);
  };
  return (
    <th
      ref={(element) => props.columns.measure(element, props.column)}
      scope="col"
      class={`align-${props.table.align(props.column)}`}
      classList={{
        'column-stays': left() !== undefined,
        'column-away': !props.columns.isRendered(props.column),
      }}
      style={left() === undefined ? undefined : { left: `${left()}px` }}
      aria-colindex={props.columns.colIndex(props.column)}
      aria-sort={isSortable() ? getAriaSort(direction()) : undefined}
    >
      <span class="heading-frame">
        <Show
          when={isSortable()}
          fallback={
            <span class="heading">
              <HeadingText text={props.column.header} />
            </span>
          }
        >
          <button
            type="button"
            class="heading heading-sort"
            classList={{ 'heading-sorted': direction() !== null }}
            tabIndex={props.isActive ? 0 : -1}
            onFocus={() => props.onReach()}
            onClick={() => props.table.toggleSort(props.column)}
          >
            <HeadingText text={props.column.header} />
            <Show when={direction()}>
              {(value) => (
                <span class="heading-arrow">
                  <Icon name={value() === 'asc' ? 'up' : 'descending'} size={12} />
                </span>
              )}
            </Show>
          </button>
        </Show>
        <Show when={term() !== undefined || props.column.explanation !== undefined}>
          <TermCard
            isMark
            id={term()}
            name={props.column.header}
            note={props.column.explanation}
            tabIndex={props.isAnySortable ? -1 : 0}
          />
        </Show>
      </span>
    </th>
  );
}

/** Maximum length of a heading that is shown whole: names of groups and runs may be much longer. */
const longestHeading = 34;

/** The text of a heading; a long one is truncated, with the whole text as its tooltip. */
function HeadingText(props: { text: string }): JSX.Element {
  return (
    <Show when={props.text.length > longestHeading} fallback={props.text}>
      <span class="heading-text" title={props.text}>
        {props.text}
      </span>
    </Show>
  );
}

function getAriaSort(direction: 'asc' | 'desc' | null): 'ascending' | 'descending' | 'none' {
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
    const isWhole = isAll();
    for (const row of props.table.rows()) {
      const id = props.table.options.rowId(row);
      if (isWhole) next.delete(id);
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
      onChange={(event) => {
        toggle();
        // A click without rows selects nothing.
        event.currentTarget.checked = isAll();
      }}
    />
  );
}
