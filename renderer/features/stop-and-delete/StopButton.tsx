import { Show, splitProps, type ComponentProps, type JSX } from 'solid-js';
import { isRunning } from '#shared/words.ts';
import { Button } from '#renderer/ui/Button.tsx';
import { useReadOnlyReason } from './read-only.ts';
import type { StopTarget } from './targets.ts';
import { isStopRequestedHere } from './requested-stops.ts';
import { openStopDialog } from './StopDialog.tsx';

interface StopButtonProps extends Omit<ComponentProps<typeof Button>, 'onClick'> {
  targets: readonly StopTarget[];
}

/**
 * Button that opens the stop dialog; disabled with a reason where the database is read-only, or for the given reason.
 */
export function StopButton(props: StopButtonProps): JSX.Element {
  const readOnly = useReadOnlyReason();
  const [own, rest] = splitProps(props, ['targets', 'disabledReason']);
  return (
    <Button
      {...rest}
      disabledReason={readOnly() ?? own.disabledReason}
      onClick={() => openStopDialog(own.targets)}
    />
  );
}

interface StopCellProps {
  target: StopTarget;
  status: string;
  tabIndex: number;
}

/** Stop button of a RUNNING row; offers to repeat the request after this window has sent one. See {@link StopState}. */
export function StopCell(props: StopCellProps): JSX.Element {
  const verb = (): string =>
    isStopRequestedHere(props.target.kind, props.target.id) ? 'Request stop again' : 'Stop';
  return (
    <Show when={isRunning(props)}>
      <StopButton
        size="small"
        tabIndex={props.tabIndex}
        targets={[props.target]}
        aria-label={`${verb()} ${props.target.name}`}
      >
        Stop
      </StopButton>
    </Show>
  );
}
