import { parseDecimal } from '#shared/syntax.ts';
import type { directions, directionSources } from '#shared/words.ts';
import { type ConfigObject, parseConfig, getValueAt } from './config.ts';

/** Direction of optimisation: whether smaller or larger fitness is better. */
export type Direction = (typeof directions)[number];

/** Source of a direction. */
export type DirectionSource = (typeof directionSources)[number];

const minimisingProblems = [
  'sphere',
  'rosenbrock',
  'rastrigin',
  'cec2014',
  'coco-bbob',
  'small-tsp',
  'tsplib-tsp',
  'mixed-toy',
  'disjunct-matrix',
  'resolvable-matrix',
  'almost-disjunct-matrix',
  'zdt',
  'dtlz',
  'nguyen-sr',
  'grammar-xor',
  'grammar-majority',
  'grammar-csv-regression',
  'grammar-csv-classification',
  'grammar-nguyen-regression',
];

const maximisingProblems = [
  'onemax',
  'knapsack',
  'maxsat',
  'boolean-function',
  'boolean-function-permutation',
  'boolean-function-tree',
  'boolean-function-mo',
];

const directionWords = {
  min: ['min', 'minimise', 'minimize', 'minimisation', 'minimization'],
  max: ['max', 'maximise', 'maximize', 'maximisation', 'maximization'],
};

/**
 * Rules of {@link findDirection} and of its equivalent in SQL: problem types and words in lower case, and the paths at
 * which a configuration may state a direction. The first path with a known word decides.
 */
export const directionRules = {
  problems: { min: minimisingProblems, max: maximisingProblems },
  words: directionWords,
  paths: ['direction', 'objective', 'sense'].map((key) => ['problem', 'params', key]),
};

/** Whitespace of JSON. Both implementations of the rules ignore it around a word. */
export const wordPadding = ' \t\r\n';

/** Facts that decide the direction of experiments on one problem if no direction is requested. */
export interface DirectionEvidence {
  /** The parsed configuration; undefined if the configuration states no direction. */
  config: unknown;
  problemType: string;
  /** The last minus the first finite best fitness of each run, by iteration; omits runs without finite best fitness. */
  traceGains: readonly number[];
}

/**
 * Returns the direction of an experiment and its source: the first result of {@link getConfiguredDirection}, {@link
 * getProblemDirection} and {@link getTraceDirection} that is not null, or `min` if all are null.
 */
export function findDirection(evidence: DirectionEvidence): {
  direction: Direction;
  directionSource: DirectionSource;
} {
  const statedDirection = getConfiguredDirection(evidence.config);
  if (statedDirection) return { direction: statedDirection, directionSource: 'config' };
  const problemDirection = getProblemDirection(evidence.problemType);
  if (problemDirection) return { direction: problemDirection, directionSource: 'problem' };
  const traceDirection = getTraceDirection(evidence.traceGains);
  if (traceDirection) return { direction: traceDirection, directionSource: 'trace' };
  return { direction: 'min', directionSource: 'default' };
}

/**
 * Returns the direction that a configuration states, by {@link directionRules}; null if it states none. Ignores ASCII
 * case, and {@link wordPadding} around the word.
 */
export function getConfiguredDirection(config: unknown): Direction | null {
  const statedDirections = directionRules.paths.map((path) =>
    getDirectionByWord(directionWords, getValueAt(config, path)),
  );
  return statedDirections.find((direction) => direction !== null) ?? null;
}

/**
 * Returns the direction of a problem type in {@link directionRules}; null for any other type. Ignores ASCII case, and
 * {@link wordPadding} around the type.
 */
export function getProblemDirection(problemType: string): Direction | null {
  return getDirectionByWord(directionRules.problems, problemType);
}

function getDirectionByWord(
  words: Readonly<Record<Direction, readonly string[]>>,
  value: unknown,
): Direction | null {
  if (typeof value !== 'string') return null;
  const word = toPlainWord(value);
  if (words.min.includes(word)) return 'min';
  return words.max.includes(word) ? 'max' : null;
}

// Databases agree only on the lower case of ASCII letters.
function toPlainWord(text: string): string {
  const bareText = text.replaceAll(/^[ \t\r\n]+|[ \t\r\n]+$/g, '');
  return bareText.replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase());
}

/** Returns the direction of most gains that are neither 0 nor NaN; null for a tie or without such gains. */
export function getTraceDirection(gains: readonly number[]): Direction | null {
  const signSum = gains.reduce((sum, gain) => sum + (Math.sign(gain) || 0), 0);
  if (signSum === 0) return null;
  return signSum > 0 ? 'max' : 'min';
}

/**
 * Returns the target that a configuration states; null if it states none. The target is the first finite number, or
 * decimal text of such a number, in `stopping.targetFitness`, `stopping.target`, `targetFitness` and `target`. The last
 * two are at the top level.
 */
export function getConfiguredTarget(config: unknown): number | null {
  const candidates = targetPaths.map((path) => getFiniteNumber(getValueAt(config, path)));
  return candidates.find((value) => value !== null) ?? null;
}

/** Direction and target that a configuration states; each is null if the configuration does not state it. */
export interface StatedObjective {
  statedDirection: Direction | null;
  statedTarget: number | null;
}

/**
 * Returns the direction and target that the text of a configuration states; both are null unless the text is a JSON
 * object.
 */
