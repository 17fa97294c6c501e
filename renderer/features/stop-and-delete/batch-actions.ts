import { describeCount, formatCount } from '#shared/number-format.ts';
import { call } from '#renderer/api/client.ts';
import { formatSentence } from '#renderer/ui/sentence.ts';
import { ProblemError } from '#renderer/state/problem-error.ts';
import type { BatchAction, BatchOutcome } from './batch.ts';
import { formatRemoved, type Counters, type Preview, type Previews } from './deletion-plan.ts';
import { formatTargets, type DeletionTarget, type StopTarget } from './targets.ts';

/** Result of a stop request. The service refuses it when nothing of the target runs, or the target is deleted. */
export type StopResult = { target: StopTarget } & (
  | { state: 'requested'; isDone: true; affectedRuns: number }
  | { state: 'refused'; isDone: false; detail: string }
);

const refusalCodes = new Set(['NOT_STOPPABLE', 'RUN_NOT_FOUND', 'EXPERIMENT_NOT_FOUND']);

/** Requests runs and experiments to stop, one per request. */
export function makeStopAction(reason: string): BatchAction<StopResult> {
  const send = async (target: StopTarget): Promise<StopResult> => {
    try {
      const { affectedRuns } = await postStop(target, reason);
      return { target, state: 'requested', isDone: true, affectedRuns };
    } catch (error) {
      if (!(error instanceof ProblemError) || !refusalCodes.has(error.code)) throw error;
      return { target, state: 'refused', isDone: false, detail: error.detail };
    }
  };
  return { requestSize: 1, send: (targets) => Promise.all(targets.map(send)) };
}

function postStop({ kind, id }: StopTarget, reason: string): Promise<{ affectedRuns: number }> {
  const body = { reason };
  return kind === 'run'
    ? call('stopRun', { params: { runId: id }, body })
    : call('stopExperiment', { params: { experimentId: id }, body });
}

/**
 * Describes the result of the stop requests: how many are sent, how many refused and why, how many not sent and why.
 */
export function formatStopOutcome({
  results,
  unsentTargets,
  failure,
}: BatchOutcome<StopResult>): string {
  const requested = results.filter((result) => result.state === 'requested');
  const refused = results.filter((result) => result.state === 'refused');
  const [only] = requested;
  const runs = requested.reduce((sum, { affectedRuns }) => sum + affectedRuns, 0);
  const names =
    requested.length === 1 && only
      ? only.target.name
      : formatTargets(requested.map(({ target }) => target));
  const inRuns = only?.target.kind === 'experiment' ? ` (${describeCount(runs, 'run')})` : '';
  return [
    ...(only ? [`Requested ${names} to stop${inRuns}.`] : []),
    ...(refused[0]
      ? [`${formatCount(refused.length)} refused: ${formatSentence(refused[0].detail)}`]
      : []),
    ...(failure
      ? [`${formatCount(unsentTargets.length)} not sent: ${formatSentence(failure.detail)}`]
      : []),
  ].join(' ');
}

/** Result of the deletion of a target. */
export interface DeletionResult {
  target: DeletionTarget;
  /**
   * `blocked`: a run is RUNNING, or a runner is writing. `changed`: its data have changed since the service counted
   * them. `missing`: already deleted. `failed`: not possible now.
   */
  state: 'deleted' | 'blocked' | 'changed' | 'missing' | 'failed';
  isDone: boolean;
  /** Counts of the service, for a target that was deleted by its own request. */
  counts?: Counters;
}

const previewsAtOnce = 4;

const states = {
  DELETED: 'deleted',
  RUNNING: 'blocked',
  RUNNER_WRITING: 'blocked',
  COUNTS_CHANGED: 'changed',
  NOT_FOUND: 'missing',
  ERROR: 'failed',
} as const;

/**
 * Deletes targets: a single one by its own endpoint, which reports the reason of a refusal; several (always
 * experiments) by the bulk endpoint. Deletes only targets whose data are those of their previews. With `force`, also
 * deletes what blocks a runner for too long.
 */
export function makeDeletionAction(
  targetCount: number,
  previews: Previews,
  force: boolean,
): BatchAction<DeletionResult> {
  const getKey = (id: string): string | undefined => {
    const preview = previews.get(id);
    return typeof preview === 'object' ? preview.countsKey : undefined;
  };
  return {
    // A failed request of several deletions would not report which of them the service has made.
    requestSize: 1,
    send: (targets) =>
      targetCount === 1
        ? Promise.all(targets.map((target) => deleteOne(target, getKey(target.id), force)))
        : deleteSeveral(targets, getKey, force),
  };
}

async function deleteOne(
  target: DeletionTarget,
  countsKey: string | undefined,
  force: boolean,
): Promise<DeletionResult> {
  try {
    const counts = await callDeletion(target, countsKey, force);
    return { target, state: 'deleted', isDone: true, counts };
  } catch (error) {
    if (error instanceof ProblemError && error.code === 'COUNTS_CHANGED')
      return { target, state: 'changed', isDone: false };
    if (!isAbsence(error)) throw error;
    return { target, state: 'missing', isDone: true };
  }
}

