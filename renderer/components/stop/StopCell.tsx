import { Show, type JSX } from 'solid-js';
import { isRunning } from '#shared/words.ts';
import { Button } from '#renderer/components/Button.tsx';
import { wasAskedHere } from './asked-stops.ts';
import type { StopTarget } from './send-stops.ts';

interface StopCellProps {
  target: StopTarget;
  status: string;
  tabIndex: number;
  /** Why nothing can be stopped at all; undefined when it can. */
  disabledReason: string | undefined;
  onStop: (target: StopTarget) => void;
}

/** The Stop button of a row that is RUNNING; it asks again once this window has asked. See {@link StopState}. */
export function StopCell(props: StopCellProps): JSX.Element {
  const verb = (): string =>
    wasAskedHere(props.target.kind, props.target.id) ? 'Ask again to stop' : 'Stop';
  return (
    <Show when={isRunning(props)}>
      <Button
        size="small"
        tabIndex={props.tabIndex}
        disabledReason={props.disabledReason}
        aria-label={`${verb()} ${props.target.name}`}
        onClick={() => props.onStop(props.target)}
      >
        Stop
      </Button>
    </Show>
  );
}
