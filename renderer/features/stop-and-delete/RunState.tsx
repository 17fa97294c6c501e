import { createMemo, Match, Switch, type JSX } from 'solid-js';
import { formatAge, formatFullTime } from '#renderer/ui/time.ts';
import { getRunTarget } from './targets.ts';
import { formatDuration } from '#shared/number-format.ts';
import type { RunProgress } from '#shared/schemas/run.ts';
import { isSilentAt } from '#renderer/features/runs/silence.ts';
import { createNow } from '#renderer/state/now.ts';
import { isStopRequestedHere } from './requested-stops.ts';
import { StopState } from './StopState.tsx';

interface RunStateProps {
  run: {
    runId: string;
    status: string;
    errorMessage: string | null;
    progress: RunProgress | null;
  };
}

/** Text next to the status of a run: its error, the progress of its stop request, or the time of its last activity. */
export function RunState(props: RunStateProps): JSX.Element {
  return (
    <Switch>
      <Match when={props.run.errorMessage}>
        {(message) => (
          <span class="cell-message clip muted" title={message()}>
            {message()}
          </span>
        )}
      </Match>
      <Match when={isStopRequestedHere('run', props.run.runId)}>
        <StopState target={getRunTarget(props.run)} status={props.run.status} />
      </Match>
      <Match when={props.run.progress}>{(progress) => <Activity progress={progress()} />}</Match>
    </Switch>
  );
}

function Activity(props: { progress: RunProgress }): JSX.Element {
  const now = createNow(() => true);
  const age = (): string => formatAge(props.progress.lastActivityAt, now());
  const isSilentNow = createMemo(() => isSilentAt(props.progress, now()));
  const left = (): string => {
    const seconds = props.progress.secondsLeft;
    return seconds === null ? '' : `, about ${formatDuration(1_000 * seconds)} left`;
  };
  return (
    <span
      class="run-activity"
      classList={{ 'run-silent': isSilentNow() }}
      title={`Latest iteration written ${formatFullTime(props.progress.lastActivityAt)}`}
    >
      {isSilentNow() ? `silent ${age()}` : `${age()} ago${left()}`}
    </span>
  );
}
