import { Show, type JSX } from 'solid-js';
import { describeCount, formatCount } from '#shared/number-format.ts';
import { asProblemError } from '#renderer/state/problem-error.ts';
import { Button } from '#renderer/ui/Button.tsx';
import { copyText, downloadText } from '#renderer/ui/clipboard.ts';
import { showToast } from '#renderer/ui/toaster.ts';
import { ColumnsMenu } from './ColumnsMenu.tsx';
import { getCsv, describeCsv, getTableFields, getTsv } from './csv.ts';
import type { TableModel } from './table-model.ts';

interface TableToolsProps<Row> {
  table: TableModel<Row>;
  /** Fetches all rows for the CSV, where the table shows only a page of them. */
  allRows?: () => Promise<readonly Row[]>;
  /** Content before the column menu. */
  before?: JSX.Element;
  /** Further choices in the column menu, such as parameters. */
  moreColumns?: JSX.Element;
  /** Actions for the selected rows, shown while there are some. */
  selectedActions?: JSX.Element;
  /** `small` for a table in a card; default `normal`. */
  size?: 'small' | 'normal';
}

/** Column menu, Copy and CSV of a table. With a selection, Copy and CSV take only the selected rows. */
export function TableTools<Row extends object>(props: TableToolsProps<Row>): JSX.Element {
  const selected = (): readonly Row[] => [...props.table.selected().values()];
  const exportedRows = (): readonly Row[] =>
    selected().length > 0 ? selected() : props.table.rows();
  const copy = (): void => {
    const text = getTsv(...getTableFields(props.table.columns(), exportedRows()));
    void copyText(text, describeCount(exportedRows().length, 'row'));
  };
  const save = async (): Promise<void> => {
    const isPart = selected().length === 0 && props.allRows !== undefined;
    const rows = isPart ? await readOrReport(props.allRows) : exportedRows();
    if (!rows) return;
    const text = getCsv(...getTableFields(props.table.columns(), rows));
    downloadText(`${props.table.options.name}.csv`, text, 'text/csv;charset=utf-8');
  };
  return (
    <div class="table-tools">
      <Show when={selected().length > 0}>
        <span class="selected-count">{formatCount(selected().length)} selected</span>
        <Button kind="quiet" onClick={() => props.table.setSelected(new Map())}>
          Clear
        </Button>
        {props.selectedActions}
      </Show>
      {props.before}
      <ColumnsMenu table={props.table} more={props.moreColumns} size={props.size ?? 'normal'} />
      <Button
        icon="copy"
        size={props.size ?? 'normal'}
        title="Copy the shown rows, to paste into a spreadsheet"
        onClick={copy}
      >
        Copy
      </Button>
      <Button
        icon="download"
        size={props.size ?? 'normal'}
        title={describeCsv(selected().length > 0, props.allRows !== undefined)}
        onClick={() => void save()}
      >
        Save CSV
      </Button>
    </div>
  );
}

/** Returns the rows, or null after a message when they could not be read. */
async function readOrReport<Row>(
  read: (() => Promise<readonly Row[]>) | undefined,
): Promise<readonly Row[] | null> {
  try {
    return (await read?.()) ?? null;
  } catch (error) {
    showToast(asProblemError(error).detail, 'failure');
    return null;
  }
}
