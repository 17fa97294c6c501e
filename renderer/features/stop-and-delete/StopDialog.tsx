import { useQueryClient } from '@tanstack/solid-query';
import { createSignal, Show, untrack, type JSX } from 'solid-js';
import type { ProblemError } from '#renderer/state/problem-error.ts';
import { wakeQueries } from '#renderer/api/waking.ts';
import { Button } from '#renderer/ui/Button.tsx';
import { Dialog } from '#renderer/ui/Dialog.tsx';
import { useLeave } from '#renderer/state/use-leave.ts';
import { FailureLine } from '#renderer/ui/FailureLine.tsx';
import { ReasonField } from './ReasonField.tsx';
import { createDialogFailure } from './dialog-failure.ts';
import { showToast } from '#renderer/ui/toaster.ts';
import { type StopTarget, titleOf } from './targets.ts';
import { rememberStopRequest } from './requested-stops.ts';
import { outcomeText, sendStops, type StopOutcome } from './send-stops.ts';

const [stopTargets, setStopTargets] = createSignal<readonly StopTarget[] | null>(null);

/** Opens the dialog that asks for a reason and then requests these to stop. */
export function openStopDialog(targets: readonly StopTarget[]): void {
  setStopTargets(targets);
}

/** Asks for a reason and sends stop requests; stays open with the typed text when they fail. */
export function StopDialog(): JSX.Element {
  const close = (): void => void setStopTargets(null);
  useLeave(close);
  return (
    <Dialog
      title={titleOf('Stop', stopTargets() ?? [])}
      open={stopTargets() !== null}
      onClose={close}
    >
      <StopForm targets={stopTargets() ?? []} onClose={close} />
    </Dialog>
  );
}

function StopForm(props: { targets: readonly StopTarget[]; onClose: () => void }): JSX.Element {
  const client = useQueryClient();
  const [unsent, setUnsent] = createSignal(untrack(() => props.targets));
  const [reason, setReason] = createSignal('');
  const [failure, setFailure] = createSignal<Pick<ProblemError, 'code' | 'detail'>>();
  const [isSending, setSending] = createSignal(false);
  const shown = createDialogFailure(failure);

  const conclude = (outcome: StopOutcome): void => {
    outcome.requested.forEach(({ target }) => rememberStopRequest(target.kind, target.id));
    void wakeQueries(client);
    const refusedOnly = outcome.requested.length === 0 && outcome.refused[0];
    if (outcome.failure) {
      setUnsent(outcome.unsent);
      setFailure(outcome.failure);
    } else if (refusedOnly && props.targets.length === 1) {
      setFailure({ code: 'NOT_STOPPABLE', detail: refusedOnly.detail });
    } else {
      showToast(outcomeText(outcome), outcome.refused.length > 0 ? 'failure' : 'done');
      props.onClose();
    }
  };
  const submit = async (event: Event): Promise<void> => {
    event.preventDefault();
    if (isSending() || shown.disabledReason()) return;
    setSending(true);
    setFailure(undefined);
    conclude(await sendStops(unsent(), reason().trim()));
    setSending(false);
  };
  return (
    <form class="dialog-form" onSubmit={(event) => void submit(event)}>
      <p>
        {props.targets[0]?.kind === 'experiment'
          ? 'Requests all RUNNING runs to stop.'
          : 'Requests the run to stop.'}{' '}
        The runner reads the request before its next iteration and ends as STOPPED; all results so
        far are kept. A run whose process has died does not respond.
      </p>
      <ReasonField value={reason()} onInput={setReason} />
      <Show when={shown.failure()}>
        {(error) => (
          <FailureLine error={error()}>
            {unsent().length < props.targets.length
              ? `${props.targets.length - unsent().length} of ${props.targets.length} requests are sent already.`
              : ''}
          </FailureLine>
        )}
      </Show>
      <footer class="dialog-foot">
        <Button onClick={() => props.onClose()}>Cancel</Button>
        <Button
          kind="primary"
          type="submit"
          disabledReason={isSending() ? 'Sending the request.' : shown.disabledReason()}
        >
          {isSending() ? 'Sending…' : failure() ? 'Retry' : 'Request stop'}
        </Button>
      </footer>
    </form>
  );
}
