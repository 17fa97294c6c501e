import { Show, type JSX } from 'solid-js';
import { TableGrid, type GridOptions } from './TableGrid.tsx';
import { createTableModel, type TableOptions } from './table-model.ts';
import { TableTools } from './TableTools.tsx';

interface DataTableProps<Row> extends TableOptions<Row>, GridOptions<Row> {
  /** Names the table for screen readers. */
  label: string;
  /** Stands at the left of the tools, for a search or a filter. */
  toolbar?: JSX.Element;
  /** Leaves columns, copy and CSV out, for tables of a few rows inside a card. */
  plain?: boolean;
}

/** A table that sorts itself, with its tools above; sort and columns stand in the URL. */
export function DataTable<Row extends object>(props: DataTableProps<Row>): JSX.Element {
  const table = createTableModel<Row>(props);
  return (
    <div class="data-table">
      <Show when={!props.plain}>
        <div class="table-bar">
          <div class="table-bar-start">{props.toolbar}</div>
          <TableTools table={table} />
        </div>
      </Show>
      <TableGrid {...props} table={table} maxHeight={props.maxHeight ?? '70vh'} />
    </div>
  );
}
