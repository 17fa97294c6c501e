import type { GroupSummary, Grouping, ProblemComparison } from '#shared/schemas/analysis.ts';
import type { MeasurementPlan, Measurements, Objective } from './analysis-input.ts';
import { boxSummary } from '#server/stats/box.ts';
import { comparisonNotes } from './comparison-notes.ts';
import type { ComparisonScope } from './comparison-scope.ts';
import { convergence } from '#server/stats/convergence.ts';
import { ecdfOfAllRuns, ecdfOfSuccessfulRuns } from '#server/stats/ecdf.ts';
import { kruskalWallis } from '#server/stats/kruskal-wallis.ts';
import { bestByRun, outcomesOf } from './measurement.ts';
import { pairwiseTests } from '#server/stats/pairwise-tests.ts';
import { rankGroups } from './problem-blocks.ts';
import { groupRuns, type RunGroup } from './problem-groups.ts';
import { performanceProfiles } from '#server/stats/profiles.ts';
import {
  dataProfileUnitFor,
  expectedRuntimes,
  type MeasuredRuns,
  runsDataProfile,
} from './run-profiles.ts';
import { summariseSuccess } from './success-summary.ts';

/** All that a comparison is computed from. */
export interface ProblemComparisonInput {
  scope: ComparisonScope;
  groupBy: Grouping;
  objective: Objective;
  /** Made from the runs of the scope, and measured in their traces. */
  plan: MeasurementPlan;
  measurements: Measurements;
}

/**
 * Comparison of the groups of runs on one problem instance: success, best fitness, pairwise and omnibus
 * tests, convergence and profiles, and the notes that belong to them. Groups are in order of their names.
 */
export function compareProblem(input: ProblemComparisonInput): ProblemComparison {
  const { scope, groupBy, objective } = input;
  const groups = groupRuns(scope, groupBy);
  const tested = groups.filter((group) => group.sample.length > 0);
  const friedman = rankGroups(tested, scope, groupBy, objective.direction);
  const { notes: _notes, direction, ...sources } = objective;
  return {
    problemType: scope.problemType,
    objectiveDirection: direction,
    ...sources,
    groupBy,
    algorithms: groups.map((group) => summariseGroup(group, input)),
    pairwiseWilcoxon: pairwiseTests(groups, direction),
    friedman,
    kruskalWallis: kruskalWallis(groups.map((group) => group.sample)),
    ...groupCurves(groups, input),
    instances: scope.instances,
    notes: comparisonNotes(scope, objective, groups, friedman),
  };
}

function summariseGroup(group: RunGroup, input: ProblemComparisonInput): GroupSummary {
  const { name, label, runs, sample, configurations, experimentIds } = group;
  const box = boxSummary(sample);
  return {
    algorithm: name,
    label,
    ...summariseSuccess(runs, outcomesOf(runs, input.objective, input.measurements)),
    sampleSize: sample.length,
    meanBest: box.mean,
    medianBest: box.median,
    stdBest: box.stdDev,
    box,
    configurations,
    experimentIds,
  };
}

function groupCurves(groups: readonly RunGroup[], input: ProblemComparisonInput) {
  const { plan, measurements, scope, objective } = input;
  const { dimension } = scope.selected;
  const measured = (runs: MeasuredRuns['runs']) => ({ runs, plan, measurements });
  return {
    convergence: groups.map(({ name, runs }) => ({
      name,
      points: convergence(plan.budgets, bestByRun(runs, measurements)),
    })),
    ecdfTotalRuns: groups.map(({ name, runs }) => ({
      name,
      points: ecdfOfAllRuns(timesToTarget(runs, objective, measurements)),
    })),
    ecdfSuccessfulRuns: groups.map(({ name, runs }) => ({
      name,
      points: ecdfOfSuccessfulRuns(timesToTarget(runs, objective, measurements)),
    })),
    dataProfiles: groups.map(({ name, runs }) => ({
      name,
      points: runsDataProfile(measured(runs), dimension),
    })),
    dataProfileUnit: dataProfileUnitFor(dimension),
    performanceProfiles: performanceProfiles(
      groups.map(({ name, runs }) => ({ name, costs: expectedRuntimes(measured(runs)) })),
    ),
  };
}

function timesToTarget(
  runs: RunGroup['runs'],
  objective: Objective,
  measurements: Measurements,
): (number | null)[] {
  return outcomesOf(runs, objective, measurements).map((outcome) => outcome.evaluationsToTarget);
}
