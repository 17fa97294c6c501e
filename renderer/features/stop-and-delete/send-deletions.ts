import { formatCount } from '#shared/number-format.ts';
import { call } from '#renderer/api/client.ts';
import { ProblemError } from '#renderer/state/problem-error.ts';
import { type DeletionTarget, targetsText } from './targets.ts';
import { removedText, type Counters, type Preview } from './deletion-plan.ts';

/** Result of some deletions; each target is in exactly one list. */
export interface DeletionOutcome {
  deleted: DeletionTarget[];
  /** A run of the target was RUNNING when the service came to it. */
  blocked: DeletionTarget[];
  /** Already deleted. */
  missing: DeletionTarget[];
  /** The service could not delete it. */
  failed: DeletionTarget[];
  /** Not tried, or with an unknown result, because of `failure`. */
  notTried: DeletionTarget[];
  failure: ProblemError | undefined;
  /** Counts of the service, when a single target was deleted. */
  answer: Counters | undefined;
}

/** Small enough for a quick response, and for Close to take effect between two batches. */
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
 * Deletes the targets: a single one by its own endpoint, which reports the reason of a refusal; several (always
 * experiments) by the bulk endpoint in batches. With `force`, also deletes what blocks a runner for too long. `onBatch`
 * receives the result so far. A failure of the request ends the deletion; its batch is then among those not tried.
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
    notTried: [],
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
      return { ...outcome, notTried: targets.slice(start), failure: error };
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
 * Requests what the deletion of each target would remove, a few at a time; `onPreview` receives each result. Throws the
 * first failure other than a missing target; the results received before it are valid.
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

/** Returns the ids that no longer exist, to remove them from selections. */
export function deletedIds({ deleted, missing }: DeletionOutcome): string[] {
  return [...deleted, ...missing].map(({ id }) => id);
}

/** Whether all targets are deleted. */
export function isComplete({ blocked, failed, notTried }: DeletionOutcome): boolean {
  return blocked.length + failed.length + notTried.length === 0;
}

/** Returns one sentence about the result of the deletions. */
export function outcomeText(outcome: DeletionOutcome): string {
  const { answer, deleted, blocked, missing, failed, notTried } = outcome;
  const [only] = deleted;
  if (answer && only) return `Deleted ${only.name}: ${removedText(answer)}.`;
  const parts = [
    `Deleted ${targetsText(deleted)}`,
    ...(missing.length > 0 ? [`${formatCount(missing.length)} already deleted`] : []),
    ...(blocked.length > 0 ? [`${formatCount(blocked.length)} blocked by RUNNING runs`] : []),
    ...(failed.length > 0 ? [`${formatCount(failed.length)} failed`] : []),
    ...(notTried.length > 0 ? [`${formatCount(notTried.length)} not tried`] : []),
  ];
  return `${parts.join(', ')}.`;
}
