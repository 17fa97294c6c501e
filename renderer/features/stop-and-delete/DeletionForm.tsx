import { createEffect, createMemo, createSignal, For, Show, untrack, type JSX } from 'solid-js';
import { describeCount, formatCount } from '#shared/number-format.ts';
import { Button } from '#renderer/ui/Button.tsx';
import { getShortId } from '#shared/words.ts';
import { Check } from '#renderer/ui/Check.tsx';
import { FailureLine } from '#renderer/ui/FailureLine.tsx';
import { TextField } from '#renderer/ui/TextField.tsx';
import { type DeletionTarget, formatTargets } from './targets.ts';
import {
  getPreviewsOf,
  isConfirmed,
  isWriting,
  getNumberToType,
  makeRemovedRows,
  getRunnerWaitSeconds,
  type BlockedTarget,
} from './deletion-plan.ts';
import { createDeletion, type Deletion } from './deletion-state.ts';
import './deletion.css';
import { isComplete } from './batch.ts';
import { formatDeletion, getTargetsWith } from './batch-actions.ts';

interface DeletionFormProps {
  targets: readonly DeletionTarget[];
  onClose: () => void;
  onDeleted: (ids: readonly string[]) => void;
}

/** Content of the dialog: what is deleted, what is skipped and why, the confirmation, the result. */
export function DeletionForm(props: DeletionFormProps): JSX.Element {
  // The dialog rebuilds its content for each question; a running deletion outlives it.
  const deletion = createDeletion({
    targets: untrack(() => props.targets),
    onClose: () => props.onClose(),
    onDeleted: untrack(() => props.onDeleted),
  });
  const [typedText, setTypedText] = createSignal('');
  const deletablePreviews = createMemo(() =>
    getPreviewsOf(deletion.remaining(), deletion.previews()),
  );
  const waitSeconds = createMemo(() => getRunnerWaitSeconds(deletablePreviews()));
  const [isForced, setForced] = createSignal(false);
  const expectedNumber = createMemo(() =>
    getNumberToType(deletablePreviews().reduce((sum, { runsDeleted }) => sum + runsDeleted, 0)),
  );
  const isCounted = (): boolean => deletion.plan().unknown.length === 0;
  const reasonNotTo = (): string | undefined => {
    const disabledReason = deletion.disabledReason();
    if (disabledReason) return disabledReason;
    if (!isCounted()) return 'Still counting what will be deleted.';
    if (deletion.isDeleting()) return 'Deleting…';
    if (deletion.remaining().length === 0) {
      const isBlocked = getTargetsWith(deletion.outcome(), 'blocked').length > 0;
      return isBlocked ? 'RUNNING runs block the rest.' : 'Nothing is left to delete.';
    }
    if (waitSeconds() !== null && !isForced())
      return 'A runner is writing. Wait, or tick “Delete anyway”.';
    return !deletion.needsConfirmation() || isConfirmed(expectedNumber(), typedText())
      ? undefined
      : `Type ${formatCount(expectedNumber())} first.`;
  };
  let field: HTMLInputElement | undefined;
  createEffect(
    () =>
      isCounted() && deletion.needsConfirmation() && expectedNumber() !== null && field?.focus(),
  );
  const submit = (event: Event): void => {
    event.preventDefault();
    if (!reasonNotTo()) deletion.remove(isForced());
  };
  return (
    <form class="dialog-form" onSubmit={submit}>
      <DeletionTargets targets={props.targets} deletion={deletion} />
      <Show
        when={isCounted()}
        fallback={<Counting deletion={deletion} of={props.targets.length} />}
      >
        <Show when={deletion.plan().deletable.length > 0 && deletion.needsConfirmation()}>
          <RemovedRows rows={makeRemovedRows(deletablePreviews())} />
        </Show>
      </Show>
      <BlockedNotice deletion={deletion} />
      <Show when={isCounted() && waitSeconds()}>
        {(seconds) => (
          <>
            <p class="notice-line">
              {`A runner is writing to this database. Deleting now blocks it for about ${formatCount(seconds())} s; ` +
                'after 10 s it times out and its run fails. Wait until the run has finished.'}
            </p>
            <Check checked={isForced()} onChange={setForced}>
              Delete anyway
            </Check>
          </>
        )}
      </Show>
      <Show when={isCounted() && deletion.needsConfirmation() && expectedNumber()}>
        {(number) => (
          <TextField
            ref={(element: HTMLInputElement) => (field = element)}
            label={`Type ${formatCount(number())}, the number of runs, to confirm`}
            inputMode="numeric"
            autocomplete="off"
            spellcheck={false}
            value={typedText()}
            onInput={setTypedText}
          />
        )}
      </Show>
      <Outcome deletion={deletion} />
      <footer class="dialog-foot">
        <Button onClick={() => props.onClose()}>{deletion.outcome() ? 'Close' : 'Cancel'}</Button>
        <Show
          when={deletion.failure() && !deletion.disabledReason() && !isCounted()}
          fallback={
            <Show when={!isCounted() || deletion.plan().deletable.length > 0}>
              <Button kind="danger" type="submit" disabledReason={reasonNotTo()}>
                {deletion.isDeleting() ? 'Deleting…' : getDeleteLabel(deletion, isCounted())}
              </Button>
            </Show>
          }
        >
          <Button kind="primary" onClick={() => deletion.count()}>
            Retry
          </Button>
        </Show>
      </footer>
    </form>
  );
}

