import type { Diagnosis } from '#shared/schemas/insights.ts';
import { prematureFixation } from './fixation-rule.ts';
import { courseOf, type DiagnosedRun, type Rule } from './model.ts';
import * as model from './model-rules.ts';
import * as search from './search-rules.ts';

/** What ended or holds up the run comes first, then what explains it. */
const rules: readonly Rule[] = [
  search.silent,
  search.targetReached,
  search.stagnation,
  search.stillImproving,
  search.notFinite,
  search.bestLost,
  prematureFixation,
  model.diversityLost,
  model.sigmaCollapsed,
  model.sigmaExploded,
  model.illConditioned,
  model.adaptiveStorm,
];

/**
 * What a careful colleague would say after a look at all curves of a run; each finding names its threshold, and none is a
 * verdict on an algorithm. Empty for a run of which nothing is to be said, one without iterations among them. Telemetry
 * rules see the iterations that were read, so that of a long run they are precise to the distance between those.
 */
export function diagnose(run: DiagnosedRun): Diagnosis[] {
  const bests = Float64Array.from(run.points, ({ best }) => best ?? NaN);
  const course = courseOf(bests, run);
  return rules.map((rule) => rule(run, course)).filter((finding) => finding !== null);
}
