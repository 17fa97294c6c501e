import { Show, type JSX } from 'solid-js';
import { runStopTarget } from './send-stops.ts';
import { StopState } from './StopState.tsx';

interface RunStateProps {
  run: { runId: string; status: string; errorMessage?: string | null };
}

/** What a row says beside the status of its run: how its stop goes, or why it failed. */
export function RunState(props: RunStateProps): JSX.Element {
  return (
    <Show
      when={props.run.errorMessage}
      fallback={<StopState target={runStopTarget(props.run)} status={props.run.status} />}
    >
      {(message) => (
        <span class="cell-message muted" title={message()}>
          {message()}
        </span>
      )}
    </Show>
  );
}
