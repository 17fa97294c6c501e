import { useQueryClient } from '@tanstack/solid-query';
import { createSignal, Show, untrack, type JSX } from 'solid-js';
import type { ProblemError } from '#renderer/api/client.ts';
import { wakeQueries } from '#renderer/api/waking.ts';
import { Button } from '#renderer/components/Button.tsx';
import { Dialog } from '#renderer/components/Dialog.tsx';
import { useLeave } from '#renderer/state/use-leave.ts';
import { FailureLine } from '#renderer/components/FailureLine.tsx';
import { ReasonField } from '#renderer/components/ReasonField.tsx';
import { createDialogFailure } from '#renderer/components/replaced-database.ts';
import { showToast } from '#renderer/components/toaster.ts';
import { type StopTarget, titleOf } from '#renderer/components/targets.ts';
import { rememberAsked } from './asked-stops.ts';
import { outcomeText, sendStops, type StopOutcome } from './send-stops.ts';

const [asked, setAsked] = createSignal<readonly StopTarget[] | null>(null);

/** Opens the dialog that asks for a reason and then asks these to stop. */
export function askToStop(targets: readonly StopTarget[]): void {
  setAsked(targets);
}

/** Asks for a reason and sends stop requests; stays open, with all that was typed, when they fail. */
export function StopDialog(): JSX.Element {
  const close = (): void => void setAsked(null);
  useLeave(close);
  return (
    <Dialog title={titleOf('Stop', asked() ?? [])} open={asked() !== null} onClose={close}>
      <StopForm targets={asked() ?? []} onClose={close} />
    </Dialog>
  );
}

function StopForm(props: { targets: readonly StopTarget[]; onClose: () => void }): JSX.Element {
  const client = useQueryClient();
  const [left, setLeft] = createSignal(untrack(() => props.targets));
  const [reason, setReason] = createSignal('');
  const [failure, setFailure] = createSignal<Pick<ProblemError, 'code' | 'detail'>>();
  const [isSending, setSending] = createSignal(false);
  const shown = createDialogFailure(failure);

  const conclude = (outcome: StopOutcome): void => {
    outcome.asked.forEach(({ target }) => rememberAsked(target.kind, target.id));
    void wakeQueries(client);
    const refusedOnly = outcome.asked.length === 0 && outcome.refused[0];
    if (outcome.failure) {
      setLeft(outcome.left);
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
    conclude(await sendStops(left(), reason().trim()));
    setSending(false);
  };
  return (
    <form class="dialog-form" onSubmit={(event) => void submit(event)}>
      <p>
        {props.targets[0]?.kind === 'experiment'
          ? 'All RUNNING runs are asked to stop.'
          : 'The run is asked to stop.'}{' '}
        The runner reads the request before its next iteration and ends as STOPPED; all results so
        far are kept. A run whose process has died does not answer.
      </p>
      <ReasonField value={reason()} onInput={setReason} />
      <Show when={shown.failure()}>
        {(error) => (
          <FailureLine error={error()}>
            {left().length < props.targets.length
              ? `${props.targets.length - left().length} of ${props.targets.length} were asked before.`
              : ''}
          </FailureLine>
        )}
      </Show>
      <footer class="dialog-foot">
        <Button onClick={() => props.onClose()}>Cancel</Button>
        <Button
          kind="primary"
          type="submit"
          disabledReason={isSending() ? 'The request is on its way.' : shown.disabledReason()}
        >
          {isSending() ? 'Asking…' : failure() ? 'Retry' : 'Ask to stop'}
        </Button>
      </footer>
    </form>
  );
}
