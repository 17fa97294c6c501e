import { createMemo, mergeProps, Show, type JSX } from 'solid-js';
import { Card } from '#renderer/components/Card.tsx';
import { TableGrid } from './TableGrid.tsx';
import { createTableModel, type TableOptions } from './table-model.ts';
import { TableTools } from './TableTools.tsx';
import type { TableColumn } from './types.ts';

interface DataCardProps<Row> extends TableOptions<Row> {
  title: string;
  /** One line of what is shown. */
  description: JSX.Element;
  notes?: readonly string[];
  /** What can be chosen, left of the table's own tools. */
  controls?: JSX.Element;
  /** Enter or a click on a row. */
  onOpen?: (row: Row) => void;
  /** Buttons of a row. */
  actions?: TableColumn<Row>['cell'];
  /** The same rows as another picture than a table; its tools stay. */
  instead?: JSX.Element;
  /** Stands below the table. */
  after?: JSX.Element;
  /** Shown instead of rows when there are none. */
  empty: JSX.Element;
  /** The rows are those of the question before. */
  isPlaceholder?: boolean;
  /** Highest that the table grows before it scrolls; CSS length. */
  maxHeight?: string;
}

/** A card that is a table: it sorts itself, its tools stand beside the title; sort and columns stand in the URL. */
export function DataCard<Row extends object>(props: DataCardProps<Row>): JSX.Element {
  // Each reading of a property of JSX makes its value anew, and columns are known by identity.
  const columns = createMemo(() => props.columns);
  const rows = createMemo(() => props.rows);
  const table = createTableModel<Row>(
    mergeProps(props, {
      get columns() {
        return columns();
      },
      get rows() {
        return rows();
      },
    }),
  );
  return (
    <Card
      title={props.title}
      description={props.description}
      controls={
        <>
          {props.controls}
          <TableTools table={table} size="small" />
        </>
      }
      notes={props.notes ?? []}
      flush
    >
      <Show
        when={props.instead}
        fallback={
          <TableGrid
            table={table}
            label={props.title}
            isPlaceholder={props.isPlaceholder === true}
            maxHeight={props.maxHeight ?? '60vh'}
            empty={props.empty}
            {...(props.onOpen && { onOpen: props.onOpen })}
            {...(props.actions && { actions: props.actions })}
          />
        }
      >
        {(shown) => shown()}
      </Show>
      {props.after}
    </Card>
  );
}
