import {
  getUsedEvaluations,
  getCompletedBestFitness,
  getDataProfile,
  getDataProfileUnit,
  getErtMoverInterval,
  getLevels,
  getOutcomes,
  getOutcomesAtLevels,
  summariseSuccess,
} from '#server/domain/outcome.ts';
import type { RunRecord } from '#server/repositories/analysis.ts';
import {
  computeBox,
  makeEvaluationsHistogram,
  getFiniteValues,
  makeFitnessHistogram,
  getMaximum,
} from '#server/stats/descriptive.ts';
import {
  computeEcdfOfAllRuns,
  computeEcdfOfSuccessfulRuns,
  computeSuccessVsBudget,
} from '#server/stats/ecdf.ts';
import type { RunOutcome } from '#server/stats/runtime.ts';
import type { AnalysisNote } from '#shared/schemas/analysis-note.ts';
import type { ExperimentAnalysisQuery } from '#shared/schemas/analysis-query.ts';
import type { CurvePoint, ExperimentAnalysis, SeveralTargets } from '#shared/schemas/analysis.ts';
import { getFinalRuntime, isRunning } from '#shared/words.ts';
import { compareRuns } from './comparison.ts';
import { ensureConvergence, ensureTargetEcdfs } from './curves.ts';
import { makeGroupProfiles } from './groups.ts';
import { getKeyOfRuns, type Memo } from './memo.ts';
import type { AnalysedExperiment, AnalysedRun, Objective } from './model.ts';
import { makeNoteIf, makeObjectiveNotes, makeRunNotes, makeTargetNotes } from './notes.ts';
import type { ExperimentInput, AnalysisInput } from './load.ts';

/**
 * Returns the analysis of an experiment. With `sameProblem`, the analysis also contains the comparison of the
 * algorithms on the same problem instance, with the same direction and target. Throws ANSWER_TOO_LARGE like {@link
 * compareRuns} if this comparison has too many groups.
 */
export async function analyseExperiment(
  memo: Memo,
  input: ExperimentInput,
  query: ExperimentAnalysisQuery,
): Promise<ExperimentAnalysis> {
  const analysis = await getAnalysis(memo, input, query);
  if (!query.sameProblem) return analysis;
  // Compares last, to use the cached convergence if the experiment is the only one on its instance.
  const sameProblem = await compareRuns(memo, input, { ...query, groupBy: 'algorithm' });
  return { ...analysis, sameProblem };
}

/**
 * Returns the analysis without the comparison. Caches separately the values that do not depend on the `targets` of the
 * query.
 */
async function getAnalysis(
  memo: Memo,
  input: ExperimentInput,
  { targets }: ExperimentAnalysisQuery,
): Promise<ExperimentAnalysis> {
  const { scope, objective, loadRuns } = input;
  const { experimentId, problemType, instance, statedTarget, budget } = input.experiment;
  const isOwn = (run: RunRecord) => run.experimentId === experimentId;
  const ownRecords = scope.runs.filter(isOwn);
  const loadOwnRuns = async () => (await loadRuns()).filter(isOwn);
  const runsKey = getKeyOfRuns(scope.runs);
  const { dimension } = instance;
  const facts = ['metrics', experimentId, dimension, statedTarget, budget, objective, runsKey];
  const metrics = memo.ensure(facts, async () => {
    const profiles = await makeInstanceProfiles(memo, input, runsKey);
    return makeExperimentMetrics({
      objective,
      dimension,
      statedTarget,
      budget,
      runs: await loadOwnRuns(),
      performanceProfile: profiles[experimentId] ?? [],
    });
  });
  const convergence = ensureConvergence(memo, objective.direction, ownRecords, loadOwnRuns);
  const ecdfs = ensureTargetEcdfs(
    memo,
    [experimentId, getKeyOfRuns(ownRecords)],
    { objective, targets },
    async () => [{ name: experimentId, runs: await loadOwnRuns() }],
  );
  const [summary, targetEcdfs, convergence95Ci] = await Promise.all([metrics, ecdfs, convergence]);
  const identity = { experimentId, problemType, problemInstance: scope.selectedInstance };
  return { ...identity, ...summary, ...targetEcdfs, convergence95Ci };
}

/**
 * Returns the performance profile of every experiment with runs on the instance, by the id of the experiment. The cache
 * contains the profiles of all these experiments as one value.
 */
