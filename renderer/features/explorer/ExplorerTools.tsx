import { untrack, type JSX } from 'solid-js';
import { describeCount } from '#shared/number-format.ts';
import { TableTools } from '#renderer/ui/table/TableTools.tsx';
import { showToast } from '#renderer/ui/toaster.ts';
import { fetchAllPages } from './all-pages.ts';
import type { Explorer } from './explorer.ts';
import { ParamChooser } from './ParamChooser.tsx';
import { SavedViews } from './SavedViews.tsx';

type FetchRows<Row> = NonNullable<Explorer<Row>['options']['fetchRows']>;

interface ExplorerToolsProps<Row> {
  explorer: Explorer<Row>;
  /** Actions for the selected rows. */
  selectedActions?: JSX.Element;
  /** Whether parameters can be columns. */
  withParams?: boolean;
}

/** Views, columns, Copy and the CSV of all pages of a list. */
export function ExplorerTools<Row extends object>(props: ExplorerToolsProps<Row>): JSX.Element {
  const readAll = async (fetchRows: FetchRows<Row>): Promise<readonly Row[]> => {
    const { options, query } = props.explorer;
    const current = query();
    const { rows, isTruncated } = await fetchAllPages(
      (part) => fetchRows({ ...current, ...part }),
      options.rowId,
    );
    if (isTruncated) {
      showToast(
        `The file has only the first ${describeCount(rows.length, options.noun)}. Use the API to get all of them (see Help).`,
        'failure',
      );
    }
    return rows;
  };
  const { fetchRows } = untrack(() => props.explorer.options);
  return (
    <TableTools
      table={props.explorer.table}
      {...(fetchRows && { allRows: () => readAll(fetchRows) })}
      before={<SavedViews name={props.explorer.options.name} />}
      moreColumns={props.withParams ? <ParamChooser table={props.explorer.table} /> : undefined}
      selectedActions={props.selectedActions}
    />
  );
}
