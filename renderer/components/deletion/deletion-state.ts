import { useQueryClient } from '@tanstack/solid-query';
import { createMemo, createSignal, onCleanup, onMount, type Accessor } from 'solid-js';
import { asProblem, type ProblemError } from '#renderer/api/client.ts';
import { wakeQueries } from '#renderer/api/waking.ts';
import { createDialogFailure, type DialogFailure } from '#renderer/components/replaced-database.ts';
import { showToast } from '#renderer/components/toaster.ts';
import type { DeletionTarget } from '#renderer/components/targets.ts';
import { deletionPlan, type DeletionPlan, type Preview, type Previews } from './deletion-plan.ts';
import {
  goneIds,
  isComplete,
  outcomeText,
  readPreviews,
  sendDeletions,
  type DeletionOutcome,
} from './send-deletions.ts';

interface DeletionOptions {
  targets: readonly DeletionTarget[];
  onClose: () => void;
  onGone: (ids: readonly string[]) => void;
}

/** A deletion on its way from question to result; every member is reactive. */
export interface Deletion {
  previews: Accessor<Previews>;
  plan: Accessor<DeletionPlan>;
  /** Why counting or deleting failed, or cannot go on; undefined while neither did. */
  failure: DialogFailure['failure'];
  /** Why nothing more can be deleted here; undefined while it can. */
  disabledReason: DialogFailure['disabledReason'];
  isDeleting: Accessor<boolean>;
  /** What became of the targets so far; undefined before the first answer. */
  outcome: Accessor<DeletionOutcome | undefined>;
  /** Counts what is not counted yet. */
  count: () => void;
  /** Deletes what can be deleted and was not yet; by force also what keeps a runner waiting. */
  remove: (force: boolean) => void;
}

/** Counts at once, and deletes when told to. Deleting goes on when the dialog is closed meanwhile. */
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
    setPreviews((known) => new Map([...known, [id, preview]]));
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
        options.onGone(goneIds(soFar));
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

/** What a second try sends: all that can be deleted at first, later what failed or was not tried. */
function remaining(plan: DeletionPlan, outcome: DeletionOutcome | undefined): DeletionTarget[] {
  if (!outcome) return plan.deletable;
  return [...outcome.failed, ...outcome.left];
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
