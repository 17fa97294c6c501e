import { createMemo, createSignal, onCleanup, onMount, type Accessor } from 'solid-js';
import { asProblemError } from '#renderer/state/problem-error.ts';
import { createBatch, isComplete, type BatchOutcome } from './batch.ts';
import {
  getDeletedIds,
  makeDeletionAction,
  formatDeletionOutcome,
  readPreviews,
  getTargetsWith,
  type DeletionResult,
} from './batch-actions.ts';
import {
  makeDeletionPlan,
  type DeletionPlan,
  type Preview,
  type Previews,
} from './deletion-plan.ts';
import { createDialogFailure, type DialogFailure, type Failure } from './dialog-failure.ts';
import type { DeletionTarget } from './targets.ts';

interface DeletionOptions {
  targets: readonly DeletionTarget[];
  onClose: () => void;
  onDeleted: (ids: readonly string[]) => void;
}

/** State of a deletion from the question to the result; every member is reactive. */
export interface Deletion {
  previews: Accessor<Previews>;
  plan: Accessor<DeletionPlan>;
  /** The targets that `remove` sends: all deletable ones, after an attempt those that changed, failed or are unsent. */
  remaining: Accessor<readonly DeletionTarget[]>;
  /** Whether the user must confirm the counts: before the first response, and when the counts have changed. */
  needsConfirmation: Accessor<boolean>;
  /** Why counting or deleting failed or cannot continue; undefined otherwise. */
  failure: DialogFailure['failure'];
  /** Why nothing more can be deleted; undefined when something can. */
  disabledReason: DialogFailure['disabledReason'];
  isDeleting: Accessor<boolean>;
  /** Result for the targets so far; undefined before the first response. */
  outcome: Accessor<BatchOutcome<DeletionResult> | undefined>;
  /** Counts the targets that are not counted yet. */
  count: () => void;
  /**
   * Deletes all deletable targets that are not deleted yet; with force, also those that block a runner. Does not delete
   * a target whose data have changed since the user has seen its counts: counts it again, for another confirmation.
   */
  remove: (force: boolean) => void;
}

const changedFailure: Failure = {
  code: 'COUNTS_CHANGED',
  detail:
    'The data to delete have changed since they were counted. Check the new counts, and confirm again.',
};

/** Creates a deletion, which counts immediately and deletes on `remove`. It continues when the dialog is closed. */
export function createDeletion(options: DeletionOptions): Deletion {
  const [previews, setPreviews] = createSignal<Previews>(new Map());
  const plan = createMemo(() => makeDeletionPlan(options.targets, previews()));
  const batch = createBatch<DeletionResult>({
    formatOutcome: formatDeletionOutcome,
    onProgress: (soFar) => options.onDeleted(getDeletedIds(soFar)),
    shouldCloseWith: isComplete,
    shouldRefreshFirst: true,
    onClose: options.onClose,
  });
  const closing = new AbortController();
  onCleanup(() => closing.abort());

  const storePreview = (id: string, preview: Preview | 'missing'): void => {
    setPreviews((previous) => new Map([...previous, [id, preview]]));
  };
  const count = (): void => {
    batch.setFailure(undefined);
    const uncountedTargets = options.targets.filter(({ id }) => !previews().has(id));
    readPreviews(uncountedTargets, storePreview, closing.signal).catch((error: unknown) => {
      if (!closing.signal.aborted) batch.setFailure(asProblemError(error));
    });
  };
  const remaining = (): readonly DeletionTarget[] => {
    const outcome = batch.outcome();
    if (!outcome) return plan().deletable;
    const blockedIds = new Set(plan().blocked.map(({ id }) => id));
    const candidates = [
      ...getTargetsWith(outcome, 'changed'),
      ...getTargetsWith(outcome, 'failed'),
      ...outcome.unsentTargets,
    ];
    return candidates.filter(({ id }) => !blockedIds.has(id));
  };
  const remove = (force: boolean): void => {
    const targets = remaining();
    const { requestSize, send } = makeDeletionAction(targets.length, previews(), force);
    void batch.run(targets, {
      requestSize,
      send: async (part) => {
        const results = await send(part);
        const changedResults = results.filter(({ state }) => state === 'changed');
        // Without the new counts, a further attempt gets the same result and requests them again.
        await readPreviews(
          changedResults.map(({ target }) => target),
          storePreview,
        ).catch(() => {});
        return results;
      },
    });
  };
  const hasChanged = (): boolean => getTargetsWith(batch.outcome(), 'changed').length > 0;
  const failure = (): Failure | undefined =>
    batch.failure() ?? (hasChanged() && !batch.isSending() ? changedFailure : undefined);
  onMount(count);
  return {
    previews,
    plan,
    remaining,
    needsConfirmation: () => !batch.outcome() || hasChanged(),
    ...createDialogFailure(failure),
    isDeleting: batch.isSending,
    outcome: batch.outcome,
    count,
    remove,
  };
}
