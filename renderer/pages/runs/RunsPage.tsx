import { useNavigate, useSearchParams } from '@solidjs/router';
import { createEffect, createMemo, Show, type JSX } from 'solid-js';
import type { RunItem } from '#shared/schemas/run.ts';
import { useFacets, useHealth, useRuns, useSummary } from '#renderer/api/queries.ts';
import { PageHeader } from '#renderer/components/PageHeader.tsx';
import { Pager } from '#renderer/components/Pager.tsx';
import { QueryView } from '#renderer/components/QueryView.tsx';
import { Skeleton } from '#renderer/components/Skeleton.tsx';
import { chosenColumns, createTableModel } from '#renderer/components/table/table-model.ts';
import { TableGrid } from '#renderer/components/table/TableGrid.tsx';
import { TableTools } from '#renderer/components/table/TableTools.tsx';
import { showToast } from '#renderer/components/toaster.ts';
import { runPath } from '#renderer/paths.ts';
import { useCommands } from '#renderer/state/commands.ts';
import { fetchAllRuns, maximumExportedRuns } from './all-runs.ts';
import { ChipBar } from './ChipBar.tsx';
import { FilterBar } from './FilterBar.tsx';
import {
  clearedFilters,
  defaultPageSize,
  initialSort,
  pageSizes,
  parseView,
  toQuery,
  type FilterName,
} from './filters.ts';
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
  const health = useHealth();
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
    const { runs: all, isCut } = await fetchAllRuns(query());
    if (isCut) showToast(`Only the first ${maximumExportedRuns} runs are in the file.`, 'failure');
    return all;
  };
  useCommands([{ description: 'Clear all filters', run: clear }, ...gridKeys]);

  createEffect(() => {
    const answer = runs.data;
    // Runs can go away while a late page is shown; an empty page among full ones helps nobody.
    if (answer && !runs.isPrevious && answer.total > 0 && answer.items.length === 0) {
      setSearch({ page: answer.totalPages }, { replace: true });
    }
  });

  return (
    <>
      <PageHeader title="Runs" />
      <FilterBar view={view()} facets={facets.data} onFilter={filter} />
      <div class="chips">
        <ChipBar
          view={view()}
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
              isPrevious={runs.isPrevious}
              onOpen={(run) => navigate(runPath(run.runId))}
              empty={
                <RunsEmpty
                  view={view()}
                  summary={summary.data}
                  health={health.data}
                  onClear={clear}
                  onTrials={() => setTrials('include')}
                />
              }
            />
            <Show when={answer().total > 0}>
              <Pager
                page={view().page}
                size={view().size}
                total={answer().total}
                of={answer().total === 1 ? 'run' : 'runs'}
                sizes={pageSizes}
                onPage={(page) => setSearch({ page: page === 1 ? undefined : page })}
                onSize={(size) =>
                  setSearch({ size: size === defaultPageSize ? undefined : size, page: undefined })
                }
              />
            </Show>
          </>
        )}
      </QueryView>
    </>
  );
}

/** Keys that the table handles itself, for the list of keys. */
const gridKeys = [
  { keys: '↑ ↓', description: 'Move between rows' },
  { keys: 'Enter', description: 'Open the run' },
  { keys: 'Space', description: 'Select the run, for copy and CSV' },
];
