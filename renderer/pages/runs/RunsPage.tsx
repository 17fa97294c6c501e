import type { JSX } from 'solid-js';
import type { RunItem } from '#shared/schemas/run.ts';
import { searchedDiagnoses } from '#shared/words.ts';
import { call } from '#renderer/api/client.ts';
import { useEndpoint } from '#renderer/api/queries.ts';
import { CompareButton } from '#renderer/components/CompareButton.tsx';
import { createExplorer } from '#renderer/components/explorer/explorer.ts';
import { ExplorerView } from '#renderer/components/explorer/ExplorerView.tsx';
import { facetFilter } from '#renderer/components/explorer/filters.ts';
import { PageHeader } from '#renderer/components/PageHeader.tsx';
import { runStopTarget } from '#renderer/components/stop/send-stops.ts';
import { StopCell } from '#renderer/components/stop/StopButton.tsx';
import { runPath } from '#renderer/paths.ts';
import { explorerRunColumns } from './explorer-run-columns.tsx';

/** The run explorer: all runs of the database, filtered, sorted and paged by the URL. */
export function RunsPage(): JSX.Element {
  const summary = useEndpoint('getSummary');
  const explorer = createExplorer<RunItem>({
    name: 'runs',
    noun: 'run',
    hasTrials: true,
    filters: [
      { kind: 'search', label: 'Search runs', placeholder: 'Search ids, names, parameters' },
      facetFilter('algorithm', 'Algorithm', 'algorithms'),
      facetFilter('model', 'Model', 'models'),
      facetFilter('problem', 'Problem', 'problems'),
      facetFilter('status', 'Status', 'statuses'),
      {
        kind: 'choice',
        name: 'diagnosis',
        label: 'Diagnosis',
        options: () => searchedDiagnoses.map((value) => ({ value })),
      },
      { kind: 'times', label: 'Started', verb: 'started' },
      { kind: 'numbers', label: 'Best', names: ['minBest', 'maxBest'] },
      { kind: 'params' },
    ],
    columns: explorerRunColumns,
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
        href={(run) => runPath(run.runId)}
        actions={(run, context) => (
          <StopCell
            target={runStopTarget(run())}
            status={run().status}
            tabIndex={context.tabIndex()}
          />
        )}
      />
    </>
  );
}