export function getStatedObjective(configJson: string): StatedObjective {
  const config = parseConfig(configJson);
  return {
    statedDirection: getConfiguredDirection(config),
    statedTarget: getConfiguredTarget(config),
  };
}

/** Returns the different targets of experiments, ascending; omits experiments without a target. */
export function getStatedTargets(
  experiments: readonly Pick<StatedObjective, 'statedTarget'>[],
): number[] {
  const targets = experiments.map(({ statedTarget }) => statedTarget);
  return [...new Set(targets.filter((target) => target !== null))].sort((a, b) => a - b);
}

/** Returns the common target of experiments: the only one that they state; null if they state none, or several. */
export function getCommonTarget(
  experiments: readonly Pick<StatedObjective, 'statedTarget'>[],
): number | null {
  const [onlyTarget, ...otherTargets] = getStatedTargets(experiments);
  return otherTargets.length > 0 ? null : (onlyTarget ?? null);
}

const targetPaths = [
  ['stopping', 'targetFitness'],
  ['stopping', 'target'],
  ['targetFitness'],
  ['target'],
];

/** Evaluations and iterations after which the configuration ends a run. */
export interface ConfiguredBudget {
  /**
   * `stopping.maxEvaluations` from a number or a decimal text; null if it is missing, not finite or not positive, and
   * if `stopping.type` is `max-iterations`.
   */
  evaluations: number | null;
  /** `stopping.maxIterations` from a number or a decimal text; null if it is missing, not finite or not positive. */
  iterations: number | null;
}

/** Returns the budget that a configuration grants to each of its runs. */
export function getConfiguredBudget(config: unknown): ConfiguredBudget {
  const isLimitedByIterations = getValueAt(config, ['stopping', 'type']) === 'max-iterations';
  const evaluations = getFiniteNumber(getValueAt(config, ['stopping', 'maxEvaluations']));
  const iterations = getFiniteNumber(getValueAt(config, ['stopping', 'maxIterations']));
  const isGranted = !isLimitedByIterations && evaluations !== null && evaluations > 0;
  return {
    evaluations: isGranted ? evaluations : null,
    iterations: iterations !== null && iterations > 0 ? iterations : null,
  };
}

function getFiniteNumber(value: unknown): number | null {
  if (typeof value === 'string') return parseDecimal(value) ?? null;
  const number = typeof value === 'number' || typeof value === 'bigint' ? Number(value) : NaN;
  return Number.isFinite(number) ? number : null;
}

/** Continuous functions of the runner with the minimum 0. */
const zeroMinimumProblems = new Set(['sphere', 'rosenbrock', 'rastrigin']);

/** COCO's BBOB suites with one objective; their values are distances to the optimum. */
const cocoSuite = /^coco-bbob(?!-biobj)/;

/** Functions of IOHprofiler's pseudo-Boolean suite whose maximum is their dimension. */
const countingFunctions = new Set<unknown>(['OneMax', 'LeadingOnes']);

/**
 * Returns the best possible fitness of a problem: the first of `problem.params.optimum` and `problem.optimum` that is a
 * finite number (neither a text nor a bigint). Without such a number, returns the theoretical optimum in this
 * direction; null if it is unknown. The theoretical maximum of a counting function is the length of the representation.
 */
export function getKnownOptimum(
  problemType: string,
  config: ConfigObject,
  direction: Direction,
): number | null {
  const optimum = getNumberIn(config, 'problem', 'optimum');
  if (optimum !== null) return optimum;
  const type = problemType.toLowerCase();
  if (zeroMinimumProblems.has(type) || cocoSuite.test(type)) return direction === 'min' ? 0 : null;
  const functionName = getValueAt(config, ['problem', 'params', 'functionName']);
  const isCounting =
    type === 'onemax' || (type === 'ioh-pbo' && countingFunctions.has(functionName));
  return isCounting && direction === 'max' ? getNumberIn(config, 'representation', 'length') : null;
}

/**
 * Returns the finite number at a key in the `params` of a section or, if there is none, in the section itself; null if
 * neither has one.
 */
function getNumberIn(config: ConfigObject, section: string, key: string): number | null {
  const values = [
    [section, 'params', key],
    [section, key],
  ].map((path) => getValueAt(config, path));
  const number = values.find((value) => typeof value === 'number' && Number.isFinite(value));
  return typeof number === 'number' ? number : null;
}

/** Facts that decide whether a run is solved, and when it must end. */
export interface RunGoal {
  direction: Direction;
  /** Fitness to reach; null without a target. */
  target: number | null;
  /** The best possible fitness of the problem; null if unknown. */
  optimum: number | null;
  budget: ConfiguredBudget;
}

/** Result of a run in its row in `runs`. */
export interface RunResult {
  status: string;
  /**
   * Whether the run comes from an import. Its rows may then be only improvements, and its end is the end of the data.
   */
  isImported: boolean;
  /** Whether the run continued from a checkpoint. Its count of evaluations may then have restarted. */
  isResumed: boolean;
  /** `runs.iterations`; null if it is missing or not a finite number. */
  iterations: number | null;
  /** `runs.evaluations`; null if it is missing or not a finite number. */
  evaluations: number | null;
  /** `runs.best_fitness`; null if it is missing or not a finite number. */
  bestFitness: number | null;
}
