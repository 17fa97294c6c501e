import { countOf, formatCount } from '#shared/number-format.ts';
import { targetsText, type StopTarget } from './targets.ts';
import { call } from '#renderer/api/client.ts';
import { ProblemError } from '#renderer/state/problem-error.ts';

/** Result of some stop requests. */
export interface StopOutcome {
  requested: { target: StopTarget; affectedRuns: number }[];
  /** Refused for its own reason: nothing of it runs, or it is deleted. */
  refused: { target: StopTarget; detail: string }[];
  /** Not sent, because `failure` would have affected them as well; can be tried again. */
  unsent: StopTarget[];
  failure: ProblemError | undefined;
}

type Send = (target: StopTarget, reason: string) => Promise<{ affectedRuns: number }>;

const refusals = new Set(['NOT_STOPPABLE', 'RUN_NOT_FOUND', 'EXPERIMENT_NOT_FOUND']);

/**
 * Sends a stop request for one target after the other. A refusal affects only its target; any other failure (no
 * service, a busy or read-only database) ends the sending, and its target is the first of those not sent.
 */
export async function sendStops(
  targets: readonly StopTarget[],
  reason: string,
  send: Send = postStop,
): Promise<StopOutcome> {
  const outcome: StopOutcome = { requested: [], refused: [], unsent: [], failure: undefined };
  for (const [index, target] of targets.entries()) {
    try {
      const { affectedRuns } = await send(target, reason);
      outcome.requested.push({ target, affectedRuns });
    } catch (error) {
      if (!(error instanceof ProblemError)) throw error;
      if (!refusals.has(error.code)) {
        return { ...outcome, unsent: targets.slice(index), failure: error };
      }
      outcome.refused.push({ target, detail: error.detail });
    }
  }
  return outcome;
}

function postStop({ kind, id }: StopTarget, reason: string): Promise<{ affectedRuns: number }> {
  const body = { reason };
  return kind === 'run'
    ? call('stopRun', { params: { runId: id }, body })
    : call('stopExperiment', { params: { experimentId: id }, body });
}

/** Returns one sentence about sent and refused requests, for a toast. */
export function outcomeText({ requested, refused }: StopOutcome): string {
  const [only] = requested;
  const runs = requested.reduce((sum, { affectedRuns }) => sum + affectedRuns, 0);
  const what =
    requested.length === 1 && only
      ? `Requested ${only.target.name} to stop`
      : `Requested ${targetsText(requested.map(({ target }) => target))} to stop`;
  const inRuns = only?.target.kind === 'experiment' ? ` (${countOf(runs, 'run')})` : '';
  const not =
    refused.length === 0 ? '' : ` ${formatCount(refused.length)} refused: ${refused[0]?.detail}.`;
  return requested.length === 0 ? not.trim() : `${what}${inRuns}.${not}`;
}
