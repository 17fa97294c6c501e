import { useNavigate, useSearchParams } from '@solidjs/router';
import { createMemo, createSignal, type JSX } from 'solid-js';
import type { ExperimentRunItem } from '#shared/schemas/experiment.ts';
import { call } from '#renderer/api/client.ts';
import { useExperimentRuns } from '#renderer/api/experiments.ts';
import { Card } from '#renderer/components/Card.tsx';
import { fetchAllPages } from '#renderer/components/explorer/all-pages.ts';
import { ListPager } from '#renderer/components/explorer/ListPager.tsx';
import { urlPart } from '#renderer/components/explorer/list-view.ts';
import { QueryView } from '#renderer/components/QueryView.tsx';
import { Skeleton } from '#renderer/components/Skeleton.tsx';
import { runStopTarget, type StopTarget } from '#renderer/components/stop/send-stops.ts';
import { StopCell } from '#renderer/components/stop/StopCell.tsx';
import { StopDialog } from '#renderer/components/stop/StopDialog.tsx';
import { createTableModel } from '#renderer/components/table/table-model.ts';
import { TableGrid } from '#renderer/components/table/TableGrid.tsx';
import { TableTools } from '#renderer/components/table/TableTools.tsx';
import { runPath } from '#renderer/paths.ts';
import { runColumns } from './run-columns.tsx';

const defaultPart = { size: 50, sort: { column: 'started', direction: 'desc' } } as const;

/** Columns that the service sorts by, with its names for them. */
const sortKeys = {
  started: 'start_time',
  best: 'best_fitness',
  runtime: 'runtime_millis',
  status: 'status',
  seed: 'seed',
} as const;

interface RunsCardProps {
  experimentId: string;
  /** Why nothing can be stopped; undefined when it can. */
  disabledReason: string | undefined;
}

/** The runs of the experiment: sorted and paged by the URL, each with Stop while it is RUNNING. */
export function RunsCard(props: RunsCardProps): JSX.Element {
  const navigate = useNavigate();
  const [stopping, setStopping] = createSignal<readonly StopTarget[] | null>(null);
  const [search] = useSearchParams();
  const part = createMemo(() => urlPart(search, '', Object.keys(sortKeys), defaultPart));
  const query = () => {
    const { page, size, sort } = part();
    const sortBy = sortKeys[sort.column as keyof typeof sortKeys];
    return { page: page - 1, size, sortBy, sortDir: sort.direction };
  };
  const runs = useExperimentRuns(() => props.experimentId, query);
  const table = createTableModel<ExperimentRunItem>({
    name: 'experiment-runs',
    urlKey: '',
    columns: runColumns,
    get rows() {
      return runs.data?.items ?? [];
    },
    rowId: (run) => run.runId,
    initialSort: defaultPart.sort,
    sortedByServer: true,
    sortResets: ['page'],
  });
  const exportRows = async (): Promise<readonly ExperimentRunItem[]> => {
    const params = { experimentId: props.experimentId };
    const sent = query();
    const { rows } = await fetchAllPages((asked) =>
      call('listExperimentRuns', { params, query: { ...sent, ...asked } }),
    );
    return rows;
  };
  return (
    <Card
      title="Runs"
      description="Repeats of this configuration; each has a seed of its own"
      controls={<TableTools table={table} allRows={exportRows} />}
      flush
    >
      <QueryView query={runs} skeleton={<Skeleton shape="table" count={8} />}>
        {(answer) => (
          <>
            <TableGrid
              table={table}
              label="Runs of the experiment"
              maxHeight="60vh"
              isPlaceholder={runs.isPlaceholder}
              onOpen={(run) => navigate(runPath(run.runId))}
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
            <div class="card-pager">
              <ListPager
                urlKey=""
                part={part()}
                usualSize={defaultPart.size}
                answer={answer()}
                isPlaceholder={runs.isPlaceholder}
                noun="run"
              />
            </div>
          </>
        )}
      </QueryView>
      <StopDialog targets={stopping()} onClose={() => setStopping(null)} />
    </Card>
  );
}
