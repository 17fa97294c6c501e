import { createSignal, Show, type JSX } from 'solid-js';
import { Button } from '#renderer/ui/Button.tsx';
import { Dialog } from '#renderer/ui/Dialog.tsx';
import { useLeave } from '#renderer/state/use-leave.ts';
import { FailureLine } from '#renderer/ui/FailureLine.tsx';
import { ReasonField } from './ReasonField.tsx';
import { createDialogFailure } from './dialog-failure.ts';
import { type StopTarget, getTitle } from './targets.ts';
import { rememberStopRequest } from './requested-stops.ts';
import { createBatch } from './batch.ts';
import { makeStopAction, formatStopOutcome, type StopResult } from './batch-actions.ts';

const [stopTargets, setStopTargets] = createSignal<readonly StopTarget[] | null>(null);

/** Opens the dialog that has a field for a reason and requests these targets to stop. */
export function openStopDialog(targets: readonly StopTarget[]): void {
  setStopTargets(targets);
}

/** Asks for a reason and sends stop requests; stays open with the typed text when they fail. */
export function StopDialog(): JSX.Element {
  const close = (): void => void setStopTargets(null);
  useLeave(close);
  return (
    <Dialog
      title={getTitle('Stop', stopTargets() ?? [])}
      open={stopTargets() !== null}
      onClose={close}
    >
      <StopForm targets={stopTargets() ?? []} onClose={close} />
    </Dialog>
  );
}

function StopForm(props: { targets: readonly StopTarget[]; onClose: () => void }): JSX.Element {
  const [reason, setReason] = createSignal('');
  const batch = createBatch<StopResult>({
    formatOutcome: formatStopOutcome,
    onProgress: ({ results }) =>
      results
        .filter(({ isDone }) => isDone)
        .forEach(({ target }) => rememberStopRequest(target.kind, target.id)),
    // A refusal of the only target is shown in the dialog, like a failure.
    shouldCloseWith: ({ failure, results }) =>
      !failure && (props.targets.length > 1 || results.every(({ isDone }) => isDone)),
    shouldRefreshFirst: false,
    onClose: () => props.onClose(),
  });
  const refusal = () => {
    const [result] = batch.outcome()?.results ?? [];
    return props.targets.length === 1 && result?.state === 'refused' && !batch.isSending()
      ? { code: 'NOT_STOPPABLE' as const, detail: result.detail }
      : undefined;
  };
  const failure = () => refusal() ?? batch.failure();
  const visibleFailure = createDialogFailure(failure);
  const unsentTargets = (): readonly StopTarget[] => {
    const remaining = batch.outcome()?.unsentTargets ?? [];
    return remaining.length > 0 ? remaining : props.targets;
  };
  const submit = (event: Event): void => {
    event.preventDefault();
    if (!visibleFailure.disabledReason())
      void batch.run(unsentTargets(), makeStopAction(reason().trim()));
  };
  return (
    <form class="dialog-form" onSubmit={submit}>
      <p>
        {props.targets[0]?.kind === 'experiment'
          ? 'Requests all RUNNING runs to stop.'
          : 'Requests the run to stop.'}{' '}
        The runner reads the request before its next iteration, and the run ends as STOPPED. All
        results so far stay stored. A run whose process has died does not respond.
      </p>
      <ReasonField value={reason()} onInput={setReason} />
      <Show when={visibleFailure.failure()}>
        {(error) => (
          <FailureLine error={error()}>
            {unsentTargets().length < props.targets.length
              ? `${props.targets.length - unsentTargets().length} of ${props.targets.length} requests are sent already.`
              : ''}
          </FailureLine>
        )}
      </Show>
      <footer class="dialog-foot">
        <Button onClick={() => props.onClose()}>{refusal() ? 'Close' : 'Cancel'}</Button>
        <Show when={!refusal()}>
          <Button
            kind="primary"
            type="submit"
            disabledReason={
              batch.isSending() ? 'Sending the request.' : visibleFailure.disabledReason()
            }
          >
            {batch.isSending() ? 'Sending…' : failure() ? 'Retry' : 'Request stop'}
          </Button>
        </Show>
      </footer>
    </form>
  );
}
