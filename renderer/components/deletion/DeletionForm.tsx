import { createMemo, createSignal, For, Match, Show, Switch, untrack, type JSX } from 'solid-js';
import type { DeletionPreview } from '#shared/schemas/experiment.ts';
import { countOf, formatCount } from '#shared/number-format.ts';
import { Button } from '#renderer/components/Button.tsx';
import { focusSoon } from '#renderer/components/focus-soon.ts';
import { FailureLine } from '#renderer/components/FailureLine.tsx';
import { TextField } from '#renderer/components/TextField.tsx';
import { confirmationOf, isConfirmed, removedRows, type DeletionTarget } from './deletion-plan.ts';
import { createDeletion, type Deletion } from './deletion-state.ts';
import { DeletionTargets } from './DeletionTargets.tsx';
import { isComplete, outcomeText } from './send-deletions.ts';

interface DeletionFormProps {
  targets: readonly DeletionTarget[];
  onClose: () => void;
  onGone: (experimentIds: readonly string[]) => void;
}

/** The inside of the dialog: what goes, what is kept and why, the confirmation, the result. */
export function DeletionForm(props: DeletionFormProps): JSX.Element {
  // The dialog builds its inside anew for each question, so the targets never change here.
  const deletion = createDeletion({
    targets: untrack(() => props.targets),
    onClose: () => props.onClose(),
    onGone: (ids) => props.onGone(ids),
  });
  const [typed, setTyped] = createSignal('');
  const confirmation = createMemo(() =>
    confirmationOf(props.targets.length, deletion.plan().deletable),
  );
  const isCounted = (): boolean => deletion.plan().unknown.length === 0;
  const isReady = (): boolean =>
    isCounted() &&
    deletion.plan().deletable.length > 0 &&
    isConfirmed(confirmation(), typed()) &&
    !deletion.isDeleting();
  const submit = (event: Event): void => {
    event.preventDefault();
    if (isReady()) deletion.remove();
  };
  return (
    <form class="dialog-form" onSubmit={submit}>
      <DeletionTargets targets={props.targets} deletion={deletion} />
      <Show
        when={isCounted()}
        fallback={<Counting deletion={deletion} of={props.targets.length} />}
      >
        <Show when={deletion.plan().deletable.length > 0 && !deletion.outcome()}>
          <Removed deletion={deletion} />
        </Show>
      </Show>
      <Blocked deletion={deletion} />
      <Show when={isCounted() && !deletion.outcome() && confirmation()}>
        {(shown) => (
          <TextField
            ref={focusSoon}
            autofocus
            label={shown().ask}
            autocomplete="off"
            spellcheck={false}
            value={typed()}
            onInput={setTyped}
          />
        )}
      </Show>
      <Outcome deletion={deletion} />
      <footer class="dialog-foot">
        <Button onClick={() => props.onClose()}>{deletion.outcome() ? 'Close' : 'Cancel'}</Button>
        <Switch
          fallback={
            <Button kind="danger" type="submit" disabled={!isReady()}>
              {deletion.isDeleting()
                ? 'Deleting…'
                : `Delete ${countOf(deletion.plan().deletable.length, 'experiment')}`}
            </Button>
          }
        >
          <Match when={deletion.failure() && !isCounted()}>
            <Button kind="primary" onClick={() => deletion.count()}>
              Retry
            </Button>
          </Match>
          <Match when={isTryAgain(deletion)}>
            <Button kind="danger" type="submit" disabled={!isReady()}>
              {deletion.isDeleting() ? 'Deleting…' : 'Retry'}
            </Button>
          </Match>
        </Switch>
      </footer>
    </form>
  );
}

function isTryAgain(deletion: Deletion): boolean {
  const outcome = deletion.outcome();
  return outcome !== undefined && outcome.failed.length + outcome.left.length > 0;
}

function Counting(props: { deletion: Deletion; of: number }): JSX.Element {
  return (
    <Show when={!props.deletion.failure()}>
      <p class="muted" role="status">
        {`Counting what will be removed: ${props.deletion.previews().size} of ${props.of}`}
      </p>
    </Show>
  );
}

function Removed(props: { deletion: Deletion }): JSX.Element {
  const rows = createMemo(() => {
    const previews = props.deletion
      .plan()
      .deletable.map(({ experimentId }) => props.deletion.previews().get(experimentId))
      .filter((preview): preview is DeletionPreview => typeof preview === 'object');
    return removedRows(previews);
  });
  return (
    <section aria-label="What will be removed">
      <p>This will be removed for good:</p>
      <dl class="removed-counts">
        <For each={rows()}>
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

function Blocked(props: { deletion: Deletion }): JSX.Element {
  const blocked = () => props.deletion.plan().blocked;
  return (
    <Show when={blocked().length > 0}>
      <p class="notice-line">
        {`${countOf(blocked().length, 'experiment')} cannot be deleted while ` +
          `${blocked().length === 1 ? 'a run of it is' : 'runs of them are'} RUNNING: ` +
          `${blocked()
            .slice(0, 5)
            .map(({ name, runningRuns }) => `${name} (${countOf(runningRuns, 'run')})`)
            .join(', ')}${blocked().length > 5 ? ` and ${blocked().length - 5} more` : ''}. ` +
          'Stop first. A run whose process has died stays RUNNING.'}
      </p>
    </Show>
  );
}

function Outcome(props: { deletion: Deletion }): JSX.Element {
  const outcome = () => {
    const shown = props.deletion.outcome();
    return shown && !isComplete(shown) && !props.deletion.isDeleting() ? shown : undefined;
  };
  return (
    <>
      <Show when={props.deletion.isDeleting() && props.deletion.outcome()}>
        {(soFar) => (
          <p role="status" class="muted">
            {outcomeText({ ...soFar(), answer: undefined })}
          </p>
        )}
      </Show>
      <Show when={outcome()}>
        {(shown) => (
          <p role="status" class="notice-line">
            {outcomeText(shown())}
          </p>
        )}
      </Show>
      <Show when={props.deletion.failure()}>{(shown) => <FailureLine error={shown()} />}</Show>
    </>
  );
}
