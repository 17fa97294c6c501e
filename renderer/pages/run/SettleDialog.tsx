import { useQueryClient } from '@tanstack/solid-query';
import { createSignal, Show, type JSX } from 'solid-js';
import { call } from '#renderer/api/client.ts';
import { asProblemError, type ProblemError } from '#renderer/state/problem-error.ts';
import { wakeQueries } from '#renderer/api/waking.ts';
import { Button } from '#renderer/ui/Button.tsx';
import { Dialog } from '#renderer/ui/Dialog.tsx';
import { FailureLine } from '#renderer/ui/FailureLine.tsx';
import { createDialogFailure } from '#renderer/features/stop-and-delete/dialog-failure.ts';
import { ReasonField } from '#renderer/features/stop-and-delete/ReasonField.tsx';
import { formatFullTime } from '#renderer/ui/time.ts';
import { showToast } from '#renderer/ui/toaster.ts';
import { getShortId } from '#shared/words.ts';

interface SettleDialogProps {
  runId: string;
  /** Its last activity, as stored. */
  since: string;
  open: boolean;
  onClose: () => void;
}

/**
 * Explains the consequences, asks for confirmation, and marks a silent run as FAILED; stays open with the reason of a
 * refusal.
 */
export function SettleDialog(props: SettleDialogProps): JSX.Element {
  return (
    <Dialog
      title={`Mark run ${getShortId(props.runId)} as failed`}
      open={props.open}
      onClose={props.onClose}
    >
      <SettleForm {...props} />
    </Dialog>
  );
}

function SettleForm(props: SettleDialogProps): JSX.Element {
  const client = useQueryClient();
  const [reason, setReason] = createSignal('');
  const [failure, setFailure] = createSignal<ProblemError>();
  const [isSending, setSending] = createSignal(false);
  const visibleFailure = createDialogFailure(failure);
  const submit = async (event: Event): Promise<void> => {
    event.preventDefault();
    if (isSending() || visibleFailure.disabledReason()) return;
    setSending(true);
    setFailure(undefined);
    const { runId } = props;
    try {
      await call('settleRun', { params: { runId }, body: { reason: reason().trim() } });
      showToast(`Run ${getShortId(runId)} marked as FAILED at its last activity`, 'done');
      props.onClose();
      void wakeQueries(client, 'all');
    } catch (error) {
      setFailure(asProblemError(error));
    }
    setSending(false);
  };
  return (
    <form class="dialog-form" onSubmit={(event) => void submit(event)}>
      <p>
        The run becomes <strong>FAILED</strong> with its last activity,{' '}
        {formatFullTime(props.since)}, as its end and your reason as its message. This edits the
        runner’s row (the only case in which Evoscope does) and cannot be undone. Its experiment can
        then be deleted.
      </p>
      <p>
        The service first watches the run for up to 10 s and changes nothing if it still writes.
        Continue only if its runner has ended.
      </p>
      <ReasonField value={reason()} onInput={setReason} />
      <Show when={visibleFailure.failure()}>{(error) => <FailureLine error={error()} />}</Show>
      <footer class="dialog-foot">
        <Button onClick={() => props.onClose()}>Cancel</Button>
        <Button
          kind="danger"
          type="submit"
          disabledReason={isSending() ? 'Watching the run.' : visibleFailure.disabledReason()}
        >
          {isSending() ? 'Watching the run…' : 'Mark as FAILED'}
        </Button>
      </footer>
    </form>
  );
}
