import type { JSX } from 'solid-js';
import type { RunItem } from '#shared/schemas/run.ts';
import { searchedDiagnoses } from '#shared/words.ts';
import { call } from '#renderer/api/client.ts';
import { useEndpoint } from '#renderer/api/queries.ts';
import { CompareButton } from '#renderer/features/runs/CompareButton.tsx';
import { createExplorer } from '#renderer/features/explorer/explorer.ts';
import { ExplorerView } from '#renderer/features/explorer/ExplorerView.tsx';
import {
  makeFacetFilter,
  makeTagFilter,
  makeWordFilter,
} from '#renderer/features/explorer/filters.ts';
import { PageHeader } from '#renderer/features/frame/PageHeader.tsx';
import { StopCell } from '#renderer/features/stop-and-delete/StopButton.tsx';
import { getRunTarget } from '#renderer/features/stop-and-delete/targets.ts';
import { getRunPath } from '#renderer/paths.ts';
import { makeExplorerRunColumns } from './explorer-run-columns.tsx';

/** The list of all runs of the database, filtered, sorted and paged by the URL. */
export function RunsPage(): JSX.Element {
  const summary = useEndpoint('getSummary');
  const explorer = createExplorer<RunItem>({
    name: 'runs',
    noun: 'run',
    hasTrials: true,
    filters: [
      { kind: 'search', label: 'Search runs', placeholder: 'Search ids, names, parameters' },
      makeFacetFilter('algorithm', 'Algorithm', 'algorithms'),
      makeFacetFilter('model', 'Model', 'models'),
      makeFacetFilter('problem', 'Problem', 'problems'),
      makeFacetFilter('status', 'Status', 'statuses'),
      makeTagFilter((facets) => facets?.tags),
      makeWordFilter('diagnosis', 'Diagnosis', () => searchedDiagnoses),
      { kind: 'times', label: 'Started', verb: 'started' },
      { kind: 'numbers', label: 'Best', names: ['minBest', 'maxBest'] },
      { kind: 'params' },
    ],
    columns: makeExplorerRunColumns,
    rowId: (run) => run.runId,
    defaultSort: { column: 'started', direction: 'desc' },
    useRows: (query) => useEndpoint('listRuns', () => ({ query: query() })),
    fetchRows: (query) => call('listRuns', { query }),
  });
  return (
    <>
      <PageHeader title="Runs" />
      <ExplorerView
        explorer={explorer}
        label="Runs"
        selectable
        withParams
        selectedActions={
          <CompareButton
            kind="primary"
            which="selected"
            runIds={[...explorer.table.selected().keys()]}
          />
        }
        total={summary.data?.runCount}
        trialCount={summary.data?.trialRunCount}
        href={(run) => getRunPath(run.runId)}
        actions={(run, context) => (
          <StopCell
            target={getRunTarget(run())}
            status={run().status}
            tabIndex={context.tabIndex()}
          />
        )}
      />
    </>
  );
}
