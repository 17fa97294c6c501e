import { createMemo, mergeProps, Show, type JSX } from 'solid-js';
import { Card } from '#renderer/ui/Card.tsx';
import { CardBoundary } from '#renderer/ui/CardBoundary.tsx';
import { TableGrid, type GridOptions } from './TableGrid.tsx';
import { createTableModel, type TableOptions } from './table-model.ts';
import { TableTools } from './TableTools.tsx';

interface DataCardProps<Row> extends TableOptions<Row>, Omit<GridOptions<Row>, 'selectable'> {
  title: string;
  /** One line about the content. */
  description: JSX.Element;
  notes?: readonly string[];
  /** Controls left of the table's own tools. */
  controls?: JSX.Element;
  /** Another view of the same rows than the table; the tools stay. */
  instead?: JSX.Element;
  /** Content below the table. */
  after?: JSX.Element;
  class?: string;
}

/** A card with a table that sorts its rows and has its tools next to the title; sort and columns are in the URL. */
export function DataCard<Row extends object>(props: DataCardProps<Row>): JSX.Element {
  return (
    <CardBoundary>
      <TableCard {...props} />
    </CardBoundary>
  );
}

function TableCard<Row extends object>(props: DataCardProps<Row>): JSX.Element {
  // Each read of a JSX property evaluates it again, and columns are compared by identity.
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
      class={props.class ?? ''}
      flush
    >
      <Show
        when={props.instead}
        fallback={
          <TableGrid
            {...props}
            table={table}
            label={props.title}
            maxHeight={props.maxHeight ?? '60vh'}
          />
        }
      >
        {(content) => content()}
      </Show>
      {props.after}
    </Card>
  );
}