function getDeleteLabel({ remaining, needsConfirmation }: Deletion, isCounted: boolean): string {
  const targets = remaining();
  if (!isCounted || targets.length === 0) return 'Delete';
  return needsConfirmation() ? `Delete ${formatTargets(targets)}` : 'Retry';
}

/** Lists the targets by name, each with its state or result. */
function DeletionTargets(
  props: Pick<DeletionFormProps, 'targets'> & { deletion: Deletion },
): JSX.Element {
  return (
    // A long list scrolls, and keyboard users must be able to scroll it.
    <ul class="target-list" tabIndex={0} aria-label="To delete">
      <For each={props.targets}>
        {(target) => <TargetLine target={target} deletion={props.deletion} />}
      </For>
    </ul>
  );
}

function TargetLine(props: { target: DeletionTarget; deletion: Deletion }): JSX.Element {
  const fate = createMemo(() => getFate(props.target.id, props.deletion));
  return (
    <li>
      <span class="target-name clip">{props.target.name}</span>
      <Show when={props.target.id !== props.target.name}>
        <span class="mono muted">{getShortId(props.target.id)}</span>
      </Show>
      <span class={`target-fate target-${fate().tone}`}>{fate().text}</span>
    </li>
  );
}

interface Fate {
  tone: 'plain' | 'skipped' | 'failed';
  text: string;
}

function getFate(id: string, deletion: Deletion): Fate {
  const state = deletion.outcome()?.results.find(({ target }) => target.id === id)?.state;
  if (state === 'deleted') return { tone: 'plain', text: 'deleted' };
  if (state === 'failed') return { tone: 'failed', text: 'failed' };
  if (state === 'blocked') return { tone: 'skipped', text: 'skipped (running)' };
  const preview = deletion.previews().get(id);
  if (preview === undefined) return { tone: 'plain', text: '…' };
  if (preview === 'missing' || state === 'missing')
    return { tone: 'plain', text: 'already deleted' };
  if (!preview.deletable) {
    const text = isWriting(preview)
      ? 'RUNNING'
      : `${describeCount(preview.runningRuns, 'run')} RUNNING`;
    return { tone: 'skipped', text: `skipped: ${text}` };
  }
  return { tone: 'plain', text: describeCount(preview.runsDeleted, 'run') };
}

function Counting(props: { deletion: Deletion; of: number }): JSX.Element {
  return (
    <Show when={!props.deletion.failure()}>
      <p class="muted" role="status">
        {`Counting what will be deleted: ${formatCount(props.deletion.previews().size)} of ${formatCount(props.of)}`}
      </p>
    </Show>
  );
}

function RemovedRows(props: { rows: ReturnType<typeof makeRemovedRows> }): JSX.Element {
  return (
    <section aria-label="What will be deleted">
      <p>Permanently deletes:</p>
      <dl class="removed-counts">
        <For each={props.rows}>
          {(row) => (
            <div classList={{ muted: row.count === 0 }}>
              <dt>{row.label}</dt>
              <dd>{formatCount(row.count)}</dd>
            </div>
          )}
        </For>
      </dl>
    </section>
  );
}

function BlockedNotice(props: { deletion: Deletion }): JSX.Element {
  const blocked = () => props.deletion.plan().blocked;
  return (
    <Show when={blocked().length > 0}>
      <p class="notice-line">
        {blocked().every(isWriting) ? formatWriting(blocked()) : formatBlocked(blocked())}
      </p>
    </Show>
  );
}

/** Returns the notice for a campaign that writes between two of its runs. */
function formatWriting(blocked: readonly BlockedTarget[]): string {
  return (
    `${formatTargets(blocked)} cannot be deleted while it is RUNNING and active. ` +
    'It can be deleted ten minutes after its last activity.'
  );
}

function formatBlocked(blocked: readonly BlockedTarget[]): string {
  const named = blocked
    .slice(0, 5)
    .map(({ name, runningRuns }) => `${name} (${describeCount(runningRuns, 'run')})`)
    .join(', ');
  const more = blocked.length > 5 ? ` and ${formatCount(blocked.length - 5)} more` : '';
  return (
    `${formatTargets(blocked)} cannot be deleted while ` +
    `${blocked.length === 1 ? 'a run of it is' : 'runs of them are'} RUNNING: ${named}${more}. ` +
    'Stop the run first. If its process has died, mark it as failed on the run page.'
  );
}

function Outcome(props: { deletion: Deletion }): JSX.Element {
  const outcome = () => {
    const result = props.deletion.outcome();
    return result && !isComplete(result) && !props.deletion.isDeleting() ? result : undefined;
  };
  return (
    <>
      <Show when={props.deletion.isDeleting() && props.deletion.outcome()}>
        {(soFar) => (
          <p role="status" class="muted">
            {formatDeletion(soFar())}
          </p>
        )}
      </Show>
      <Show when={outcome()}>
        {(result) => (
          <p role="status" class="notice-line">
            {formatDeletion(result())}
          </p>
        )}
      </Show>
      <Show when={props.deletion.failure()}>{(error) => <FailureLine error={error()} />}</Show>
    </>
  );
}
