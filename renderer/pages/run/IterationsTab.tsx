import { createMemo, Show, type JSX } from 'solid-js';
import { describeCount } from '#shared/number-format.ts';
import type { IterationRow } from '#shared/schemas/run.ts';
import { type QueryState, useEndpoint } from '#renderer/api/queries.ts';
import { hasPopulations } from '#renderer/charts/figures/fitness.ts';
import { DataCard } from '#renderer/ui/table/DataCard.tsx';
import { DataTable } from '#renderer/ui/table/DataTable.tsx';
import { EmptyState } from '#renderer/ui/EmptyState.tsx';
import { QueryView } from '#renderer/ui/QueryView.tsx';
import { Skeleton } from '#renderer/ui/Skeleton.tsx';
import { checkpointColumns, makeIterationColumns } from './iteration-columns.tsx';
import { IterationDialog } from './IterationDialog.tsx';
import { asNumber } from '#renderer/state/url-kinds.ts';
import { createUrlSignal } from '#renderer/state/url.ts';
import './iterations.css';

interface IterationsTabProps {
  runId: string;
  isLive: boolean;
  omittedRows: number;
  iterations: QueryState<readonly IterationRow[]>;
}

/** Whether a number of the URL can be an iteration. */
function isIteration(value: number): boolean {
  return Number.isSafeInteger(value) && value >= 0;
}

/** Table of all iterations of a run, each with its record, and the checkpoints. */
export function IterationsTab(props: IterationsTabProps): JSX.Element {
  const [openIteration, setOpenIteration] = createUrlSignal(
    'iteration',
    asNumber(undefined, isIteration),
  );
  const open = (iteration: number | string | undefined): void =>
    setOpenIteration(iteration === undefined ? undefined : Number(iteration));
  const hasMean = createMemo(() => hasPopulations(props.iterations.data ?? []));
  const columns = createMemo(() => makeIterationColumns(open, { hasMean: hasMean() }));
  return (
    <div class="run-cards">
      <QueryView
        query={props.iterations}
        skeleton={<Skeleton content="iterations" shape="table" count={12} />}
      >
        {(rows) => (
          <>
            <DataTable<IterationRow>
              name="iterations"
              urlKey="it-"
              label="Iterations"
              columns={columns()}
              rows={rows()}
              rowId={(row) => String(row.iteration)}
              defaultSort={{ column: 'iteration', direction: 'asc' }}
              maxHeight="56vh"
              onOpen={(row) => open(row.iteration)}
              toolbar={
                <p class="muted">
                  Click a row to see everything recorded for that iteration.
                  <Show when={props.omittedRows > 0}> {describeOmitted(props.omittedRows)}</Show>
                </p>
              }
              empty={
                <Show
                  when={props.isLive}
                  fallback={<EmptyState title="No iterations recorded for this run" />}
                >
                  <EmptyState title="No iterations yet">
                    The first one appears when the initial population is evaluated.
                  </EmptyState>
                </Show>
              }
            />
            <IterationDialog
              runId={props.runId}
              iterations={rows()}
              openIteration={openIteration()}
              onOpen={open}
            />
          </>
        )}
      </QueryView>
      <CheckpointsCard runId={props.runId} isLive={props.isLive} />
    </div>
  );
}

function describeOmitted(rows: number): string {
  return `Omitted: ${describeCount(rows, 'row')} without a whole iteration number.`;
}

function CheckpointsCard(props: { runId: string; isLive: boolean }): JSX.Element {
  const checkpoints = useEndpoint('listCheckpoints', () => ({
    params: { runId: props.runId },
    isRunning: props.isLive,
  }));
  return (
    <QueryView
      query={checkpoints}
      skeleton={<Skeleton content="checkpoints" shape="table" count={3} />}
    >
      {(rows) => (
        <DataCard
          title="Checkpoints"
          description="Files from which the runner can resume this run"
          name="checkpoints"
          urlKey="ckpt-"
          columns={checkpointColumns}
          rows={rows()}
          rowId={(row) => String(row.id)}
          maxHeight="40vh"
          empty="No checkpoints recorded for this run."
        />
      )}
    </QueryView>
  );
}
