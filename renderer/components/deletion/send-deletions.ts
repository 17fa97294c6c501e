import { formatCount } from '#shared/number-format.ts';
import { call, ProblemError } from '#renderer/api/client.ts';
import { type DeletionTarget, targetsText } from '#renderer/components/targets.ts';
import { removedText, type Counters, type Preview } from './deletion-plan.ts';

/** What became of some deletions; each target is in exactly one list. */
export interface DeletionOutcome {
  deleted: DeletionTarget[];
  /** A run of theirs was RUNNING when it came to them. */
  blocked: DeletionTarget[];
  /** Gone before. */
  missing: DeletionTarget[];
  /** The service could not delete them. */
  failed: DeletionTarget[];
  /** Not tried, or with unknown result, because of `failure`. */
  left: DeletionTarget[];
  failure: ProblemError | undefined;
  /** The service's counts, when a single target was deleted. */
  answer: Counters | undefined;
}

/** Few enough that an answer comes soon and Close is heard between two of them. */
const batchSize = 20;
const previewsAtOnce = 4;

const lists = {
  DELETED: 'deleted',
  RUNNING: 'blocked',
  RUNNER_WRITING: 'blocked',
  NOT_FOUND: 'missing',
  ERROR: 'failed',
} as const;

/**
 * Deletes the targets: one by the call for one, which says why not, more, which are experiments, by the bulk call in
 * batches. `force` deletes also what keeps a runner waiting too long. `onBatch` hears the outcome so far. A failure of
 * the call itself ends the deleting, with its batch among those left.
 */
export async function sendDeletions(
  targets: readonly DeletionTarget[],
  force: boolean,
  onBatch: (outcome: DeletionOutcome) => void,
): Promise<DeletionOutcome> {
  const outcome: DeletionOutcome = {
    deleted: [],
    blocked: [],
    missing: [],
    failed: [],
    left: [],
    failure: undefined,
    answer: undefined,
  };
  const send = targets.length === 1 ? deleteOne : deleteBatch;
  for (let start = 0; start < targets.length; start += batchSize) {
    const batch = targets.slice(start, start + batchSize);
    try {
      await send(batch, force, outcome);
    } catch (error) {
      if (!(error instanceof ProblemError)) throw error;
      return { ...outcome, left: targets.slice(start), failure: error };
    }
    onBatch(outcome);
  }
  return outcome;
}

async function deleteOne(
  batch: readonly DeletionTarget[],
  force: boolean,
  outcome: DeletionOutcome,
): Promise<void> {
  const [target] = batch;
  if (!target) return;
  try {
    outcome.answer = await callDeletion(target, force);
    outcome.deleted.push(target);
  } catch (error) {
    if (!isAbsence(error)) throw error;
    outcome.missing.push(target);
  }
}

function callDeletion({ kind, id }: DeletionTarget, force: boolean): Promise<Counters> {
  const options = force ? { query: { force: 'true' } } : {};
  if (kind === 'campaign')
    return call('deleteCampaign', { params: { campaignId: id }, ...options });
  if (kind === 'data set') return call('deleteDataSet', { params: { name: id }, ...options });
  return call('deleteExperiment', { params: { experimentId: id }, ...options });
}

function isAbsence(error: unknown): boolean {
  return (
    error instanceof ProblemError && /^(EXPERIMENT|CAMPAIGN|DATASET)_NOT_FOUND$/.test(error.code)
  );
}

async function deleteBatch(
  batch: readonly DeletionTarget[],
  force: boolean,
  outcome: DeletionOutcome,
): Promise<void> {
  const byId = new Map(batch.map((target) => [target.id, target]));
  const { items } = await call('deleteExperiments', {
    body: { experimentIds: [...byId.keys()], force },
  });
  for (const { experimentId, reason } of items) {
    const target = byId.get(experimentId);
    if (target) outcome[lists[reason]].push(target);
  }
}

/**
 * Reads what the deletion of each target would remove, a few at a time; `onPreview` hears each as it comes.
 * Throws the first failure that is not the target's absence; what was heard before stays true.
 */
export async function readPreviews(
  targets: readonly DeletionTarget[],
  onPreview: (id: string, preview: Preview | 'missing') => void,
  signal: AbortSignal,
): Promise<void> {
  const waiting = [...targets];
  const readNext = async (): Promise<void> => {
    for (let next = waiting.shift(); next; next = waiting.shift()) {
      onPreview(next.id, await readPreview(next, signal));
    }
  };
  await Promise.all(Array.from({ length: previewsAtOnce }, readNext));
}

async function readPreview(
  { kind, id }: DeletionTarget,
  signal: AbortSignal,
): Promise<Preview | 'missing'> {
  try {
    return await callPreview({ kind, id }, signal);
  } catch (error) {
    if (isAbsence(error)) return 'missing';
    throw error;
  }
}

function callPreview(
  { kind, id }: Pick<DeletionTarget, 'kind' | 'id'>,
  signal: AbortSignal,
): Promise<Preview> {
  const options = { signal, isExact: true };
  if (kind === 'campaign')
    return call('previewCampaignDeletion', { params: { campaignId: id }, ...options });
  if (kind === 'data set')
    return call('previewDataSetDeletion', { params: { name: id }, ...options });
  return call('previewDeletion', { params: { experimentId: id }, ...options });
}

/** Ids of what is gone now, to be taken out of selections. */
export function goneIds({ deleted, missing }: DeletionOutcome): string[] {
  return [...deleted, ...missing].map(({ id }) => id);
}

/** Whether all that was asked for is gone. */
export function isComplete({ blocked, failed, left }: DeletionOutcome): boolean {
  return blocked.length + failed.length + left.length === 0;
}

/** One sentence for what became of the deletions. */
export function outcomeText(outcome: DeletionOutcome): string {
  const { answer, deleted, blocked, missing, failed, left } = outcome;
  const [only] = deleted;
  if (answer && only) return `Deleted ${only.name}: ${removedText(answer)}.`;
  const parts = [
    `Deleted ${targetsText(deleted)}`,
    ...(missing.length > 0 ? [`${formatCount(missing.length)} gone already`] : []),
    ...(blocked.length > 0 ? [`${formatCount(blocked.length)} blocked by RUNNING runs`] : []),
    ...(failed.length > 0 ? [`${formatCount(failed.length)} failed`] : []),
    ...(left.length > 0 ? [`${formatCount(left.length)} not tried`] : []),
  ];
  return `${parts.join(', ')}.`;
}
