import type { JSX } from 'solid-js';
import type { ExperimentRunItem } from '#shared/schemas/experiment.ts';
import { call } from '#renderer/api/client.ts';
import { useEndpoint } from '#renderer/api/queries.ts';
import { Card } from '#renderer/ui/Card.tsx';
import { CompareButton } from '#renderer/features/runs/CompareButton.tsx';
import { createExplorer } from '#renderer/features/explorer/explorer.ts';
import { ExplorerRows } from '#renderer/features/explorer/ExplorerRows.tsx';
import { ExplorerTools } from '#renderer/features/explorer/ExplorerTools.tsx';
import { runResultColumns, seedColumn } from '#renderer/features/runs/run-columns.tsx';
import { makeLinkColumn, makeTextColumn } from '#renderer/ui/table/column-kinds.tsx';
import type { TableColumn } from '#renderer/ui/table/types.ts';
import { StopCell } from '#renderer/features/stop-and-delete/StopButton.tsx';
import { getRunTarget } from '#renderer/features/stop-and-delete/targets.ts';
import { getRunPath } from '#renderer/paths.ts';

/** The columns of the runs of one experiment. */
const experimentRunColumns: readonly TableColumn<ExperimentRunItem>[] = [
  makeLinkColumn('run', 'Run', (run) => run.runId, {
    href: (run) => getRunPath(run.runId),
    fixed: true,
    maxWidthChars: 34,
  }),
  seedColumn,
  ...runResultColumns,
  makeTextColumn('resumed', 'Resumed from', (run) => run.resumedFrom, {
    isHiddenByDefault: true,
    maxWidthChars: 30,
  }),
];

/** The runs of the experiment, sorted and paged by the URL, each with Stop while it is RUNNING. */
export function RunsCard(props: { experimentId: string }): JSX.Element {
  const explorer = createExplorer<ExperimentRunItem>({
    name: 'experiment-runs',
    noun: 'run',
    filters: [],
    columns: () => experimentRunColumns,
    rowId: (run) => run.runId,
    defaultSort: { column: 'started', direction: 'desc' },
    defaultSize: 50,
    useRows: (query) =>
      useEndpoint('listExperimentRuns', () => ({
        params: { experimentId: props.experimentId },
        query: query(),
      })),
    fetchRows: (query) =>
      call('listExperimentRuns', { params: { experimentId: props.experimentId }, query }),
  });
  return (
    <Card
      title="Runs"
      description="Repeats of this configuration, each with its own seed"
      controls={
        <ExplorerTools
          explorer={explorer}
          selectedActions={
            <CompareButton
              kind="primary"
              which="selected"
              runIds={[...explorer.table.selected().keys()]}
            />
          }
        />
      }
      flush
    >
      <ExplorerRows
        explorer={explorer}
        label="Runs of the experiment"
        maxHeight="60vh"
        selectable
        href={(run) => getRunPath(run.runId)}
        actions={(run, context) => (
          <StopCell
            target={getRunTarget(run())}
            status={run().status}
            tabIndex={context.tabIndex()}
          />
        )}
        empty="This experiment has no runs yet."
      />
    </Card>
  );
}
