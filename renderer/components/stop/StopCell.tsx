import { createMemo, Show, type JSX } from 'solid-js';
import type { StopRequest } from '#shared/schemas/run.ts';
import { useExperiment } from '#renderer/api/experiments.ts';
import { useEndpoint } from '#renderer/api/queries.ts';
import { Button } from '#renderer/components/Button.tsx';
import { wasAskedHere } from './asked-stops.ts';
import type { StopTarget } from './send-stops.ts';
import { createStopWords } from './StopProgress.tsx';

interface StopCellProps {
  target: StopTarget;
  status: string;
  tabIndex: number;
  /** Why nothing can be stopped at all; undefined when it can. */
  disabledReason: string | undefined;
  onStop: (target: StopTarget) => void;
}

/**
 * The Stop button of a row that is RUNNING, and how far the request has come once this window has sent one.
 * The request is read from the service, so a runner's answer shows by itself.
 */
export function StopCell(props: StopCellProps): JSX.Element {
  const isRunning = (): boolean => props.status.toUpperCase() === 'RUNNING';
  const request = useStopRequest(
    () => props.target,
    () => isRunning() && wasAskedHere(props.target.kind, props.target.id),
  );
  const words = createStopWords(() => ({
    kind: props.target.kind,
    id: props.target.id,
    status: props.status,
    request: request(),
  }));
  return (
    <Show when={isRunning()}>
      <span class="stop-cell">
        <Show when={words()}>
          {(shown) => (
            <span class={`stop-short stop-${shown().tone}`} title={shown().title}>
              {shown().short}
            </span>
          )}
        </Show>
        <Button
          size="small"
          tabIndex={props.tabIndex}
          disabled={props.disabledReason !== undefined}
          title={props.disabledReason}
          aria-label={`Stop ${props.target.name}`}
          onClick={() => props.onStop(props.target)}
        >
          {words() ? 'Ask again' : 'Stop'}
        </Button>
      </span>
    </Show>
  );
}

function useStopRequest(
  target: () => StopTarget,
  isFollowed: () => boolean,
): () => StopRequest | null {
  const isFollowedRun = createMemo(() => isFollowed() && target().kind === 'run');
  const isFollowedExperiment = createMemo(() => isFollowed() && target().kind === 'experiment');
  const run = useEndpoint('getRun', () => ({
    params: { runId: target().id },
    live: true,
    enabled: isFollowedRun(),
  }));
  const experiment = useExperiment(() => target().id, isFollowedExperiment);
  return () => (target().kind === 'run' ? run.data : experiment.data)?.stopRequest ?? null;
}
