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
  const isFollowed = (): boolean => wasAskedHere(props.target.kind, props.target.id);
  return (
    <Show when={props.status.toUpperCase() === 'RUNNING'}>
      <span class="stop-cell">
        <Show when={isFollowed()}>
          <FollowedStop target={props.target} status={props.status} />
        </Show>
        <Button
          size="small"
          tabIndex={props.tabIndex}
          disabled={props.disabledReason !== undefined}
          title={props.disabledReason}
          aria-label={`${isFollowed() ? 'Ask again to stop' : 'Stop'} ${props.target.name}`}
          onClick={() => props.onStop(props.target)}
        >
          {isFollowed() ? 'Ask again' : 'Stop'}
        </Button>
      </span>
    </Show>
  );
}

function FollowedStop(props: { target: StopTarget; status: string }): JSX.Element {
  const request = useStopRequest(() => props.target);
  const words = createStopWords(() => ({
    kind: props.target.kind,
    id: props.target.id,
    status: props.status,
    request: request(),
  }));
  return (
    <Show when={words()}>
      {(shown) => (
        <span class={`stop-short stop-${shown().tone}`} title={shown().title}>
          {shown().short}
        </span>
      )}
    </Show>
  );
}

function useStopRequest(target: () => StopTarget): () => StopRequest | null {
  const isRun = createMemo(() => target().kind === 'run');
  const run = useEndpoint('getRun', () => ({
    params: { runId: target().id },
    live: true,
    enabled: isRun(),
  }));
  const experiment = useExperiment(
    () => target().id,
    () => !isRun(),
  );
  return () => (isRun() ? run.data : experiment.data)?.stopRequest ?? null;
}
