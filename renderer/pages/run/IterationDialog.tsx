import { createMemo, Show, type JSX } from 'solid-js';
import { formatCount } from '#shared/number-format.ts';
import type { IterationRow } from '#shared/schemas/run.ts';
import { useEndpoint } from '#renderer/api/queries.ts';
import { Button } from '#renderer/ui/Button.tsx';
import { Dialog } from '#renderer/ui/Dialog.tsx';
import { QueryView } from '#renderer/ui/QueryView.tsx';
import { Skeleton } from '#renderer/ui/Skeleton.tsx';
import { JsonView } from '#renderer/ui/JsonView.tsx';

interface IterationDialogProps {
  runId: string;
  iterations: readonly IterationRow[];
  openIteration: number | undefined;
  onOpen: (iteration: number | string | undefined) => void;
}

/** Shows everything recorded for one iteration, with buttons for the neighbouring ones. */
export function IterationDialog(props: IterationDialogProps): JSX.Element {
  const isOpen = (): boolean => props.openIteration !== undefined;
  const index = createMemo(() =>
    props.iterations.findIndex(({ iteration }) => iteration === props.openIteration),
  );
  const step = (label: string, neighbour: () => IterationRow | undefined): JSX.Element => (
    <Button
      size="small"
      disabledReason={neighbour() ? undefined : 'There is no such iteration.'}
      onClick={() => props.onOpen(neighbour()?.iteration)}
    >
      {label}
    </Button>
  );
  return (
    <Dialog
      size="wide"
      title={`Iteration ${formatCount(props.openIteration)}`}
      open={isOpen()}
      onClose={() => props.onOpen(undefined)}
    >
      <div class="iteration-steps">
        {step('‹ Previous', () => props.iterations[index() - 1])}
        {step('Next ›', () => (index() < 0 ? undefined : props.iterations[index() + 1]))}
      </div>
      <Show when={props.openIteration !== undefined}>
        <IterationJson runId={props.runId} iteration={props.openIteration ?? 0} />
      </Show>
    </Dialog>
  );
}

function IterationJson(props: { runId: string; iteration: number }): JSX.Element {
  const row = useEndpoint('getIteration', () => ({
    params: { runId: props.runId, iteration: String(props.iteration) },
  }));
  return (
    <QueryView query={row} skeleton={<Skeleton content="iteration" shape={{ blockPixels: 400 }} />}>
      {(data) => (
        <div class="iteration-json" classList={{ 'previous-data': row.isPlaceholder }}>
          <section aria-label="Metrics">
            <h3>Metrics</h3>
            <JsonView text={data().metricsJson} name="metrics" />
          </section>
          <section aria-label="Diagnostics">
            <h3>Diagnostics</h3>
            <JsonView text={data().diagnosticsJson} name="diagnostics" />
          </section>
        </div>
      )}
    </QueryView>
  );
}
