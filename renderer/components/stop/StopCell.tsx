import { createMemo, Show, type JSX } from 'solid-js';
import type { StopRequest } from '#shared/schemas/run.ts';
import { isRunning } from '#shared/words.ts';
import { useExperiment } from '#renderer/api/experiments.ts';
import { useEndpoint } from '#renderer/api/queries.ts';
import { Button } from '#renderer/components/Button.tsx';
import { wasAskedHere } from './asked-stops.ts';
import type { StopTarget } from './send-stops.ts';
import type { StopWords } from './stop-words.ts';
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
 * The Stop button of a row that is RUNNING. Once this window has asked, the button says how far the request
 * has come and asks again; the request is read from the service, so a runner's answer shows by itself.
 */
export function StopCell(props: StopCellProps): JSX.Element {
  return (
    <Show when={isRunning(props)}>
      <Show
        when={wasAskedHere(props.target.kind, props.target.id)}
        fallback={<StopButton {...props} words={null} />}
      >
        <FollowedStop {...props} />
      </Show>
    </Show>
  );
}

function FollowedStop(props: StopCellProps): JSX.Element {
  const request = useStopRequest(() => props.target);
  const words = createStopWords(() => ({
    kind: props.target.kind,
    id: props.target.id,
    status: props.status,
    request: request(),
  }));
  return <StopButton {...props} words={words()} />;
}

function StopButton(props: StopCellProps & { words: StopWords | null }): JSX.Element {
  return (
    <Button
      size="small"
      class={props.words ? `stop-short stop-${props.words.tone}` : ''}
      tabIndex={props.tabIndex}
      disabledReason={props.disabledReason}
      title={props.words ? `${props.words.title}. Click to ask again.` : undefined}
      aria-label={
        props.words
          ? `${props.words.short}; ask again to stop ${props.target.name}`
          : `Stop ${props.target.name}`
      }
      onClick={() => props.onStop(props.target)}
    >
      {props.words?.short ?? 'Stop'}
    </Button>
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
