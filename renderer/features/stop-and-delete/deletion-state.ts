import { createMemo, createSignal, onCleanup, onMount, type Accessor } from 'solid-js';
import { asProblem, ProblemError } from '#renderer/state/problem-error.ts';
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
  hasChangedCounts,
  makeDeletionPlan,
  type DeletionPlan,
  type Preview,
  type Previews,
} from './deletion-plan.ts';
import { createDialogFailure, type DialogFailure } from './dialog-failure.ts';
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
  /** The targets that `remove` sends: all deletable ones, later those of them that failed or were not tried. */
  remaining: Accessor<readonly DeletionTarget[]>;
  /** Whether the user must confirm the counts: before the first response, and when the counts have changed. */
  isAsking: Accessor<boolean>;
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
   * Deletes all deletable targets that are not deleted yet; with force, also those that block a runner. Counts the rows
   * again immediately before, and fails with `COUNTS_CHANGED` where the counts differ from those that the user has seen.
   */
  remove: (force: boolean) => void;
}

/** Counts immediately and deletes on `remove`. Deleting continues when the dialog is closed. */
export function createDeletion(options: DeletionOptions): Deletion {
  const [previews, setPreviews] = createSignal<Previews>(new Map());
  const plan = createMemo(() => makeDeletionPlan(options.targets, previews()));
  const batch = createBatch<DeletionResult>({
    outcomeText: formatDeletionOutcome,
    onProgress: (soFar) => options.onDeleted(getDeletedIds(soFar)),
    closesWith: isComplete,
    closesAfterRefresh: true,
    onClose: options.onClose,
  });
  const closing = new AbortController();
  onCleanup(() => closing.abort());

  const keep = (id: string, preview: Preview | 'missing'): void => {
    setPreviews((previous) => new Map([...previous, [id, preview]]));
  };
  const count = (): void => {
    batch.setFailure(undefined);
    const uncounted = options.targets.filter(({ id }) => !previews().has(id));
    readPreviews(uncounted, keep, closing.signal).catch((error: unknown) => {
      if (!closing.signal.aborted) batch.setFailure(asProblem(error));
    });
  };
  const remaining = (): readonly DeletionTarget[] => {
    const outcome = batch.outcome();
    if (!outcome) return plan().deletable;
    const blockedIds = new Set(plan().blocked.map(({ id }) => id));
    const retried = [...getTargetsWith(outcome, 'failed'), ...outcome.unsent];
    return retried.filter(({ id }) => !blockedIds.has(id));
  };
  const throwIfCountsChanged = async (targets: readonly DeletionTarget[]): Promise<void> => {
    const current = new Map(previews());
    await readPreviews(targets, (id, preview) => current.set(id, preview));
    const hasChanged = targets.some(({ id }) =>
      hasChangedCounts(previews().get(id) ?? 'missing', current.get(id) ?? 'missing'),
    );
    if (!hasChanged) return;
    setPreviews(current);
    const detail =
      'The data to delete have changed since they were counted. Check the new counts, and confirm again.';
    throw new ProblemError('COUNTS_CHANGED', detail, 0);
  };
  const remove = (force: boolean): void => {
    const targets = remaining();
    const { requestSize, send } = makeDeletionAction(targets.length, force);
    void batch.run(targets, {
      requestSize,
      send: async (part) => {
        await throwIfCountsChanged(part);
        return send(part);
      },
    });
  };
  onMount(count);
  return {
    previews,
    plan,
    remaining,
    isAsking: () => !batch.outcome() || batch.failure()?.code === 'COUNTS_CHANGED',
    ...createDialogFailure(batch.failure),
    isDeleting: batch.isSending,
    outcome: batch.outcome,
    count,
    remove,
  };
}
