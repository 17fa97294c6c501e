import { parseDecimal } from '#shared/decimal.ts';
import type { directions, directionSources } from '#shared/words.ts';
import { type ConfigObject, parseConfig, valueAt } from './config.ts';

/** Whether smaller or larger fitness is better. */
export type Direction = (typeof directions)[number];

/** Where a direction was found. */
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
 * What {@link findDirection} decides by, for the same rule in SQL: problem types and words in lower case, and
 * the paths of a configuration that state a direction, the first with a known word first.
 */
export const directionRules = {
  problems: { min: minimisingProblems, max: maximisingProblems },
  words: directionWords,
  paths: ['direction', 'objective', 'sense'].map((key) => ['problem', 'params', key]),
};

/** White space of JSON, which is left out around a word. */
export const wordPadding = ' \t\r\n';

/** What decides the direction of an experiment when no query names one. */
export interface DirectionEvidence {
  /** The parsed configuration. */
  config: unknown;
  problemType: string;
  /** Last minus first finite best fitness of each run with any, by iteration; others left out. */
  traceGains: readonly number[];
}

/**
 * The direction of an experiment and where it was found: the configuration (`problem.params.direction`,
 * `.objective` or `.sense`, when they say min or max), else the problem type, else the sign of most
 * traces' gain (a tie or no gains decide nothing), else `min`.
 */
export function findDirection(evidence: DirectionEvidence): {
  direction: Direction;
  directionSource: DirectionSource;
} {
  const configured = configuredDirection(evidence.config);
  if (configured) return { direction: configured, directionSource: 'config' };
  const known = problemDirection(evidence.problemType);
  if (known) return { direction: known, directionSource: 'problem' };
  const seen = traceDirection(evidence.traceGains);
  if (seen) return { direction: seen, directionSource: 'trace' };
  return { direction: 'min', directionSource: 'default' };
}

/** The direction that a configuration states, or null. */
export function configuredDirection(config: unknown): Direction | null {
  const stated = directionRules.paths.map((path) => wordIn(directionWords, valueAt(config, path)));
  return stated.find((direction) => direction !== null) ?? null;
}

/** The direction of a problem type that the runner ships, without regard to case; null for any other. */
export function problemDirection(problemType: string): Direction | null {
  return wordIn(directionRules.problems, problemType);
}

function wordIn(
  words: Readonly<Record<Direction, readonly string[]>>,
  value: unknown,
): Direction | null {
  if (typeof value !== 'string') return null;
  const word = plainWord(value);
  if (words.min.includes(word)) return 'min';
  return words.max.includes(word) ? 'max' : null;
}

// Only ASCII letters have a lower case that databases agree on.
function plainWord(text: string): string {
  const bare = text.replaceAll(/^[ \t\r\n]+|[ \t\r\n]+$/g, '');
  return bare.replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase());
}

/** The direction in which most traces went; null when as many rose as fell. */
export function traceDirection(gains: readonly number[]): Direction | null {
  const balance = gains.reduce((sum, gain) => sum + (Math.sign(gain) || 0), 0);
  if (balance === 0) return null;
  return balance > 0 ? 'max' : 'min';
}

/**
 * The target that a configuration states: the first of `stopping.targetFitness`, `stopping.target`,
 * `targetFitness` and `target` at the top that is a finite number or the text of one; null if there is no such value.
 */
export function configuredTarget(config: unknown): number | null {
  const candidates = targetPaths.map((path) => finiteNumber(valueAt(config, path)));
  return candidates.find((value) => value !== null) ?? null;
}

/** What a configuration says of direction and target; null where it says nothing. */
export interface StatedObjective {
  statedDirection: Direction | null;
  statedTarget: number | null;
}

/** Direction and target in the text of a configuration; both null when it is not valid JSON. */
export function statedIn(configJson: string): StatedObjective {
  const config = parseConfig(configJson);
  return { statedDirection: configuredDirection(config), statedTarget: configuredTarget(config) };
}

/** The different targets that experiments state, ascending. */
export function statedTargets(
  experiments: readonly Pick<StatedObjective, 'statedTarget'>[],
): number[] {
  const targets = experiments.map(({ statedTarget }) => statedTarget);
  return [...new Set(targets.filter((target) => target !== null))].sort((a, b) => a - b);
}