function callDeletion(
  { kind, id }: DeletionTarget,
  countsKey: string | undefined,
  force: boolean,
): Promise<Counters> {
  const query = {
    ...(countsKey !== undefined && { countsKey }),
    ...(force && { force: 'true' as const }),
  };
  const options = { query };
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

async function deleteSeveral(
  targets: readonly DeletionTarget[],
  getKey: (id: string) => string | undefined,
  force: boolean,
): Promise<DeletionResult[]> {
  const byId = new Map(targets.map((target) => [target.id, target]));
  const experimentIds = [...byId.keys()];
  const countsKeys = Object.fromEntries(
    experimentIds.flatMap((id) => {
      const countsKey = getKey(id);
      return countsKey === undefined ? [] : [[id, countsKey]];
    }),
  );
  const { items } = await call('deleteExperiments', {
    body: { experimentIds, countsKeys, force },
  });
  return items.flatMap(({ experimentId, reason }) => {
    const target = byId.get(experimentId);
    const state = states[reason];
    return target ? [{ target, state, isDone: isDeleted(state) }] : [];
  });
}

function isDeleted(state: DeletionResult['state']): boolean {
  return state === 'deleted' || state === 'missing';
}

/**
 * Fetches the preview of the deletion of each target, a few at a time; `onPreview` receives each result. Throws the
 * first failure other than a missing target; the results received before it are valid.
 */
export async function readPreviews(
  targets: readonly DeletionTarget[],
  onPreview: (id: string, preview: Preview | 'missing') => void,
  signal?: AbortSignal,
): Promise<void> {
  const queue = [...targets];
  const readNext = async (): Promise<void> => {
    for (let next = queue.shift(); next; next = queue.shift()) {
      onPreview(next.id, await readPreview(next, signal));
    }
  };
  await Promise.all(Array.from({ length: previewsAtOnce }, readNext));
}

async function readPreview(
  { kind, id }: DeletionTarget,
  signal: AbortSignal | undefined,
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
  signal: AbortSignal | undefined,
): Promise<Preview> {
  const options = { ...(signal && { signal }), isExact: true };
  if (kind === 'campaign')
    return call('previewCampaignDeletion', { params: { campaignId: id }, ...options });
  if (kind === 'data set')
    return call('previewDataSetDeletion', { params: { name: id }, ...options });
  return call('previewDeletion', { params: { experimentId: id }, ...options });
}

/** Returns the targets with a result of this state. */
export function getTargetsWith(
  outcome: BatchOutcome<DeletionResult> | undefined,
  state: DeletionResult['state'],
): DeletionTarget[] {
  return (outcome?.results ?? [])
    .filter((result) => result.state === state)
    .map(({ target }) => target);
}

/** Returns the ids that no longer exist, to remove them from selections. */
export function getDeletedIds({ results }: BatchOutcome<DeletionResult>): string[] {
  return results.filter(({ isDone }) => isDone).map(({ target }) => target.id);
}

/** Returns the result of the deletions, and why the service failed to make the others. */
export function formatDeletionOutcome(outcome: BatchOutcome<DeletionResult>): string {
  const { failure } = outcome;
  return [formatDeletion(outcome), ...(failure ? [formatSentence(failure.detail)] : [])].join(' ');
}

/** Returns one sentence about the result of the deletions. */
export function formatDeletion(outcome: BatchOutcome<DeletionResult>): string {
  const { results, unsentTargets, failure } = outcome;
  // A failure ends the batch at the first of these targets. Without a response, the service may have deleted it.
  const unknownCount = failure?.code === 'UNREACHABLE' ? 1 : 0;
  const failedCount = failure ? 1 - unknownCount : 0;
  const kind = (results[0]?.target ?? unsentTargets[0])?.kind ?? 'experiment';
  const [only, another] = results;
  if (only?.counts && !another)
    return `Deleted ${only.target.name}: ${formatRemoved(only.counts)}.`;
  const others: [number, string][] = [
    [getTargetsWith(outcome, 'missing').length, 'already deleted'],
    [getTargetsWith(outcome, 'blocked').length, 'blocked by RUNNING runs'],
    [getTargetsWith(outcome, 'changed').length, 'changed since the count'],
    [getTargetsWith(outcome, 'failed').length + failedCount, 'failed'],
    [unknownCount, 'with an unknown result'],
    [unsentTargets.length - failedCount - unknownCount, 'not tried'],
  ];
  const parts = others
    .filter(([count]) => count > 0)
    .map(([count, words]) => `${formatCount(count)} ${words}`);
  const deletedCount = getTargetsWith(outcome, 'deleted').length;
  if (deletedCount === 0 && unknownCount === 0 && parts.length > 0)
    return `No ${kind} deleted: ${parts.join(', ')}.`;
  return `${[`Deleted ${describeCount(deletedCount, kind)}`, ...parts].join(', ')}.`;
}
