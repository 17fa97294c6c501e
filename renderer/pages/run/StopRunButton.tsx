import type { JSX } from 'solid-js';
import type { RunDetail } from '#shared/schemas/run.ts';
import { isRunning } from '#shared/words.ts';
import { useReadOnlyReason } from '#renderer/features/stop-and-delete/read-only.ts';
import { StopButton } from '#renderer/features/stop-and-delete/StopButton.tsx';
import { openStopDialog } from '#renderer/features/stop-and-delete/StopDialog.tsx';
import { getRunTarget } from '#renderer/features/stop-and-delete/targets.ts';
import { useCommands } from '#renderer/state/commands.ts';

/** Requests a RUNNING run to stop; the page's head shows the progress. */
export function StopRunButton(props: { run: RunDetail }): JSX.Element {
  const readOnly = useReadOnlyReason();
  useCommands([
    {
      description: 'Stop this run',
      isPossible: () => isRunning(props.run) && readOnly() === undefined,
      run: () => openStopDialog([getRunTarget(props.run)]),
    },
  ]);
  return (
    <StopButton
      targets={[getRunTarget(props.run)]}
      disabledReason={isRunning(props.run) ? undefined : 'Only a RUNNING run can be stopped.'}
    >
      Stop
    </StopButton>
  );
}
