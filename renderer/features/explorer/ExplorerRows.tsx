import { useNavigate } from '@solidjs/router';
import { Show, untrack, type JSX } from 'solid-js';
import { FailedPart, QueryView } from '#renderer/ui/QueryView.tsx';
import { Skeleton } from '#renderer/ui/Skeleton.tsx';
import { focusRows } from '#renderer/ui/table/row-keys.ts';
import { TableGrid, type GridOptions } from '#renderer/ui/table/TableGrid.tsx';
import { useCommands } from '#renderer/state/commands.ts';
import type { Explorer } from './explorer.ts';
import { ListPager } from './ListPager.tsx';

export interface ExplorerRowsProps<Row> extends Omit<GridOptions<Row>, 'onOpen' | 'isPlaceholder'> {
  explorer: Explorer<Row>;
  /** Label of the table for screen readers. */
  label: string;
  /** Returns the URL of the page of a row. */
  href: (row: Row) => string;
}

/** The rows of a list with its pager. */
export function ExplorerRows<Row extends object>(props: ExplorerRowsProps<Row>): JSX.Element {
  const navigate = useNavigate();
  const { noun } = untrack(() => props.explorer.options);
  const isSelectable = untrack(() => props.selectable === true);
  useCommands([
    { keys: 'ArrowDown', description: 'Go to the rows; arrows move between them', run: focusRows },
    { keys: 'Enter', description: `Open the ${noun}` },
    ...(isSelectable ? [{ keys: 'Space', description: `Select the ${noun}` }] : []),
  ]);
  return (
    <QueryView
      query={props.explorer.rows}
      skeleton={<Skeleton content={`${noun}s`} shape="table" count={18} />}
    >
      {(response) => (
        <>
          <Show when={props.explorer.rows.computed}>
            {(computed) => (
              <FailedPart query={computed()} consequence="Computed columns could not be loaded" />
            )}
          </Show>
          <TableGrid
            {...props}
            table={props.explorer.table}
            isPlaceholder={props.explorer.rows.isPlaceholder}
            onOpen={(row) => navigate(props.href(row))}
          />
          <Show when={!props.explorer.options.isWhole}>
            <ListPager
              list={props.explorer.list}
              response={response()}
              isPlaceholder={props.explorer.rows.isPlaceholder}
              noun={noun}
            />
          </Show>
        </>
      )}
    </QueryView>
  );
}
