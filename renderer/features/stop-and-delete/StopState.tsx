import { createMemo, Show, type JSX } from 'solid-js';
import type { StopRequest } from '#shared/schemas/run.ts';
import { isRunning } from '#shared/words.ts';
import { useEndpoint } from '#renderer/api/queries.ts';
import type { StopTarget } from './targets.ts';
import { isStopRequestedHere } from './requested-stops.ts';
import { createStopWords } from './StopProgress.tsx';

interface StopStateProps {
  target: StopTarget;
  status: string;
}

/**
 * Progress of the stop request of a row once this window has sent one; nothing before, and nothing when it no longer
 * runs. The request is read from the service, so the runner's response shows automatically.
 */
export function StopState(props: StopStateProps): JSX.Element {
  return (
    <Show when={isRunning(props) && isStopRequestedHere(props.target.kind, props.target.id)}>
      <FollowedStop {...props} />
    </Show>
  );
}

function FollowedStop(props: StopStateProps): JSX.Element {
  const request = useStopRequest(() => props.target);
  const words = createStopWords(() => ({
    kind: props.target.kind,
    id: props.target.id,
    status: props.status,
    request: request(),
  }));
  return (
    <Show when={words()}>
      {(text) => (
        <span class={`stop-short stop-${text().tone}`} title={text().title}>
          {text().short}
        </span>
      )}
    </Show>
  );
}

function useStopRequest(target: () => StopTarget): () => StopRequest | null {
  const isRun = createMemo(() => target().kind === 'run');
  const run = useEndpoint('getRun', () => ({
    params: { runId: target().id },
    enabled: isRun(),
  }));
  const experiment = useEndpoint('getExperiment', () => ({
    params: { experimentId: target().id },
    enabled: !isRun(),
  }));
  return () => (isRun() ? run.data : experiment.data)?.stopRequest ?? null;
}
