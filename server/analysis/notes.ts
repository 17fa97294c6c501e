import { formatFitness } from '#shared/number-format.ts';
import type { AnalysisNote, NoteCode } from '#shared/schemas/analysis-note.ts';

/** "1 run" or "3 runs": the count with its noun. */
export function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

/** Names in a sentence; of many the first ones. */
export function listed(names: readonly string[], most = 3): string {
  const more = names.length - most;
  return more > 0 ? `${names.slice(0, most).join('; ')}; and ${more} more` : names.join('; ');
}

/** The sentence of every note. The catalogue that all notes come from. */
const sentences = {
  NO_TARGET: () =>
    'There is no target: success means that a run was completed, and success rate, ERT, SP1 and ECDF ' +
    'describe the budget spent, not performance.',
  GENERATION_RESOLUTION: () =>
    'Evaluations to the target are those at the end of the generation that reached it.',
  IMPORTED_RESOLUTION: () =>
    'Evaluations to the target of imported runs are those of the first row of their data that reached it.',
  DIRECTION_FROM_TRACE: (verb: string) =>
    `Fitness is taken to be ${verb}, because it moves that way in most runs.`,
  DIRECTION_ASSUMED: (verb: string) =>
    `Nothing says whether fitness is minimised or maximised; it is taken to be ${verb}.`,
  DIRECTIONS_DIFFER: (minimised: string, maximised: string) =>
    `Each instance is ranked in its own direction: ${minimised} minimised, ${maximised} maximised.`,
  TARGETS_DIFFER: (targets: readonly number[]) =>
    `The configurations state different targets (${targets.join(', ')}), so none of them is used: ` +
    'choose one to compare by it.',
  TARGET_OF_SOME: (silent: number, all: number) =>
    `${silent} of ${all} experiments state no target; their runs are judged by that of the others, ` +
    'which they may not have stopped at.',
  TARGET_BEYOND_STOPPING: (
    stopped: number,
    all: number,
    stated: readonly number[],
    asked: number,
  ) =>
    `${stopped} of ${counted(all, 'run')} stopped at the target of their configuration (${stated.join(', ')}) ` +
    `before they could reach ${asked}. They count as failures with the evaluations spent until then: success ` +
    'rates are too low, and ERT and the tests on runtime and success do not tell how long it takes.',
  SUGGESTED_TARGETS: (targets: readonly number[], solved: readonly number[], all: number) =>
    'With one of these as target, success, ERT and runtime describe performance: ' +
    `${targets.map((target, index) => `${formatFitness(target)} (reached by ${solved[index]} of ${all})`).join(', ')}.`,
  NO_RUNS: () => 'The experiment has no runs.',
  NO_SUCH_RUNS: (algorithms: string, instance: string) =>
    `There are no runs of ${algorithms} on ${instance}.`,
  RUNS_ACTIVE: (runs: number) =>
    `${counted(runs, 'run')} still going on; until the target is reached, not counted as solved.`,
  RUNS_WITHOUT_DATA: (runs: number) =>
    `${counted(runs, 'run')} without any evaluations: counted as runs, nothing to add to a sum.`,
  RUNS_NOT_COMPLETED: (runs: number) =>
    `${counted(runs, 'run')} not completed, so not among the values of best fitness.`,
  RUNS_NOT_TIMED: (runs: number) =>
    `${counted(runs, 'run')} still going on without the target, or solved after an unknown number of ` +
    'evaluations: left out of the tests on runtime, and what still goes on of those on success.',
  NOT_FINITE: (runs: number) =>
    `${counted(runs, 'completed run')} without a best fitness, so not among its values.`,
  INFINITE_FITNESS: (runs: number) =>
    `${counted(runs, 'completed run')} with an infinite best fitness: an extreme value for ranks and the ` +
    'median best, left out of mean, standard deviation and box.',
  SMALL_SAMPLE: (values: number) =>
    `Best fitness of ${counted(values, 'run')} only: quartiles and intervals say little.`,
  SMALL_SAMPLES: () =>
    'The samples are too small for any difference between the groups to be significant at 0.05, ' +
    'however large it is.',
  DIMENSION_UNKNOWN: () =>
    'The configuration does not tell the dimension: the data profile counts plain evaluations.',
  OTHER_INSTANCES: (instance: string, others: number) =>
    `Compared on ${instance}; there ${others === 1 ? 'is' : 'are'} ` +
    `${counted(others, 'other instance')} of this problem, which must not be pooled with it.`,
  POOLED_CONFIGURATIONS: (pooled: readonly { label: string; configurations: number }[]) =>
    `Several configurations are pooled: ${listed(pooled.map(({ label, configurations }) => `${label} pools ${configurations}`))}.`,
  GROUPS_WITHOUT_COMPLETED_RUNS: (groups: string) =>
    `Left out of the tests for want of completed runs: ${groups}.`,
  PAIRS_LEFT_OUT: (groups: number, most: number) =>
    `${groups} groups make ${(groups * (groups - 1)) / 2} pairs, too many to test: tests of pairs are there for at ` +
    `most ${most} groups. Choose some of the algorithms, or group in another way.`,
  UNEQUAL_BUDGETS: (least: number, most: number) =>
    `The runs had unequal budgets, from ${least} to ${most} evaluations.`,
  BUDGETS_UNKNOWN: (runs: number) =>
    `${counted(runs, 'completed run')} without a known number of evaluations, so their budgets may be ` +
    'unequal.',
  SEEDS_AS_BLOCKS: (blocks: number) =>
    `The Friedman test pairs runs by ${blocks} common seeds, which is sound only if a seed fixes ` +
    'conditions that all groups share.',
  INSTANCES_AS_BLOCKS: (blocks: number) =>
    `The Friedman test ranks the groups on ${blocks} problem instances that all of them share.`,
  NO_BLOCKS: () =>
    'The groups share fewer than two instances and fewer than two seeds: there is no Friedman test, ' +
    'and the ranks are mean ranks over the pooled sample.',
  INSTANCES_WITHOUT_TARGET: (instances: readonly string[]) =>
    `Left out for want of a target that all configurations agree on: ${listed(instances)}.`,
  INSTANCES_NOT_COMPARED: (instances: readonly string[]) =>
    `Left out, as fewer than two groups have results there: ${listed(instances)}.`,
  GROUP_LACKS_INSTANCES: (group: string, instances: readonly string[], all: number) =>
    `${group} has no results on ${instances.length} of ${counted(all, 'instance')}, which therefore are in ` +
    `no average rank and no test across them: ${listed(instances)}.`,
  FEW_SHARED_INSTANCES: () =>
    'The groups share fewer than two instances: there is no test across them.',
  POOLED_ON_INSTANCES: (group: string, instances: number) =>
    `${group} pools several configurations on ${counted(instances, 'instance')}.`,
  PARAMETERS_VARY_TOGETHER: (paths: readonly string[]) =>
    `${paths.join(', ')} vary together: what each of them does cannot be told apart.`,
  RUNS_OF_INSTANCES: (instances: readonly string[]) =>
    `The runs are of ${instances.length} problem instances, on which fitness does not compare: ${listed(instances)}.`,
  RUNS_OF_DIRECTIONS: (minimised: number, maximised: number) =>
    `Fitness is minimised in ${counted(minimised, 'run')} and maximised in ${maximised}: up is not better for all.`,
  RUNS_OF_TARGETS: (targets: readonly number[]) =>
    `The runs have different targets (${targets.join(', ')}); each is judged by its own.`,
  RUNS_GO_ON: (runs: number) =>
    `${counted(runs, 'run')} still going on: not carried on beyond the newest point.`,
  RUNS_WITHOUT_TRACE: (runs: number) =>
    `${counted(runs, 'run')} without an iteration with a fitness: no curve.`,
  RUNS_WITHOUT_TIMES: (runs: number) =>
    `${counted(runs, 'run')} whose iterations do not tell when they were written: no curve over time.`,
  RUNS_RESUMED: (runs: number) =>
    `${counted(runs, 'run')} resumed from a checkpoint: the time includes what lay between.`,
  PARAMETERS_LEFT_OUT: (shown: number, all: number) => `${shown} of ${all} parameters are listed.`,
  TRIALS_FAILED: (trials: number) =>
    `${counted(trials, 'trial')} failed, which is no result of the optimizer: left out.`,
  TRIALS_FAILED_UNSOLVED: (trials: number) =>
    `${counted(trials, 'FAILED trial')} count${trials === 1 ? 's' : ''} as unsolved.`,
  TRIALS_FAILED_EXCLUDED: (trials: number) =>
    `${counted(trials, 'FAILED trial')} ${trials === 1 ? 'is' : 'are'} excluded.`,
  TRIALS_WITHOUT_TRACE: (trials: number) =>
    `${counted(trials, 'trial')} without stored iterations ${trials === 1 ? 'is' : 'are'} omitted.`,
  CELLS_DROPPED: (cells: number, all: number, optimizers: readonly string[]) =>
    `${cells} of ${counted(all, 'cell')} (function, dimension, instance) are omitted, because these optimizers ` +
    `lack them: ${listed(optimizers)}.`,
  CELLS_UNSOLVED: (cells: number, optimizers: readonly string[]) =>
    `${counted(cells, 'missing cell')} count${cells === 1 ? 's' : ''} as unsolved, for ${listed(optimizers)}.`,
  CELLS_DIFFER: (cells: number, all: number) =>
    `The optimizers share ${cells} of ${counted(all, 'cell')} (function, dimension, instance). Do not rank them by these curves.`,
  NO_SHARED_CELLS: (dimensions: readonly number[]) =>
    `The optimizers share no instance in dimension ${dimensions.join(', ')}. Choose fewer optimizers, or show all cells.`,
  CAMPAIGN_RUNNING: () =>
    'The campaign is still running. The p-values are interim, and no difference is claimed until it ends.',
  OPTIMIZERS_NOT_TESTED: (optimizers: number, most: number) =>
    `${optimizers} optimizers are chosen. Choose at most ${most} to test them against each other.`,
  NO_REFERENCE: (suite: string) =>
    `No reference results of the suite ${suite} are stored for these functions, dimensions and targets. ` +
    'Import some as reference to see ratios.',
  BEST_AS_REFERENCE: (suite: string) =>
    `No reference results of the suite ${suite} are stored. Ratios are to the smallest ERT of the compared optimizers.`,
  DOUBTFUL_REFERENCES: (cells: number) =>
    `${counted(cells, 'cell')} with a reference that claims a finite ERT without any success: left out ` +
    'of the ratios.',
  SIMULATED_RESTARTS: () =>
    'Trials that missed a target go on as restarts: trials of the same optimizer, function and dimension, drawn at random ' +
    'until one reaches it.',
} satisfies Record<NoteCode, (...facts: never[]) => string>;

type Facts<Code extends NoteCode> = Parameters<(typeof sentences)[Code]>;

/** The note of this code, its sentence made of the facts. */
export function note<Code extends NoteCode>(code: Code, ...facts: Facts<Code>): AnalysisNote {
  const sentence = sentences[code] as (...args: Facts<Code>) => string;
  return { code, message: sentence(...facts) };
}

/** The note as a list of one when the condition holds, else an empty list. */
export function noteIf<Code extends NoteCode>(
  condition: boolean,
  code: Code,
  ...facts: Facts<Code>
): AnalysisNote[] {
  return condition ? [note(code, ...facts)] : [];
}
