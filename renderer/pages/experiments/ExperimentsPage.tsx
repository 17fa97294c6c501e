import { createMemo, createSignal, type JSX } from 'solid-js';
import type { ExperimentItem } from '#shared/schemas/experiment.ts';
import { experimentStatuses } from '#shared/words.ts';
import { call } from '#renderer/api/client.ts';
import { useExperiments } from '#renderer/api/experiments.ts';
import { useSummary } from '#renderer/api/queries.ts';
import { deletionTarget } from '#renderer/components/deletion/deletion-plan.ts';
import { DeleteDialog } from '#renderer/components/deletion/DeleteDialog.tsx';
import { createExplorer } from '#renderer/components/explorer/explorer.ts';
import { ExplorerView } from '#renderer/components/explorer/ExplorerView.tsx';
import { facetFilter, wordFilter } from '#renderer/components/explorer/filters.ts';
import { PageHeader } from '#renderer/components/PageHeader.tsx';
import { useReadOnlyReason } from '#renderer/components/read-only.ts';
import { experimentStopTarget } from '#renderer/components/stop/send-stops.ts';
import { StopDialog } from '#renderer/components/stop/StopDialog.tsx';
import { experimentPath } from '#renderer/paths.ts';
import { experimentColumns } from './experiment-columns.tsx';
import { ExperimentActions } from './ExperimentActions.tsx';
import { SelectedActions } from './SelectedActions.tsx';

/** All experiments of the database, filtered, sorted and paged by the URL. */
export function ExperimentsPage(): JSX.Element {
  const summary = useSummary();
  const readOnly = useReadOnlyReason();
  const [stopping, setStopping] = createSignal<readonly ExperimentItem[] | null>(null);
  const [deleting, setDeleting] = createSignal<readonly ExperimentItem[] | null>(null);
  const stopTargets = createMemo(() => stopping()?.map(experimentStopTarget) ?? null);
  const deletionTargets = createMemo(() => deleting()?.map(deletionTarget) ?? null);
  const explorer = createExplorer<ExperimentItem>({
    name: 'experiments',
    noun: 'experiment',
    hasTrials: true,
    filters: [
      {
        kind: 'search',
        label: 'Search experiments',
        placeholder: 'Search ids, names, runs, parameters',
      },
      facetFilter('algorithm', 'Algorithm', 'algorithms'),
      facetFilter('model', 'Model', 'models'),
      facetFilter('problem', 'Problem', 'problems'),
      wordFilter('status', 'Status', experimentStatuses),
      { kind: 'times', label: 'Created', verb: 'created' },
      { kind: 'params' },
    ],
    columns: experimentColumns,
    rowId: (row) => row.experimentId,
    defaultSort: { column: 'latest', direction: 'desc' },
    useRows: (query) => useExperiments(() => ({ ...query(), figures: true })),
    fetchRows: (query) => call('listExperiments', { query: { ...query, figures: true } }),
  });
  const unselect = (ids: readonly string[]): void => {
    const { selected, setSelected } = explorer.table;
    const left = [...selected()].filter(([id]) => !ids.includes(id));
    if (left.length < selected().size) setSelected(new Map(left));
  };
  return (
    <>
      <PageHeader title="Experiments" />
      <ExplorerView
        explorer={explorer}
        label="Experiments"
        selectable
        withParams
        total={summary.data?.experimentCount}
        trialCount={summary.data?.trialExperimentCount}
        href={(row) => experimentPath(row.experimentId)}
        actions={(row, context) => (
          <ExperimentActions
            experiment={row()}
            tabIndex={context.tabIndex()}
            disabledReason={readOnly()}
            onStop={setStopping}
            onDelete={setDeleting}
          />
        )}
        selectedActions={
          <SelectedActions
            selected={[...explorer.table.selected().values()]}
            disabledReason={readOnly()}
            onStop={setStopping}
            onDelete={setDeleting}
          />
        }
      />
      <StopDialog targets={stopTargets()} onClose={() => setStopping(null)} />
      <DeleteDialog
        targets={deletionTargets()}
        onClose={() => setDeleting(null)}
        onGone={unselect}
      />
    </>
  );
}
