import { useQueryClient } from '@tanstack/solid-query';
import { createSignal, Show, type JSX } from 'solid-js';
import { asProblem, call, type ProblemError } from '#renderer/api/client.ts';
import { wakeQueries } from '#renderer/api/waking.ts';
import { Button } from '#renderer/components/Button.tsx';
import { Dialog } from '#renderer/components/Dialog.tsx';
import { FailureLine } from '#renderer/components/FailureLine.tsx';
import { createDialogFailure } from '#renderer/components/replaced-database.ts';
import { ReasonField } from '#renderer/components/ReasonField.tsx';
import { formatFullTime } from '#renderer/components/time.ts';
import { showToast } from '#renderer/components/toaster.ts';
import { shortId } from '#renderer/components/names.ts';

interface SettleDialogProps {
  runId: string;
  /** Its last activity, as stored. */
  since: string;
  open: boolean;
  onClose: () => void;
}

/** Says what settling a silent run does, asks, and does it; stays open with the reason when it is refused. */
export function SettleDialog(props: SettleDialogProps): JSX.Element {
  return (
    <Dialog title={`Settle run ${shortId(props.runId)}`} open={props.open} onClose={props.onClose}>
      <SettleForm {...props} />
    </Dialog>
  );
}

function SettleForm(props: SettleDialogProps): JSX.Element {
  const client = useQueryClient();
  const [reason, setReason] = createSignal('');
  const [failure, setFailure] = createSignal<ProblemError>();
  const [isSending, setSending] = createSignal(false);
  const shown = createDialogFailure(failure);
  const submit = async (event: Event): Promise<void> => {
    event.preventDefault();
    if (isSending() || shown.disabledReason()) return;
    setSending(true);
    setFailure(undefined);
    const { runId } = props;
    try {
      await call('settleRun', { params: { runId }, body: { reason: reason().trim() } });
      showToast(`Run ${shortId(runId)} is settled: FAILED at its last activity`, 'done');
      props.onClose();
      void wakeQueries(client, 'all');
    } catch (error) {
      setFailure(asProblem(error));
    }
    setSending(false);
  };
  return (
    <form class="dialog-form" onSubmit={(event) => void submit(event)}>
      <p>
        The run becomes <strong>FAILED</strong> with its last activity,{' '}
        {formatFullTime(props.since)}, as its end and your reason in its message. This changes the
        row that the runner wrote, the only time that Evoscope does so, and cannot be taken back.
        Afterwards its experiment can be deleted.
      </p>
      <p>
        The run is watched for up to 10 s first: one that still writes is left as it is. Settle it
        only when its runner is gone.
      </p>
      <ReasonField value={reason()} onInput={setReason} />
      <Show when={shown.failure()}>{(error) => <FailureLine error={error()} />}</Show>
      <footer class="dialog-foot">
        <Button onClick={() => props.onClose()}>Cancel</Button>
        <Button
          kind="danger"
          type="submit"
          disabledReason={isSending() ? 'The run is being watched.' : shown.disabledReason()}
        >
          {isSending() ? 'Watching the run…' : 'Settle as FAILED'}
        </Button>
      </footer>
    </form>
  );
}
