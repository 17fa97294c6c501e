import { countOf, formatCount } from '#shared/number-format.ts';
import { targetsText, type StopTarget } from '#renderer/components/targets.ts';
import { call, ProblemError } from '#renderer/api/client.ts';

/** What became of some stop requests. */
export interface StopOutcome {
  asked: { target: StopTarget; affectedRuns: number }[];
  /** Refused for a reason of their own: nothing of them runs, or they are gone. */
  refused: { target: StopTarget; detail: string }[];
  /** Not sent, because `failure` would have met them as well; those that can be tried again. */
  left: StopTarget[];
  failure: ProblemError | undefined;
}

type Send = (target: StopTarget, reason: string) => Promise<{ affectedRuns: number }>;

const refusals = new Set(['NOT_STOPPABLE', 'RUN_NOT_FOUND', 'EXPERIMENT_NOT_FOUND']);

/**
 * Asks the targets one after the other. A refusal concerns its target only; any other failure (no service, a
 * busy or read-only database) ends the sending, with its target as the first of those left.
 */
export async function sendStops(
  targets: readonly StopTarget[],
  reason: string,
  send: Send = postStop,
): Promise<StopOutcome> {
  const outcome: StopOutcome = { asked: [], refused: [], left: [], failure: undefined };
  for (const [index, target] of targets.entries()) {
    try {
      const { affectedRuns } = await send(target, reason);
      outcome.asked.push({ target, affectedRuns });
    } catch (error) {
      if (!(error instanceof ProblemError)) throw error;
      if (!refusals.has(error.code)) {
        return { ...outcome, left: targets.slice(index), failure: error };
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

/** One sentence for what was asked and refused, for a message at the edge of the page. */
export function outcomeText({ asked, refused }: StopOutcome): string {
  const [only] = asked;
  const runs = asked.reduce((sum, { affectedRuns }) => sum + affectedRuns, 0);
  const what =
    asked.length === 1 && only
      ? `Asked ${only.target.name} to stop`
      : `Asked ${targetsText(asked.map(({ target }) => target))} to stop`;
  const inRuns = only?.target.kind === 'experiment' ? ` (${countOf(runs, 'run')})` : '';
  const not =
    refused.length === 0 ? '' : ` ${formatCount(refused.length)} refused: ${refused[0]?.detail}.`;
  return asked.length === 0 ? not.trim() : `${what}${inRuns}.${not}`;
}
