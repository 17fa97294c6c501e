import { Show, type JSX } from 'solid-js';
import { TableGrid, type GridOptions } from './TableGrid.tsx';
import { createTableModel, type TableOptions } from './table-model.ts';
import { TableTools } from './TableTools.tsx';

interface DataTableProps<Row> extends TableOptions<Row>, GridOptions<Row> {
  /** Label of the table for screen readers. */
  label: string;
  /** Left end of the toolbar, for a search or a filter. */
  toolbar?: JSX.Element;
  /** Omits the column menu, Copy and CSV, for lists of files, data sets and findings, which are no results. */
  plain?: boolean;
}

/** A table that sorts its rows, with its tools above; sort and columns are in the URL. */
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
