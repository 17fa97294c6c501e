import type { AnalysedRun, Objective } from './model.ts';
import type { AnalysisNote, NoteCode } from '#shared/schemas/analysis-note.ts';
import type { ObjectiveDirection } from '#shared/schemas/run.ts';
import type { TracedScope } from './scope.ts';
import { getBest, getFirstHit, hasReached, type RunTrace } from '#server/domain/trace.ts';
import {
  getUsedEvaluations,
  getCompletedBestFitness,
  isCompleted,
  isFailed,
  isImportedRun,
} from '#server/domain/outcome.ts';
import {
  describeCount,
  formatCount,
  formatDistinctFitness,
  formatShare,
  formatStatistic,
} from '#shared/number-format.ts';
import { getFiniteValues, getMaximum, getMinimum } from '#server/stats/descriptive.ts';
import { isRunning } from '#shared/words.ts';

/** Returns the count with its noun: "1 run" or "3 runs". */
export function formatNounCount(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

/** Returns the first `maximum` names as part of a sentence, with the number of further names; empty without names. */
export function formatNames(names: readonly string[], maximum = 3): string {
  const furtherCount = names.length - maximum;
  return furtherCount > 0
    ? `${names.slice(0, maximum).join('; ')}; and ${furtherCount} more`
    : names.join('; ');
}

/** Sentence on the values that the ranks of groups compare. Unlike the tests of pairs, ranks have no common budget. */
const rankBasis =
  'Ranks compare the final fitness of all completed runs, also beyond the common budget and the target; claims do not use them.';

/** Catalogue of all notes: the text of each code. */
const sentences = {
  NO_TARGET: () =>
    'No target is set, so “success” only means that the run completed; success rate, ERT, SP1 and ECDF are not ' +
    'performance measures here.',
  GENERATION_RESOLUTION: () =>
    'Evaluations to target are counted to the end of the generation that reached it.',
  IMPORTED_RESOLUTION: () =>
    'For imported runs, evaluations to target come from the first logged row that reached it.',
  DIRECTION_FROM_TRACE: (goal: string) =>
    `The analysis assumes ${goal} of fitness, because it moves that way in most runs.`,
  DIRECTION_ASSUMED: (goal: string) =>
    `The direction of fitness is unknown; the analysis assumes ${goal}.`,
  DIRECTIONS_DIFFER: (minimisedLabel: string, maximisedLabel: string) =>
    `Ranks follow the direction of each instance: ${minimisedLabel} minimised, ${maximisedLabel} maximised.`,
  TARGETS_DIFFER: (targets: readonly number[]) =>
    `The configurations have different targets (${targets.join(', ')}), so the analysis uses no target. Set one to compare by it.`,
  TARGET_OF_SOME: (missingTargetCount: number, experimentCount: number) =>
    `${missingTargetCount} of ${experimentCount} experiments ${missingTargetCount === 1 ? 'has' : 'have'} no target; the others’ target is applied, ` +
    'although their runs did not stop at this target.',
  TARGET_BEYOND_STOPPING: (
    stoppedCount: number,
    total: number,
    targets: readonly number[],
    requestedTarget: number,
  ) =>
    `${stoppedCount} of ${formatNounCount(total, 'run')} stopped at the target of their configuration (${targets.join(', ')}) ` +
    `before they could reach ${requestedTarget}, so their later results are unknown. Success rate and ERT over whole ` +
    'runs are not valid for this target.',
  SUGGESTED_TARGETS: (targets: readonly number[], solvedCounts: readonly number[], total: number) =>
    'Set a target to get success rates, ERT and tests of runtime. Suggestions, chosen from these data: ' +
    `${formatDistinctFitness(targets)
      .map((target, index) => `${target} (reached by ${solvedCounts[index]} of ${total})`)
      .join(', ')}.`,
  NO_RUNS: () => 'The experiment has no runs.',
  NO_SUCH_RUNS: (algorithms: string, instance: string) =>
    `There are no runs of ${algorithms} on ${instance}.`,
  RUN_IDS_REPEATED: (runCount: number) =>
    `${formatNounCount(runCount, 'run')} ${runCount === 1 ? 'has the id of another run and counts' : 'have the ids of other runs and count'} as well, ` +
    'because the table “runs” has no key. If they are copies, intervals and p-values are too small: delete the copies.',
  RUNS_COPIED: (runCount: number) =>
    `${formatNounCount(runCount, 'run')} ${runCount === 1 ? 'has' : 'have'} the configuration, the seed and every value of another run, and ` +
    `${runCount === 1 ? 'counts' : 'count'} as well. If they are copies, or the seed decides the whole run, intervals and p-values are too ` +
    'small: delete the copies.',
  RUNS_ACTIVE: (runCount: number, hasTarget: boolean) =>
    hasTarget
      ? `${formatNounCount(runCount, 'run')} still running; ${runCount === 1 ? 'it counts as unsolved until it reaches' : 'they count as unsolved until they reach'} the target.`
      : `${formatNounCount(runCount, 'run')} still running.`,
  RUNS_WITHOUT_DATA: (runCount: number) =>
    `${formatNounCount(runCount, 'run')} without evaluations: counted as ${runCount === 1 ? 'a run' : 'runs'}, but ${runCount === 1 ? 'adds' : 'add'} nothing to the sums.`,
  EVALUATIONS_RESTARTED: (runCount: number) =>
    `${formatNounCount(runCount, 'resumed run')} restarted the count of evaluations; the analysis adds later evaluations to those before.`,
  EVALUATIONS_DECREASE: (runCount: number) =>
    `${formatNounCount(runCount, 'run')} with iterations that have fewer evaluations than an earlier one: the analysis sorts them by evaluations. ` +
    `If ${runCount === 1 ? 'its count' : 'their count'} of evaluations restarted, evaluations to target are too few.`,
  STEPS_AS_EVALUATIONS: (runCount: number) =>
    `${formatNounCount(runCount, 'run')} recorded with MLflow without evaluations: ${runCount === 1 ? 'its' : 'their'} steps count as evaluations. ` +
    'Comparisons with other runs are only valid if each step is one evaluation.',
  RUNS_NOT_COMPLETED: (runCount: number) =>
    `${formatNounCount(runCount, 'run')} ${runCount === 1 ? 'has' : 'have'} not completed; the distribution of final fitness omits ${runCount === 1 ? 'it' : 'them'}.`,
  RUNS_FAILED_SOLVED: (runCount: number) =>
    `${formatNounCount(runCount, 'failed run')} reached the target before ${runCount === 1 ? 'it' : 'they'} failed. Success rate, ERT and SP1 over whole runs, and the ` +
    `curves, count ${runCount === 1 ? 'it' : 'them'} as solved; comparisons do not.`,
  NOT_FINITE: (runCount: number) =>
    `${formatNounCount(runCount, 'completed run')} without a best fitness, omitted.`,
  INFINITE_FITNESS: (runCount: number) =>
    `${formatNounCount(runCount, 'completed run')} with an infinite best fitness: an extreme value for ranks and the ` +
    'median, omitted from mean, standard deviation and box.',
  INFINITELY_GOOD_FITNESS: (runCount: number) =>
    `${formatNounCount(runCount, 'run')} with an infinite best fitness in the direction of improvement, which is not a valid result: ` +
    'it reaches no target, and tests use the best finite fitness of the iterations.',
  SMALL_SAMPLE: (valueCount: number) =>
    `Only ${formatNounCount(valueCount, 'run')}: quartiles and intervals are unreliable.`,
  SMALL_SAMPLES: () =>
    'With these runs no difference between the groups can be significant at 0.05: there are too few of them, or too ' +
    'many equal values.',
  DIMENSION_UNKNOWN: () =>
    'The configuration does not state the dimension, so the data profile counts plain evaluations.',
  OTHER_INSTANCES: (instance: string, otherInstanceCount: number) =>
    `Compared on ${instance}. ${otherInstanceCount === 1 ? 'The other instance is' : `The other ${otherInstanceCount} instances are`} ` +
    'not pooled; see Across instances.',
  POOLED_CONFIGURATIONS: (pooledGroups: readonly { label: string; configurations: number }[]) =>
    `Pools several configurations: ${formatNames(pooledGroups.map(({ label, configurations }) => `${label} (${configurations})`))}. ` +
    'Curves and tables show all runs, and their intervals ignore the configurations; claims never take runs of several configurations as one sample.',
  GROUPS_WITHOUT_COMPLETED_RUNS: (groups: string) =>
    `No completed runs with a best fitness, so not in the average ranks: ${groups}.`,
  TESTED_WITHIN_ALGORITHMS: () =>
    'The tests compare values of the parameter only inside each algorithm. Select one algorithm for ranks.',
  PAIRS_LEFT_OUT: (groupCount: number, maximum: number) =>
    `${groupCount} groups give ${(groupCount * (groupCount - 1)) / 2} pairs, too many to test (limit: ${maximum} groups). ` +
    'Select fewer algorithms or change the grouping.',
  INSTANCE_PAIRS_LEFT_OUT: (pairCount: number, maximum: number) =>
    `${formatCount(pairCount)} pairs on all instances are too many to test (limit: ${formatCount(maximum)}), so cells have no marks. Select fewer algorithms.`,
  UNEQUAL_BUDGETS: (minimum: number, maximum: number) =>
    `Runs have different budgets (${formatCount(minimum)} to ${describeCount(maximum, 'evaluation')}). The tests compare each pair within its common budget.`,
  BUDGETS_UNKNOWN: (runCount: number) =>
    `${formatNounCount(runCount, 'run')} without a known number of evaluations; the tests assume equal budgets.`,
  SEEDS_AS_BLOCKS: (blockCount: number) =>
    `The Friedman test pairs runs by ${blockCount} common seeds, which is valid only if a seed fixes ` +
    `conditions that all groups share. ${rankBasis}`,
  INSTANCES_AS_BLOCKS: (blockCount: number) =>
    `The Friedman test ranks the groups on ${blockCount} problem instances that they all share. ${rankBasis}`,
  NO_BLOCKS: () =>
    `The groups share fewer than two instances and fewer than two seeds, so there is no Friedman test. ${rankBasis}`,
  INSTANCES_WITHOUT_TARGET: (instances: readonly string[]) =>
    `Omitted (no target that all configurations agree on): ${formatNames(instances)}.`,
  INSTANCES_NOT_COMPARED: (instances: readonly string[]) =>
    `Omitted (fewer than two groups have results within a common budget): ${formatNames(instances)}.`,
  GROUP_LACKS_INSTANCES: (
    group: string,
    instances: readonly string[],
    total: number,
    missing: 'shared' | 'worst' | 'pairwise',
  ) =>
    `${group} has no results on ${instances.length} of ${formatNounCount(total, 'instance')}: ${formatNames(instances)}. ` +
    {
      shared: 'Average ranks and tests across instances omit them.',
      worst: 'It has the last rank on these instances.',
      pairwise: 'The tests compare its pairs without them.',
    }[missing],
  FEW_SHARED_INSTANCES: (block: 'instance' | 'function') =>
    `The groups share fewer than two ${block}s, so there is no Friedman test, and no difference across ${block}s can be significant.`,
  POOLED_ON_INSTANCES: (group: string, instanceCount: number) =>
    `${group} pools several configurations on ${formatNounCount(instanceCount, 'instance')}, so the tests claim no difference across instances for it: ` +
    'equal algorithms with other configurations can differ. Group by configuration to compare them.',
  PARAMETERS_VARY_TOGETHER: (paths: readonly string[]) =>
    `${paths.join(', ')} are confounded (they vary together); their separate associations with the results cannot be estimated.`,
  PARAMETERS_CORRELATED: (pairs: readonly { a: string; b: string; rho: number }[]) =>
    'Parameters are associated with each other over the experiments (rank correlation ρ of at least 0.5 or at most −0.5): ' +
    `${formatNames(pairs.map(({ a, b, rho }) => `${a} and ${b} (ρ = ${formatStatistic(rho)})`))}. ` +
    'Their separate associations with the results are hard to distinguish.',
  PARAMETERS_NESTED: (pairs: readonly { path: string; textPath: string; eta: number }[]) =>
    'The numbers of parameters depend on another parameter over the experiments (correlation ratio η of their ranks of at least 0.5): ' +
    `${formatNames(pairs.map(({ path, textPath, eta }) => `${path} on ${textPath} (η = ${formatStatistic(eta)})`))}. ` +
    'A correlation with the results may come from the other parameter.',
  RUNS_OF_BUDGETS: (minimum: number, maximum: number) =>
    `Runs have different budgets (${formatCount(minimum)} to ${describeCount(maximum, 'evaluation')}). Median best fitness and its ` +
    'correlations with parameters ignore that: a difference may come from the budget.',
  COMPLETED_SHARES_DIFFER: (smallestShare: number, largestShare: number) =>
    `Completed runs are ${formatShare(smallestShare)} to ${formatShare(largestShare)} of the runs of an experiment. Median best fitness and its ` +
    'correlations with parameters cover only these: a value with which runs often fail can look good.',
  RUNS_DEPEND_ON_VALUE: (
    parameters: readonly { path: string; smallest: number; largest: number }[],
  ) =>
    `Numbers of completed runs depend on the value: ${formatNames(
      parameters.map(({ path, smallest, largest }) => `${path} (${smallest} to ${largest} runs)`),
    )}. Medians of fewer runs vary more, so these correlations use equally many runs of each value, the first ones.`,
  RUNS_OF_INSTANCES: (instances: readonly string[]) =>
    `The runs belong to ${instances.length} problem instances, whose fitness is not comparable: ${formatNames(instances)}.`,
  RUNS_OF_DIRECTIONS: (minimisedCount: number, maximisedCount: number) =>
    `${formatNounCount(minimisedCount, 'run')} ${minimisedCount === 1 ? 'minimises' : 'minimise'} fitness and ${maximisedCount} ${maximisedCount === 1 ? 'maximises' : 'maximise'} it: higher is not better for all of them.`,
  RUNS_OF_TARGETS: (targets: readonly number[]) =>
    `The runs have different targets (${targets.join(', ')}); each uses its own.`,
  RUNS_GO_ON: (runCount: number) =>
    `${formatNounCount(runCount, 'run')} still running: ${runCount === 1 ? 'its curve ends' : 'their curves end'} at the latest point.`,
  RUNS_WITHOUT_TRACE: (runCount: number) =>
    `${formatNounCount(runCount, 'run')} without recorded fitness: no curve.`,
  RUNS_WITHOUT_TIMES: (runCount: number) =>
    `${formatNounCount(runCount, 'run')} whose iterations have no usable times: no curve over time.`,
  RUNS_RESUMED: (runCount: number) =>
    `${formatNounCount(runCount, 'run')} resumed from a checkpoint: wall time includes the interruption.`,
  PARAMETERS_LEFT_OUT: (listedCount: number, total: number) =>
    `The list contains ${listedCount} of ${total} parameters.`,
  TRIALS_REPEATED: (trialCount: number) =>
    `${formatNounCount(trialCount, 'trial')} ${trialCount === 1 ? 'has the instance and the run of another trial and counts' : 'have the instance and the run of other trials and count'} as well, ` +
    'because the table “coco_trials” has no key. If they are copies, results give them too much weight and intervals are too small: delete the copies.',
  TRIALS_FAILED: (trialCount: number, optimizers: readonly string[]) =>
    `ERTs and solved trials omit ${formatNounCount(trialCount, 'FAILED trial')} of ${formatNames(optimizers)}.`,
  TRIALS_FAILED_UNSOLVED: (trialCount: number) =>
    `${formatNounCount(trialCount, 'FAILED trial')} count${trialCount === 1 ? 's' : ''} as unsolved.`,
  TRIALS_FAILED_EXCLUDED: (trialCount: number) =>
    `The results exclude ${formatNounCount(trialCount, 'FAILED trial')}.`,
  TRIALS_WITHOUT_TRACE: (trialCount: number) =>
    `The results omit ${formatNounCount(trialCount, 'trial')} without stored iterations.`,
  CELLS_DROPPED: (cellCount: number, total: number, optimizers: readonly string[]) =>
    `The results omit ${cellCount} of ${formatNounCount(total, 'cell')} (function, dimension, instance), because these optimizers ` +
    `lack them: ${formatNames(optimizers)}.`,
  CELLS_UNSOLVED: (cellCount: number, optimizers: readonly string[]) =>
    `${formatNounCount(cellCount, 'missing cell')} count${cellCount === 1 ? 's' : ''} as unsolved, for ${formatNames(optimizers)}.`,
  CELLS_DIFFER: (cellCount: number, total: number) =>
    `The optimizers share ${cellCount} of ${formatNounCount(total, 'cell')} (function, dimension, instance). Do not rank them by these results.`,
  NO_SHARED_CELLS: (dimensions: readonly number[]) =>
    `The optimizers share no instance in dimension ${dimensions.join(', ')}. Choose fewer optimizers, or show all cells.`,
  CAMPAIGN_RUNNING: () =>
    'A campaign is still running. The p-values are interim, and the tests claim no difference until it ends.',
  OPTIMIZERS_NOT_TESTED: (optimizerCount: number, maximum: number) =>
    `There are ${optimizerCount} optimizers. Choose at most ${maximum} to test them against each other.`,
  TRIALS_OF_TARGETS: (targets: readonly number[]) =>
    `The optimizers have different targets on some instances (${formatNames(formatDistinctFitness(targets))}). Results to different ` +
    'targets are not comparable, so there are no tests of them. Set one target to compare them.',
  TRIALS_OF_BUDGETS: (functionCount: number, total: number) =>
    `On ${functionCount} of ${total} functions (each dimension counts), trials went on beyond the budget of another optimizer. ERTs and ` +
    'solved trials are over whole trials, and a larger budget solves more. Only the tests compare within the common budget.',
  TARGETS_FROM_DATA: () =>
    'The imported data state no targets. Each target is the best value of its function and dimension in the data set: results are exploratory, ' +
    'because the targets come from the data.',
  TRIALS_STOPPED_AT_TARGET: (trialCount: number) =>
    `${formatNounCount(trialCount, 'trial')} stopped at ${trialCount === 1 ? 'its' : 'their'} own target before ${trialCount === 1 ? 'its' : 'their'} budget ended. ` +
    `${trialCount === 1 ? 'It counts' : 'They count'} as unsolved at harder targets, at which ` +
    `${trialCount === 1 ? 'its result is' : 'their results are'} unknown: do not compare optimizers by ERT or ECDF there.`,
  INTERVALS_ASSUME_SUCCESS: (intervalCount: number, missingBudget: 'unknown' | 'different') =>
    `${formatNounCount(intervalCount, 'interval')} of an ERT ${intervalCount === 1 ? 'assumes' : 'assume'} that every trial succeeds, ` +
    `because all trials of the cell reached the target and ${missingBudget === 'unknown' ? 'their budget is unknown' : 'their budgets differ'}.`,
  NO_REFERENCE: (suite: string) =>
    `The database has no reference results of the suite ${suite} for these functions, dimensions and targets. ` +
    'Import some as reference to see ratios.',
  BEST_AS_REFERENCE: (suite: string) =>
    `The database has no reference results of the suite ${suite}. Ratios are to the smallest ERT of the compared optimizers.`,
  DOUBTFUL_REFERENCES: (cellCount: number) =>
    `${formatNounCount(cellCount, 'cell')} whose reference reports a finite ERT with no success; the ratios omit this reference.`,
  SIMULATED_RESTARTS: (hasFailures: boolean) =>
    'Simulated restarts continue trials that missed a target: with trials of the same optimizer, function and dimension, drawn at random ' +
    `until one reaches it.${hasFailures ? ' A FAILED trial without stored evaluations costs its budget.' : ''}`,
} satisfies Record<NoteCode, (...facts: never[]) => string>;

type Facts<Code extends NoteCode> = Parameters<(typeof sentences)[Code]>;

/** Returns the note of this code, with the facts in its text. */
export function makeNote<Code extends NoteCode>(code: Code, ...facts: Facts<Code>): AnalysisNote {
  const sentence = sentences[code] as (...args: Facts<Code>) => string;
  return { code, message: sentence(...facts) };
}

/** Returns the note as a list if the condition holds, else an empty list. */
export function makeNoteIf<Code extends NoteCode>(
  isNeeded: boolean,
  code: Code,
  ...facts: Facts<Code>
): AnalysisNote[] {
  return isNeeded ? [makeNote(code, ...facts)] : [];
}

/** Returns whether budgets differ by more than 5 % of the smallest one. */
export function hasDifferentBudgets(smallestBudget: number, largestBudget: number): boolean {
  return largestBudget > smallestBudget * 1.05;
}

/**
 * Returns the note on different budgets; an empty list without budgets, and if {@link hasDifferentBudgets} is false.
 */
export function makeBudgetRangeNotes(
  code: 'UNEQUAL_BUDGETS' | 'RUNS_OF_BUDGETS',
  budgets: readonly number[],
): AnalysisNote[] {
  const [smallestBudget, largestBudget] = [getMinimum(budgets) ?? 0, getMaximum(budgets) ?? 0];
  return makeNoteIf(
    hasDifferentBudgets(smallestBudget, largestBudget),
    code,
    smallestBudget,
    largestBudget,
  );
}

/** Numbers of resumed runs and of other runs whose evaluations decrease. */
export interface DecreasingCounts {
  restartedRuns: number;
  decreasingRuns: number;
}

/** Returns the numbers of runs whose evaluations decrease; 0 without runs. Ignores runs without a trace. */
export function countDecreasingRuns(
  runs: readonly { isResumed: boolean; trace: Pick<RunTrace, 'isDecreasing'> | null }[],
): DecreasingCounts {
  const runsWithDecrease = runs.filter(({ trace }) => trace?.isDecreasing);
  const restartedRuns = runsWithDecrease.filter(({ isResumed }) => isResumed).length;
  return { restartedRuns, decreasingRuns: runsWithDecrease.length - restartedRuns };
}

/** Returns the notes on resumed runs and on other runs whose evaluations decrease; an empty list without such runs. */
export function makeEvaluationNotes({
  restartedRuns,
  decreasingRuns,
}: DecreasingCounts): AnalysisNote[] {
  return [
    ...makeNoteIf(restartedRuns > 0, 'EVALUATIONS_RESTARTED', restartedRuns),
    ...makeNoteIf(decreasingRuns > 0, 'EVALUATIONS_DECREASE', decreasingRuns),
  ];
}

/** Returns the number of runs whose evaluations are steps of MLflow. */
export function countStepRuns(runs: readonly { hasMlflowSteps: boolean }[]): number {
  return runs.filter(({ hasMlflowSteps }) => hasMlflowSteps).length;
}

/** Returns the note on runs whose evaluations are steps of MLflow; an empty list if there are none. */
export function makeStepNotes(stepRunCount: number): AnalysisNote[] {
  return makeNoteIf(stepRunCount > 0, 'STEPS_AS_EVALUATIONS', stepRunCount);
}

/**
 * Returns the notes on runs with the id of another run, RUNNING runs, runs without evaluations, runs whose evaluations
 * decrease, runs whose evaluations are steps of MLflow, runs that have not completed, completed runs without a best
 * fitness, completed runs with an infinite best fitness, and runs whose best fitness is infinite in the direction of
 * improvement. Returns an empty list without such runs. With `hasTarget`, the note on RUNNING runs states that they
 * count as unsolved until they reach the target.
 */
export function makeRunNotes(runs: readonly AnalysedRun[], hasTarget: boolean): AnalysisNote[] {
  const completedRuns = runs.filter(isCompleted);
  const repeatedCount = runs.length - new Set(runs.map(({ runId }) => runId)).size;
  const runningCount = runs.filter(isRunning).length;
  const missingDataCount = runs.filter((run) => getUsedEvaluations(run) === 0).length;
  const incompleteCount = runs.length - completedRuns.length;
  const missingBestCount = completedRuns.filter(({ bestFitness }) => bestFitness === null).length;
  const infiniteRuns = completedRuns.filter(
    ({ bestFitness }) => Math.abs(bestFitness ?? 0) === Infinity,
  );
  const infinitelyGoodCount = runs.filter(
    ({ bestFitness, trace }) => bestFitness === (trace.direction === 'min' ? -Infinity : Infinity),
  ).length;
  return [
    ...makeNoteIf(repeatedCount > 0, 'RUN_IDS_REPEATED', repeatedCount),
    ...makeNoteIf(runningCount > 0, 'RUNS_ACTIVE', runningCount, hasTarget),
    ...makeNoteIf(missingDataCount > 0, 'RUNS_WITHOUT_DATA', missingDataCount),
    ...makeEvaluationNotes(countDecreasingRuns(runs)),
    ...makeStepNotes(countStepRuns(runs)),
    ...makeNoteIf(incompleteCount > 0, 'RUNS_NOT_COMPLETED', incompleteCount),
    ...makeNoteIf(missingBestCount > 0, 'NOT_FINITE', missingBestCount),
    ...makeNoteIf(infiniteRuns.length > 0, 'INFINITE_FITNESS', infiniteRuns.length),
    ...makeNoteIf(infinitelyGoodCount > 0, 'INFINITELY_GOOD_FITNESS', infinitelyGoodCount),
  ];
}

/**
 * Returns the note on completed runs that have the configuration, the seed, the evaluations, the best fitness and the
 * trace of another run; an empty list without such runs. Ignores runs without a seed. Ignores imported runs, because
 * their seeds may be numbers of the import. Ignores runs with fewer than two improvements, because they may be equal by
 * chance.
 */
export function makeCopyNotes(
  runs: readonly AnalysedRun[],
  getConfiguration: (run: AnalysedRun) => string,
): AnalysisNote[] {
  const candidates = runs.filter(
    (run) =>
      isCompleted(run) && !isImportedRun(run) && run.seed !== null && run.trace.best.length > 1,
  );
  const runsByResult = Map.groupBy(candidates, (run) =>
    JSON.stringify([getConfiguration(run), run.seed, run.evaluations, run.bestFitness]),
  );
  let copyCount = 0;
  for (const equalRuns of runsByResult.values()) {
    if (equalRuns.length === 1) continue;
    const traces = new Set(
      equalRuns.map(({ trace }) => `${trace.evaluations.join()} ${trace.best.join()}`),
    );
    copyCount += equalRuns.length - traces.size;
  }
  return makeNoteIf(copyCount > 0, 'RUNS_COPIED', copyCount);
}

/** Function that returns the target in the configuration of a run; null if there is none. */
type GetStatedTarget = (run: AnalysedRun) => number | null;

/**
 * Returns a function that returns the target that the experiment of a run states; null if the experiment states none or
 * is unknown.
 */
export function makeStatedTargetGetter({
  experiments,
}: Pick<TracedScope, 'experiments'>): GetStatedTarget {
  return ({ experimentId }) => experiments.get(experimentId)?.statedTarget ?? null;
}

/**
 * Returns the notes on runs that stopped at the target of their configuration and did not reach the target of the
 * objective, and on failed runs that reached the target of the objective; an empty list without such runs. If the
 * objective has no target, returns the note that suggests targets; an empty list if no completed run has a finite best
 * fitness.
 */
export function makeTargetNotes(
  runs: readonly AnalysedRun[],
  getStatedTarget: GetStatedTarget,
  objective: Objective,
): AnalysisNote[] {
  const { targetFitness, direction } = objective;
  if (targetFitness === null) return makeSuggestionNotes(runs, objective);
  const stoppedRuns = runs.filter((run) => {
    const target = getStatedTarget(run);
    return (
      target !== null &&
      hasStopped(run, target, direction) &&
      !hasRunReached(run, targetFitness, direction)
    );
  });
  const targets = [
    ...new Set(stoppedRuns.map(getStatedTarget).filter((target) => target !== null)),
  ];
  const solvedFailureCount = runs.filter(
    (run) => isFailed(run) && hasRunReached(run, targetFitness, direction),
  ).length;
  return [
    ...makeNoteIf(
      stoppedRuns.length > 0,
      'TARGET_BEYOND_STOPPING',
      stoppedRuns.length,
      runs.length,
      targets.sort((a, b) => a - b),
      targetFitness,
    ),
    ...makeNoteIf(solvedFailureCount > 0, 'RUNS_FAILED_SOLVED', solvedFailureCount),
  ];
}

/**
 * Returns whether a completed run ended when it reached this target, not later; false for other runs. Returns true for
 * a completed run if its stored best fitness reached the target, but its trace did not.
 */
function hasStopped(run: AnalysedRun, target: number, direction: ObjectiveDirection): boolean {
  if (!isCompleted(run) || !hasRunReached(run, target, direction)) return false;
  const hit = getFirstHit(run.trace, target);
  return hit === null || hit >= run.trace.usedEvaluations;
}

function hasRunReached(run: AnalysedRun, target: number, direction: ObjectiveDirection): boolean {
  const bestFitness = getBest(getFiniteValues([run.bestFitness, run.trace.best.at(-1)]), direction);
  return bestFitness !== null && hasReached(bestFitness, target, direction);
}

/** Minimum shares of the completed runs with a finite best fitness that reach the suggested targets. */
const suggestedShares = [0.9, 0.5, 0.1] as const;

/**
 * Returns the suggested targets, at most 3: distinct finite values of the best fitness of completed runs, the easiest
 * first. Returns an empty list if no completed run has a finite best fitness.
 */
export function getSuggestedTargets(
  runs: readonly AnalysedRun[],
  direction: ObjectiveDirection,
): number[] {
  const sign = direction === 'min' ? 1 : -1;
  const sortedValues = getFiniteValues(getCompletedBestFitness(runs)).sort(
    (a, b) => sign * (a - b),
  );
  const values = suggestedShares.flatMap(
    (share) => sortedValues[Math.ceil(share * sortedValues.length) - 1] ?? [],
  );
  return [...new Set(values)];
}

function makeSuggestionNotes(
  runs: readonly AnalysedRun[],
  { direction }: Pick<Objective, 'direction'>,
): AnalysisNote[] {
  const bestFitnessValues = getFiniteValues(getCompletedBestFitness(runs));
  const distinctTargets = getSuggestedTargets(runs, direction);
  if (distinctTargets.length === 0) return [];
  const solvedCounts = distinctTargets.map(
    (target) =>
      bestFitnessValues.filter((bestFitness) => hasReached(bestFitness, target, direction)).length,
  );
  return [
    {
      ...makeNote('SUGGESTED_TARGETS', distinctTargets, solvedCounts, bestFitnessValues.length),
      values: distinctTargets,
    },
  ];
}

/**
 * Returns the notes on an objective, in this order: the note on a missing target or, with a target, the result of
 * {@link makeResolutionNotes}; the note on a direction that the analysis assumes; the notes of the objective.
 */
export function makeObjectiveNotes(
  objective: Objective,
  runs: readonly Pick<AnalysedRun, 'runId'>[],
): AnalysisNote[] {
  const { directionSource, direction, targetFitness } = objective;
  const goal = direction === 'min' ? 'minimisation' : 'maximisation';
  return [
    ...(targetFitness === null
      ? [makeNote('NO_TARGET')]
      : makeResolutionNotes(runs.map(isImportedRun))),
    ...makeNoteIf(directionSource === 'trace', 'DIRECTION_FROM_TRACE', goal),
    ...makeNoteIf(directionSource === 'default', 'DIRECTION_ASSUMED', goal),
    ...(objective.notes ?? []),
  ];
}

/**
 * Returns the notes on the resolution of evaluations to target. `importedFlags` states for each run or campaign whether
 * it comes from an import. Without flags, returns the note on generations.
 */
export function makeResolutionNotes(importedFlags: readonly boolean[]): AnalysisNote[] {
  const hasImportedData = importedFlags.includes(true);
  // Loggers of other programs may write each improvement, not each generation.
  return [
    ...makeNoteIf(!hasImportedData || importedFlags.includes(false), 'GENERATION_RESOLUTION'),
    ...makeNoteIf(hasImportedData, 'IMPORTED_RESOLUTION'),
  ];
}