async function makeInstanceProfiles(
  memo: Memo,
  { objective, loadRuns }: AnalysisInput,
  runsKey: string,
): Promise<Record<string, CurvePoint[]>> {
  return memo.ensure(['profiles', objective, runsKey], async () => {
    const runs = await loadRuns();
    const levels = getLevels(runs, objective);
    const groups = Array.from(
      Map.groupBy(runs, ({ experimentId }) => experimentId),
      ([name, experimentRuns]) => ({
        name,
        levels: getOutcomesAtLevels(experimentRuns, levels, objective),
      }),
    );
    const profiles = makeGroupProfiles(groups).map(({ name, points }) => [name, points]);
    return Object.fromEntries(profiles) as Record<string, CurvePoint[]>;
  });
}

/** Input of the analysis of one experiment. */
export interface ExperimentMetricsInput {
  objective: Objective;
  /** Number of variables of the problem; null if unknown. */
  dimension: number | null;
  /** Target in the configuration; null without one. */
  statedTarget: number | null;
  /** Budget that the configuration grants to each run. */
  budget: AnalysedExperiment['budget'];
  /** Runs in the order of their start times. */
  runs: readonly AnalysedRun[];
  /** Performance profile of the experiment among all experiments on its problem instance. */
  performanceProfile: CurvePoint[];
}

/**
 * Analysis of an experiment, without its id, its problem type and instance, its convergence, its ECDFs over several
 * targets, and the comparison on its problem instance.
 */
export type ExperimentMetrics = Omit<
  ExperimentAnalysis,
  | 'experimentId'
  | 'problemType'
  | 'problemInstance'
  | 'convergence95Ci'
  | 'sameProblem'
  | keyof SeveralTargets
>;

/**
 * Minimum number of values of best fitness. If there are fewer, a note reports that quartiles and intervals are
 * unreliable.
 */
const minimumSampleSize = 5;

/**
 * Returns the analysis of the runs of one experiment. Without runs, counts and the success rate are 0, other metrics of
 * the runs are null, and lists of values and curves are empty, except the performance profile of the input.
 */
export function makeExperimentMetrics(input: ExperimentMetricsInput): ExperimentMetrics {
  const { objective, runs, dimension } = input;
  const outcomes = getOutcomes(runs, objective);
  const levels = getOutcomesAtLevels(runs, getLevels(runs, objective), objective);
  const { notes: _notes, direction, ...sources } = objective;
  return {
    objectiveDirection: direction,
    ...sources,
    ...summariseSuccess(runs, outcomes),
    ertMoverInterval: getErtMoverInterval(runs, outcomes, () => input, objective),
    ...getSamples(runs),
    ...getRuntimeCurves(runs, outcomes),
    dataProfile: getDataProfile(levels, dimension),
    dataProfileUnit: getDataProfileUnit(dimension),
    performanceProfile: input.performanceProfile,
    notes: makeExperimentNotes(input),
  };
}

function getSamples(runs: readonly AnalysedRun[]) {
  const bestFitnessValues = getFiniteValues(getCompletedBestFitness(runs));
  const endedRuns = runs.filter((run) => !isRunning(run));
  return {
    bestFitnessBox: computeBox(bestFitnessValues),
    bestFitnessValues,
    bestFitnessHistogram: makeFitnessHistogram(bestFitnessValues),
    runtimeMillisBox: computeBox(runs.map(getFinalRuntime)),
    evaluationsBox: computeBox(
      endedRuns.map(getUsedEvaluations).filter((evaluations) => evaluations > 0),
    ),
  };
}

function getRuntimeCurves(runs: readonly AnalysedRun[], outcomes: readonly RunOutcome[]) {
  const times = outcomes.map((outcome) => outcome.evaluationsToTarget);
  return {
    successVsBudget: computeSuccessVsBudget(times, getMaximum(runs.map(getUsedEvaluations)) ?? 0),
    timeToTargetHistogram: makeEvaluationsHistogram(times.filter((time) => time !== null)),
    ecdfTotalRuns: computeEcdfOfAllRuns(times),
    ecdfSuccessfulRuns: computeEcdfOfSuccessfulRuns(times),
  };
}

function makeExperimentNotes(input: ExperimentMetricsInput): AnalysisNote[] {
  const { runs, objective, dimension, statedTarget } = input;
  const sampleSize = getCompletedBestFitness(runs).length;
  return [
    ...makeObjectiveNotes(objective, runs),
    ...makeTargetNotes(runs, () => statedTarget, objective),
    ...makeNoteIf(runs.length === 0, 'NO_RUNS'),
    ...makeRunNotes(runs, objective.targetFitness !== null),
    ...makeNoteIf(sampleSize > 0 && sampleSize < minimumSampleSize, 'SMALL_SAMPLE', sampleSize),
    ...makeNoteIf(dimension === null, 'DIMENSION_UNKNOWN'),
  ];
}
