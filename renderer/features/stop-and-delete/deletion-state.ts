import { useQueryClient } from '@tanstack/solid-query';
import { createMemo, createSignal, onCleanup, onMount, type Accessor } from 'solid-js';
import { asProblem, type ProblemError } from '#renderer/state/problem-error.ts';
import { wakeQueries } from '#renderer/api/waking.ts';
import { createDialogFailure, type DialogFailure } from './dialog-failure.ts';
import { showToast } from '#renderer/ui/toaster.ts';
import type { DeletionTarget } from './targets.ts';
import { deletionPlan, type DeletionPlan, type Preview, type Previews } from './deletion-plan.ts';
import {
  deletedIds,
  isComplete,
  outcomeText,
  readPreviews,
  sendDeletions,
  type DeletionOutcome,
} from './send-deletions.ts';

interface DeletionOptions {
  targets: readonly DeletionTarget[];
  onClose: () => void;
  onDeleted: (ids: readonly string[]) => void;
}

/** State of a deletion from the question to the result; every member is reactive. */
export interface Deletion {
  previews: Accessor<Previews>;
  plan: Accessor<DeletionPlan>;
  /** Why counting or deleting failed or cannot continue; undefined otherwise. */
  failure: DialogFailure['failure'];
  /** Why nothing more can be deleted; undefined when something can. */
  disabledReason: DialogFailure['disabledReason'];
  isDeleting: Accessor<boolean>;
  /** Result for the targets so far; undefined before the first response. */
  outcome: Accessor<DeletionOutcome | undefined>;
  /** Counts the targets that are not counted yet. */
  count: () => void;
  /** Deletes all deletable targets that are not deleted yet; with force, also those that block a runner. */
  remove: (force: boolean) => void;
}

/** Counts immediately and deletes on `remove`. Deleting continues when the dialog is closed. */
export function createDeletion(options: DeletionOptions): Deletion {
  const client = useQueryClient();
  const [previews, setPreviews] = createSignal<Previews>(new Map());
  const [failure, setFailure] = createSignal<ProblemError>();
  const [isDeleting, setDeleting] = createSignal(false);
  const [outcome, setOutcome] = createSignal<DeletionOutcome>();
  const plan = createMemo(() => deletionPlan(options.targets, previews()));
  const closing = new AbortController();
  onCleanup(() => closing.abort());

  const keep = (id: string, preview: Preview | 'missing'): void => {
    setPreviews((previous) => new Map([...previous, [id, preview]]));
  };
  const count = (): void => {
    setFailure(undefined);
    const uncounted = options.targets.filter(({ id }) => !previews().has(id));
    readPreviews(uncounted, keep, closing.signal).catch((error: unknown) => {
      if (!closing.signal.aborted) setFailure(asProblem(error));
    });
  };
  const remove = async (force: boolean): Promise<void> => {
    if (isDeleting()) return;
    setDeleting(true);
    setFailure(undefined);
    const targets = remaining(plan(), outcome());
    const before = outcome();
    const result = merged(
      before,
      await sendDeletions(targets, force, (soFar) => {
        setOutcome(merged(before, { ...soFar }));
        options.onDeleted(deletedIds(soFar));
      }),
    );
    setDeleting(false);
    setOutcome(result);
    setFailure(result.failure);
    await wakeQueries(client);
    const isClosed = closing.signal.aborted;
    if (isComplete(result) || isClosed) {
      showToast(outcomeText(result), isComplete(result) ? 'done' : 'failure');
    }
    if (isComplete(result) && !isClosed) options.onClose();
  };
  onMount(count);
  return {
    previews,
    plan,
    ...createDialogFailure(failure),
    isDeleting,
    outcome,
    count,
    remove: (force) => void remove(force),
  };
}

/** Returns what the next attempt sends: first all deletable targets, later those that failed or were not tried. */
function remaining(plan: DeletionPlan, outcome: DeletionOutcome | undefined): DeletionTarget[] {
  if (!outcome) return plan.deletable;
  return [...outcome.failed, ...outcome.notTried];
}

function merged(before: DeletionOutcome | undefined, now: DeletionOutcome): DeletionOutcome {
  if (!before) return now;
  return {
    ...now,
    deleted: [...before.deleted, ...now.deleted],
    blocked: [...before.blocked, ...now.blocked],
    missing: [...before.missing, ...now.missing],
  };
}
