import { useNavigate, useSearchParams } from '@solidjs/router';
import { createMemo, createSignal, type JSX } from 'solid-js';
import type { RunItem } from '#shared/schemas/run.ts';
import { call } from '#renderer/api/client.ts';
import { useFacets, useRuns, useSummary } from '#renderer/api/queries.ts';
import { fetchAllPages, maximumExportedRows } from '#renderer/components/explorer/all-pages.ts';
import { ChipBar } from '#renderer/components/explorer/ChipBar.tsx';
import { ListPager } from '#renderer/components/explorer/ListPager.tsx';
import { defaultPageSize } from '#renderer/components/explorer/list-view.ts';
import { PageHeader } from '#renderer/components/PageHeader.tsx';
import { QueryView } from '#renderer/components/QueryView.tsx';
import { useReadOnlyReason } from '#renderer/components/read-only.ts';
import { Skeleton } from '#renderer/components/Skeleton.tsx';
import { runStopTarget, type StopTarget } from '#renderer/components/stop/send-stops.ts';
import { StopCell } from '#renderer/components/stop/StopCell.tsx';
import { StopDialog } from '#renderer/components/stop/StopDialog.tsx';
import { chosenColumns, createTableModel } from '#renderer/components/table/table-model.ts';
import { TableGrid } from '#renderer/components/table/TableGrid.tsx';
import { TableTools } from '#renderer/components/table/TableTools.tsx';
import { showToast } from '#renderer/components/toaster.ts';
import { runPath } from '#renderer/paths.ts';
import { useCommands } from '#renderer/state/commands.ts';
import { chipsOf } from './chips.ts';
import { FilterBar } from './FilterBar.tsx';
import { clearedFilters, initialSort, parseView, toQuery, type FilterName } from './filters.ts';
import { ParamChooser } from './ParamChooser.tsx';
import { paramsOf, runColumns } from './run-columns.tsx';
import { RunsEmpty } from './RunsEmpty.tsx';

/** The run explorer: all runs of the database, filtered, sorted and paged by the URL. */
export function RunsPage(): JSX.Element {
  const navigate = useNavigate();
  const [search, setSearch] = useSearchParams();
  const view = createMemo(() => parseView(search));
  const params = createMemo(() => paramsOf(chosenColumns(search, '', 'runs') ?? []));
  const query = createMemo(() => toQuery(view(), params()));
  const runs = useRuns(query);
  const facets = useFacets(() => view().trials);
  const summary = useSummary();
  const readOnly = useReadOnlyReason();
  const [stopping, setStopping] = createSignal<readonly StopTarget[] | null>(null);
  const columns = createMemo(() => runColumns(params()));

  const filter = (changed: Partial<Record<FilterName, string>>, replace = false): void =>
    setSearch({ ...changed, page: undefined }, { replace });
  const clear = (): void => setSearch(clearedFilters());
  const setTrials = (trials: 'include' | undefined): void => setSearch({ trials, page: undefined });
  const table = createTableModel<RunItem>({
    name: 'runs',
    urlKey: '',
    get columns() {
      return columns();
    },
    get rows() {
      return runs.data?.items ?? [];
    },
    rowId: (run) => run.runId,
    initialSort,
    sortedByServer: true,
    sortResets: ['page'],
  });
  const exportRows = async (): Promise<readonly RunItem[]> => {
    const sent = query();
    const { rows, isCut } = await fetchAllPages((part) =>
      call('listRuns', { query: { ...sent, ...part } }),
    );
    if (isCut) showToast(`Only the first ${maximumExportedRows} runs are in the file.`, 'failure');
    return rows;
  };
  useCommands([{ description: 'Clear all filters', run: clear }, ...gridKeys]);

  return (
    <>
      <PageHeader title="Runs" />
      <FilterBar view={view()} facets={facets.data} onFilter={filter} />
      <div class="chips">
        <ChipBar
          chips={chipsOf(view())}
          trials={view().trials}
          trialCount={summary.data?.trialRunCount}
          onRemove={(name) => filter({ [name]: '' })}
          onClear={clear}
          onTrials={setTrials}
        />
        <TableTools
          table={table}
          allRows={exportRows}
          moreColumns={<ParamChooser table={table} />}
        />
      </div>
      <QueryView query={runs} skeleton={<Skeleton shape="table" count={18} />}>
        {(answer) => (
          <>
            <TableGrid
              table={table}
              label="Runs"
              selectable
              isPlaceholder={runs.isPlaceholder}
              onOpen={(run) => navigate(runPath(run.runId))}
              actions={(run, context) => (
                <StopCell
                  target={runStopTarget(run())}
                  status={run().status}
                  tabIndex={context.tabIndex()}
                  disabledReason={readOnly()}
                  onStop={(target) => setStopping([target])}
                />
              )}
              empty={
                <RunsEmpty
                  view={view()}
                  summary={summary.data}
                  onClear={clear}
                  onTrials={() => setTrials('include')}
                />
              }
            />
            <ListPager
              urlKey=""
              part={view()}
              usualSize={defaultPageSize}
              answer={answer()}
              isPlaceholder={runs.isPlaceholder}
              noun="run"
            />
          </>
        )}
      </QueryView>
      <StopDialog targets={stopping()} onClose={() => setStopping(null)} />
    </>
  );
}

/** Keys that the table handles itself, for the list of keys. */
const gridKeys = [
  { keys: '↑ ↓', description: 'Move between rows' },
  { keys: 'Enter', description: 'Open the run' },
  { keys: 'Space', description: 'Select the run, for copy and CSV' },
];
