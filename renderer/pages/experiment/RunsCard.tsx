import { createSignal, type JSX } from 'solid-js';
import type { ExperimentRunItem } from '#shared/schemas/experiment.ts';
import { call } from '#renderer/api/client.ts';
import { useExperimentRuns } from '#renderer/api/experiments.ts';
import { Card } from '#renderer/components/Card.tsx';
import { createExplorer } from '#renderer/components/explorer/explorer.ts';
import { ExplorerRows } from '#renderer/components/explorer/ExplorerRows.tsx';
import { ExplorerTools } from '#renderer/components/explorer/ExplorerTools.tsx';
import { runStopTarget, type StopTarget } from '#renderer/components/stop/send-stops.ts';
import { StopCell } from '#renderer/components/stop/StopCell.tsx';
import { StopDialog } from '#renderer/components/stop/StopDialog.tsx';
import { runPath } from '#renderer/paths.ts';
import { experimentRunColumns } from './experiment-run-columns.tsx';

interface RunsCardProps {
  experimentId: string;
  /** Why nothing can be stopped; undefined when it can. */
  disabledReason: string | undefined;
}

/** The runs of the experiment: sorted and paged by the URL, each with Stop while it is RUNNING. */
export function RunsCard(props: RunsCardProps): JSX.Element {
  const [stopping, setStopping] = createSignal<readonly StopTarget[] | null>(null);
  const explorer = createExplorer<ExperimentRunItem>({
    name: 'experiment-runs',
    noun: 'run',
    filters: [],
    columns: () => experimentRunColumns,
    rowId: (run) => run.runId,
    defaultSort: { column: 'started', direction: 'desc' },
    defaultSize: 50,
    useRows: (query) => useExperimentRuns(() => props.experimentId, query),
    fetchRows: (query) =>
      call('listExperimentRuns', { params: { experimentId: props.experimentId }, query }),
  });
  return (
    <Card
      title="Runs"
      description="Repeats of this configuration; each has a seed of its own"
      controls={<ExplorerTools explorer={explorer} />}
      flush
    >
      <ExplorerRows
        explorer={explorer}
        label="Runs of the experiment"
        maxHeight="60vh"
        href={(run) => runPath(run.runId)}
        actions={(run, context) => (
          <StopCell
            target={runStopTarget(run())}
            status={run().status}
            tabIndex={context.tabIndex()}
            disabledReason={props.disabledReason}
            onStop={(target) => setStopping([target])}
          />
        )}
        empty={<p class="card-empty">This experiment has no runs yet.</p>}
      />
      <StopDialog targets={stopping()} onClose={() => setStopping(null)} />
    </Card>
  );
}
