import { createMemo, createSignal, type JSX } from 'solid-js';
import type { RunDetail } from '#shared/schemas/run.ts';
import { isRunning } from '#shared/words.ts';
import { Button } from '#renderer/components/Button.tsx';
import { useReadOnlyReason } from '#renderer/components/read-only.ts';
import { runStopTarget } from '#renderer/components/stop/send-stops.ts';
import { useCommands } from '#renderer/state/commands.ts';
import { StopDialog } from '#renderer/components/stop/StopDialog.tsx';

/** Asks a RUNNING run to stop; the page's head shows what becomes of it. */
export function StopRunButton(props: { run: RunDetail }): JSX.Element {
  const readOnly = useReadOnlyReason();
  const [isStopping, setStopping] = createSignal(false);
  const runId = createMemo(() => props.run.runId);
  const targets = createMemo(() => (isStopping() ? [runStopTarget({ runId: runId() })] : null));
  useCommands([
    {
      description: 'Stop this run',
      isPossible: () => isRunning(props.run) && readOnly() === undefined,
      run: () => setStopping(true),
    },
  ]);
  return (
    <>
      <Button
        disabledReason={
          readOnly() ?? (isRunning(props.run) ? undefined : 'Only a RUNNING run can be stopped.')
        }
        onClick={() => setStopping(true)}
      >
        Stop
      </Button>
      <StopDialog targets={targets()} onClose={() => setStopping(false)} />
    </>
  );
}
