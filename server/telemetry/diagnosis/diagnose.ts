import type { Diagnosis } from '#shared/schemas/insights.ts';
import type { SearchedDiagnosis } from '#shared/words.ts';
import type { DiagnosedRun, Rule } from './diagnosed-run.ts';
import type { RunGoal, RunResult } from '#server/domain/objective.ts';
import * as end from './end-rules.ts';
import * as model from './model-rules.ts';
import { traceOf, type TraceRows } from './run-trace.ts';
import * as search from './search-rules.ts';

/** All rules: first the end of a run and the lack of progress, then the causes. */
const rules: readonly Rule[] = [
  end.silent,
  end.crashed,
  end.stoppedByUser,
  search.wrongDirection,
  search.targetUnreachable,
  search.targetReached,
  search.stagnation,
  search.stillImproving,
  search.notFinite,
  search.restarts,
  search.bestLost,
  model.prematureFixation,
  model.diversityLost,
  model.sigmaCollapsed,
  model.sigmaExploded,
  model.illConditioned,
  model.adaptiveStorm,
];

/**
 * Returns the findings about a run from its curves, each with its threshold; empty if there are none. Findings are no
 * verdict on an algorithm. Rules about telemetry use only the iterations that were read; in a long run, they are as
 * precise as the distance between these.
 */
export function diagnose(run: DiagnosedRun): Diagnosis[] {
  const counted = run.points.filter(({ evaluations }) => evaluations !== null);
  const points = counted.length > 0 ? counted : run.points;
  const evaluations = points.map((point) => point.evaluations ?? NaN);
  const bests = points.map(({ best }) => best ?? NaN);
  const trace = traceOf({ evaluations, bests }, run, run);
  return rules.map((rule) => rule({ ...run, points }, trace)).filter((finding) => finding !== null);
}

/**
 * Returns the codes by which users filter runs: those that need no telemetry. SILENT is not among them, because it needs
 * the times of the rows.
 */
export function searchedCodes(
  rows: TraceRows,
  goal: RunGoal,
  result: RunResult,
): SearchedDiagnosis[] {
  const trace = traceOf(rows, goal, result);
  const found: readonly [SearchedDiagnosis, boolean][] = [
    ['CRASHED', end.isCrashed(result)],
    ['STOPPED_BY_USER', end.isStoppedByUser(result)],
    ['TARGET_REACHED', search.isTargetReached(trace)],
    ['STAGNATION', search.isStagnant(trace)],
    ['STILL_IMPROVING', search.isStillImproving(trace, goal, result)],
  ];
  return found.flatMap(([code, isFound]) => (isFound ? code : []));
}