/** The target of experiments that are judged together: the one of all that state one; null where they state none, or several. */
export function commonTarget(
  experiments: readonly Pick<StatedObjective, 'statedTarget'>[],
): number | null {
  const [only, ...others] = statedTargets(experiments);
  return others.length > 0 ? null : (only ?? null);
}

const targetPaths = [
  ['stopping', 'targetFitness'],
  ['stopping', 'target'],
  ['targetFitness'],
  ['target'],
];

/** Evaluations and iterations after which a configuration ends a run. */
export interface ConfiguredBudget {
  /** `stopping.maxEvaluations`, unless the stopping condition ignores it; null for none. */
  evaluations: number | null;
  /** `stopping.maxIterations`; null for none. */
  iterations: number | null;
}

/** The budget that a configuration grants each of its runs. */
export function configuredBudget(config: unknown): ConfiguredBudget {
  const ignoresEvaluations = valueAt(config, ['stopping', 'type']) === 'max-iterations';
  const evaluations = finiteNumber(valueAt(config, ['stopping', 'maxEvaluations']));
  const iterations = finiteNumber(valueAt(config, ['stopping', 'maxIterations']));
  const isGranted = !ignoresEvaluations && evaluations !== null && evaluations > 0;
  return {
    evaluations: isGranted ? evaluations : null,
    iterations: iterations !== null && iterations > 0 ? iterations : null,
  };
}

function finiteNumber(value: unknown): number | null {
  if (typeof value === 'string') return parseDecimal(value) ?? null;
  const number = typeof value === 'number' || typeof value === 'bigint' ? Number(value) : NaN;
  return Number.isFinite(number) ? number : null;
}

/** Continuous functions of the runner whose minimum is 0. */
const zeroMinimum = new Set(['sphere', 'rosenbrock', 'rastrigin']);

/** COCO's suites with one objective: their values are distances to the optimum. */
const cocoSuite = /^coco-bbob(?!-biobj)/;

/** Functions of IOHprofiler's pseudo-Boolean suite whose maximum is their dimension. */
const countingFunctions = new Set<unknown>(['OneMax', 'LeadingOnes']);

/**
 * Returns the best fitness that a problem allows: `problem.params.optimum` of the configuration, else what theory
 * gives for the problem type; null where it is unknown, or where the runs are judged in the other direction.
 */
export function knownOptimum(
  problemType: string,
  config: ConfigObject,
  direction: Direction,
): number | null {
  const stated = numberIn(config, 'problem', 'optimum');
  if (stated !== null) return stated;
  const type = problemType.toLowerCase();
  if (zeroMinimum.has(type) || cocoSuite.test(type)) return direction === 'min' ? 0 : null;
  const functionName = valueAt(config, ['problem', 'params', 'functionName']);
  const isCounting =
    type === 'onemax' || (type === 'ioh-pbo' && countingFunctions.has(functionName));
  return isCounting && direction === 'max' ? numberIn(config, 'representation', 'length') : null;
}

/** The number of a section under a key, inside of `params` or next to it; null for none. */
function numberIn(config: ConfigObject, section: string, key: string): number | null {
  const values = [
    [section, 'params', key],
    [section, key],
  ].map((path) => valueAt(config, path));
  const number = values.find((value) => typeof value === 'number' && Number.isFinite(value));
  return typeof number === 'number' ? number : null;
}

/** What decides whether a run is solved, and when it was bound to end. */
export interface RunGoal {
  direction: Direction;
  target: number | null;
  /** The best fitness that the problem allows; null where it is unknown. */
  optimum: number | null;
  budget: ConfiguredBudget;
}

/** A run as its row in `runs` states it. */
export interface RunResult {
  status: string;
  /** Whether an import has written it: its rows are improvements, and its end is the end of the data. */
  isImported: boolean;
  /** `runs.iterations`; null while the run has no result. */
  iterations: number | null;
  /** `runs.evaluations`; null while the run has no result. */
  evaluations: number | null;
  /** `runs.best_fitness`; null while the run has no result. */
  bestFitness: number | null;
}
