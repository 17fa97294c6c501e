import { Show, splitProps, type ComponentProps, type JSX } from 'solid-js';
import { isRunning } from '#shared/words.ts';
import { Button } from '#renderer/components/Button.tsx';
import { useReadOnlyReason } from '#renderer/components/read-only.ts';
import type { StopTarget } from '#renderer/components/targets.ts';
import { wasAskedHere } from './asked-stops.ts';
import { askToStop } from './StopDialog.tsx';

interface StopButtonProps extends Omit<ComponentProps<typeof Button>, 'onClick'> {
  targets: readonly StopTarget[];
}

/** Asks these to stop; says why where the database allows no change, or for the reason given. */
export function StopButton(props: StopButtonProps): JSX.Element {
  const readOnly = useReadOnlyReason();
  const [own, rest] = splitProps(props, ['targets', 'disabledReason']);
  return (
    <Button
      {...rest}
      disabledReason={readOnly() ?? own.disabledReason}
      onClick={() => askToStop(own.targets)}
    />
  );
}

interface StopCellProps {
  target: StopTarget;
  status: string;
  tabIndex: number;
}

/** The Stop button of a row that is RUNNING; it asks again once this window has asked. See {@link StopState}. */
export function StopCell(props: StopCellProps): JSX.Element {
  const verb = (): string =>
    wasAskedHere(props.target.kind, props.target.id) ? 'Ask again to stop' : 'Stop';
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
