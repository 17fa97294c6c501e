import type { Diagnosis } from '#shared/schemas/insights.ts';
import type { SearchedDiagnosis } from '#shared/words.ts';
import type { DiagnosedRun, Rule } from './diagnosed-run.ts';
import type { RunGoal, RunResult } from '#server/domain/objective.ts';
import * as end from './end-rules.ts';
import * as model from './model-rules.ts';
import { makeDiagnosisTrace, type TraceRows } from './run-trace.ts';
import * as search from './search-rules.ts';

/** All rules, in this order: the end of a run, its search, its telemetry. */
const rules: readonly Rule[] = [
  end.diagnoseSilence,
  end.diagnoseCrash,
  end.diagnoseUserStop,
  search.diagnoseWrongDirection,
  search.diagnoseUnreachableTarget,
  search.diagnoseTargetReached,
  search.diagnoseStagnation,
  search.diagnoseImprovement,
  search.diagnoseNotFinite,
  search.diagnoseRestarts,
  search.diagnoseBestLost,
  model.diagnosePrematureFixation,
  model.diagnoseDiversityLoss,
  model.diagnoseSigmaCollapse,
  model.diagnoseSigmaExplosion,
  model.diagnoseIllConditioning,
  model.diagnoseAdaptiveStorm,
];

/**
 * Returns the findings about a run from its trace and telemetry, in the order of the rules; empty if there are none. A
 * finding contains its threshold if it has one. If some points have evaluations, ignores the points without
 * evaluations. Findings are not a verdict on an algorithm. Rules about telemetry use only the iterations of
 * `run.telemetry`. In a long run, the distance between these iterations limits the precision of the rules.
 */
export function diagnose(run: DiagnosedRun): Diagnosis[] {
  const countedPoints = run.points.filter(({ evaluations }) => evaluations !== null);
  const points = countedPoints.length > 0 ? countedPoints : run.points;
  const evaluations = points.map((point) => point.evaluations ?? NaN);
  const bests = points.map(({ best }) => best ?? NaN);
  const trace = makeDiagnosisTrace({ evaluations, bests }, run, run);
  return rules.map((rule) => rule({ ...run, points }, trace)).filter((finding) => finding !== null);
}

/**
 * Returns the codes of the findings by which lists can filter runs, always in the same order; empty if the run has no
 * such finding. These findings need no telemetry. Omits SILENT, because this finding needs the times of the rows.
 */
export function listSearchedCodes(
  rows: TraceRows,
  goal: RunGoal,
  result: RunResult,
): SearchedDiagnosis[] {
  const trace = makeDiagnosisTrace(rows, goal, result);
  const diagnoses: readonly [SearchedDiagnosis, boolean][] = [
    ['CRASHED', end.isCrashed(result)],
    ['STOPPED_BY_USER', end.isStoppedByUser(result)],
    ['TARGET_REACHED', search.isTargetReached(trace)],
    ['STAGNATION', search.isStagnant(trace)],
    ['STILL_IMPROVING', search.isStillImproving(trace, goal, result)],
  ];
  return diagnoses.flatMap(([code, isFound]) => (isFound ? code : []));
}
