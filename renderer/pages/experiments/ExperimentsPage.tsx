import type { JSX } from 'solid-js';
import { describeCount } from '#shared/number-format.ts';
import type { ExperimentItem } from '#shared/schemas/experiment.ts';
import { experimentStatuses, isRunning } from '#shared/words.ts';
import { call } from '#renderer/api/client.ts';
import { useEndpoint } from '#renderer/api/queries.ts';
import { DeleteButton } from '#renderer/features/stop-and-delete/DeleteDialog.tsx';
import { createExplorer } from '#renderer/features/explorer/explorer.ts';
import { ExplorerView } from '#renderer/features/explorer/ExplorerView.tsx';
import {
  makeFacetFilter,
  makeTagFilter,
  makeWordFilter,
} from '#renderer/features/explorer/filters.ts';
import { PageHeader } from '#renderer/features/frame/PageHeader.tsx';
import { StopButton, StopCell } from '#renderer/features/stop-and-delete/StopButton.tsx';
import { getExperimentName } from '#renderer/names.ts';
import { getExperimentTarget } from '#renderer/features/stop-and-delete/targets.ts';
import { getExperimentPath } from '#renderer/paths.ts';
import { makeExperimentColumns } from './experiment-columns.tsx';
import { useExperimentRows } from './experiment-rows.ts';

/** All experiments of the database, filtered, sorted and paged by the URL. */
export function ExperimentsPage(): JSX.Element {
  const summary = useEndpoint('getSummary');
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
      makeFacetFilter('algorithm', 'Algorithm', 'algorithms'),
      makeFacetFilter('model', 'Model', 'models'),
      makeFacetFilter('problem', 'Problem', 'problems'),
      makeWordFilter('status', 'Status', () => experimentStatuses),
      makeTagFilter((facets) => facets?.experimentTags),
      { kind: 'times', label: 'Created', verb: 'created' },
      { kind: 'params' },
    ],
    columns: makeExperimentColumns,
    rowId: (row) => row.experimentId,
    defaultSort: { column: 'latest', direction: 'desc' },
    useRows: useExperimentRows,
    fetchRows: (query) => call('listExperiments', { query: { ...query, figures: true } }),
  });
  const unselect = (ids: readonly string[]): void => {
    const { selected, setSelected } = explorer.table;
    const remaining = [...selected()].filter(([id]) => !ids.includes(id));
    if (remaining.length < selected().size) setSelected(new Map(remaining));
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
        href={(row) => getExperimentPath(row.experimentId)}
        actions={(row, context) => (
          <span class="row-actions">
            <StopCell
              target={getExperimentTarget(row())}
              status={row().status}
              tabIndex={context.tabIndex()}
            />
            <DeleteButton
              size="small"
              tabIndex={context.tabIndex()}
              aria-label={`Delete ${getExperimentName(row())}`}
              targets={[getExperimentTarget(row())]}
              onDeleted={unselect}
            >
              Delete
            </DeleteButton>
          </span>
        )}
        selectedActions={
          <SelectedActions
            selected={[...explorer.table.selected().values()]}
            onDeleted={unselect}
          />
        }
      />
    </>
  );
}

interface SelectedActionsProps {
  selected: readonly ExperimentItem[];
  onDeleted: (experimentIds: readonly string[]) => void;
}

/** Buttons to stop and delete all selected experiments, also those on other pages. */
function SelectedActions(props: SelectedActionsProps): JSX.Element {
  const running = () => props.selected.filter(isRunning);
  return (
    <>
      <StopButton
        targets={running().map(getExperimentTarget)}
        disabledReason={
          running().length === 0 ? 'No selected experiment has a RUNNING run.' : undefined
        }
      >
        Stop {describeCount(running().length, 'selected experiment')}
      </StopButton>
      <DeleteButton
        kind="danger"
        targets={props.selected.map(getExperimentTarget)}
        onDeleted={props.onDeleted}
      >
        Delete {describeCount(props.selected.length, 'selected experiment')}
      </DeleteButton>
    </>
  );
}
