import { useNavigate, useSearchParams } from '@solidjs/router';
import { createMemo, createSignal, type JSX } from 'solid-js';
import type { ExperimentItem } from '#shared/schemas/experiment.ts';
import { call } from '#renderer/api/client.ts';
import { useExperiments } from '#renderer/api/experiments.ts';
import { useFacets, useSummary } from '#renderer/api/queries.ts';
import { deletionTarget } from '#renderer/components/deletion/deletion-plan.ts';
import { DeleteDialog } from '#renderer/components/deletion/DeleteDialog.tsx';
import { fetchAllPages, maximumExportedRows } from '#renderer/components/explorer/all-pages.ts';
import { ChipBar } from '#renderer/components/explorer/ChipBar.tsx';
import { defaultPageSize } from '#renderer/components/explorer/list-view.ts';
import { ListPager } from '#renderer/components/explorer/ListPager.tsx';
import { PageHeader } from '#renderer/components/PageHeader.tsx';
import { QueryView } from '#renderer/components/QueryView.tsx';
import { useReadOnlyReason } from '#renderer/components/read-only.ts';
import { Skeleton } from '#renderer/components/Skeleton.tsx';
import { experimentStopTarget } from '#renderer/components/stop/send-stops.ts';
import { StopDialog } from '#renderer/components/stop/StopDialog.tsx';
import { createTableModel } from '#renderer/components/table/table-model.ts';
import { TableGrid } from '#renderer/components/table/TableGrid.tsx';
import { TableTools } from '#renderer/components/table/TableTools.tsx';
import { showToast } from '#renderer/components/toaster.ts';
import { experimentPath } from '#renderer/paths.ts';
import { useCommands } from '#renderer/state/commands.ts';
import { experimentColumns } from './experiment-columns.tsx';
import { ExperimentActions } from './ExperimentActions.tsx';
import { ExperimentsEmpty } from './ExperimentsEmpty.tsx';
import { FilterBar } from './FilterBar.tsx';
import {
  chipsOf,
  clearedFilters,
  initialSort,
  parseView,
  toQuery,
  type FilterName,
} from './filters.ts';
import { SelectedActions } from './SelectedActions.tsx';

/** All experiments of the database, filtered, sorted and paged by the URL. */
export function ExperimentsPage(): JSX.Element {
  const navigate = useNavigate();
  const [search, setSearch] = useSearchParams();
  const view = createMemo(() => parseView(search));
  const query = createMemo(() => toQuery(view()));
  const experiments = useExperiments(query);
  const facets = useFacets(() => view().trials);
  const summary = useSummary();
  const readOnly = useReadOnlyReason();
  const [stopping, setStopping] = createSignal<readonly ExperimentItem[] | null>(null);
  const [deleting, setDeleting] = createSignal<readonly ExperimentItem[] | null>(null);
  const stopTargets = createMemo(() => stopping()?.map(experimentStopTarget) ?? null);
  const deletionTargets = createMemo(() => deleting()?.map(deletionTarget) ?? null);

  const filter = (changed: Partial<Record<FilterName, string>>, replace = false): void =>
    setSearch({ ...changed, page: undefined }, { replace });
  const clear = (): void => setSearch(clearedFilters());
  const setTrials = (trials: 'include' | undefined): void => setSearch({ trials, page: undefined });
  const table = createTableModel<ExperimentItem>({
    name: 'experiments',
    urlKey: '',
    columns: experimentColumns,
    get rows() {
      return experiments.data?.items ?? [];
    },
    rowId: (row) => row.experimentId,
    initialSort,
    sortedByServer: true,
    sortResets: ['page'],
  });
  const exportRows = async (): Promise<readonly ExperimentItem[]> => {
    const sent = query();
    const { rows, isCut } = await fetchAllPages((part) =>
      call('listExperiments', { query: { ...sent, ...part } }),
    );
    if (isCut) {
      showToast(`Only the first ${maximumExportedRows} experiments are in the file.`, 'failure');
    }
    return rows;
  };
  const unselect = (ids: readonly string[]): void => {
    const left = [...table.selected()].filter(([id]) => !ids.includes(id));
    if (left.length < table.selected().size) table.setSelected(new Map(left));
  };
  useCommands([{ description: 'Clear all filters', run: clear }, ...gridKeys]);

  return (
    <>
      <PageHeader title="Experiments" />
      <FilterBar view={view()} facets={facets.data} onFilter={filter} />
      <div class="chips">
        <ChipBar
          chips={chipsOf(view())}
          trials={view().trials}
          trialCount={summary.data?.trialExperimentCount}
          onRemove={(name) => filter({ [name]: '' })}
          onClear={clear}
          onTrials={setTrials}
        />
        <TableTools
          table={table}
          allRows={exportRows}
          selectedActions={
            <SelectedActions
              selected={[...table.selected().values()]}
              disabledReason={readOnly()}
              onStop={setStopping}
              onDelete={setDeleting}
            />
          }
        />
      </div>
      <QueryView query={experiments} skeleton={<Skeleton shape="table" count={18} />}>
        {(answer) => (
          <>
            <TableGrid
              table={table}
              label="Experiments"
              selectable
              isPlaceholder={experiments.isPlaceholder}
              onOpen={(row) => navigate(experimentPath(row.experimentId))}
              actions={(row, context) => (
                <ExperimentActions
                  experiment={row()}
                  tabIndex={context.tabIndex()}
                  disabledReason={readOnly()}
                  onStop={setStopping}
                  onDelete={setDeleting}
                />
              )}
              empty={
                <ExperimentsEmpty
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
              isPlaceholder={experiments.isPlaceholder}
              noun="experiment"
            />
          </>
        )}
      </QueryView>
      <StopDialog targets={stopTargets()} onClose={() => setStopping(null)} />
      <DeleteDialog
        targets={deletionTargets()}
        onClose={() => setDeleting(null)}
        onGone={unselect}
      />
    </>
  );
}

/** Keys that the table handles itself, for the list of keys. */
const gridKeys = [
  { keys: '↑ ↓', description: 'Move between rows' },
  { keys: 'Enter', description: 'Open the experiment' },
  { keys: 'Space', description: 'Select the experiment' },
];
