/** Whether smaller or larger fitness is better. */
export type Direction = 'min' | 'max';

/** Where a direction was found. */
export type DirectionSource = 'config' | 'problem' | 'trace' | 'default';

const minimisingProblems = new Set([
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
]);

const maximisingProblems = new Set([
  'onemax',
  'knapsack',
  'maxsat',
  'boolean-function',
  'boolean-function-permutation',
  'boolean-function-tree',
  'boolean-function-mo',
]);

const directionWords = new Map<string, Direction>([
  ['min', 'min'],
  ['minimise', 'min'],
  ['minimize', 'min'],
  ['minimisation', 'min'],
  ['minimization', 'min'],
  ['max', 'max'],
  ['maximise', 'max'],
  ['maximize', 'max'],
  ['maximisation', 'max'],
  ['maximization', 'max'],
]);

/** The tables that {@link findDirection} reads, for a database that must sort by its outcome. */
export const directionRules = {
  problems: { min: [...minimisingProblems], max: [...maximisingProblems] },
  words: { min: wordsFor('min'), max: wordsFor('max') },
};

function wordsFor(direction: Direction): string[] {
  return [...directionWords].flatMap(([word, meant]) => (meant === direction ? [word] : []));
}

/** What decides the direction of an experiment when no query names one. */
export interface DirectionEvidence {
  /** The parsed configuration; undefined when it is not valid JSON. */
  config: unknown;
  problemType: string;
  /** Last minus first best fitness of each run with a trace; others left out. */
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
  const params = member(member(config, 'problem'), 'params');
  for (const key of ['direction', 'objective', 'sense']) {
    const word = member(params, key);
    const direction = typeof word === 'string' && directionWords.get(word.trim().toLowerCase());
    if (direction) return direction;
  }
  return null;
}

/** The direction of a problem type that the runner ships, without regard to case; null for any other. */
export function problemDirection(problemType: string): Direction | null {
  const type = problemType.trim().toLowerCase();
  if (minimisingProblems.has(type)) return 'min';
  return maximisingProblems.has(type) ? 'max' : null;
}

/** The direction in which most traces went; null when as many rose as fell. */
export function traceDirection(gains: readonly number[]): Direction | null {
  const balance = gains.reduce((sum, gain) => sum + (Math.sign(gain) || 0), 0);
  if (balance === 0) return null;
  return balance > 0 ? 'max' : 'min';
}

/**
 * The target that a configuration states: the first of `stopping.targetFitness`, `stopping.target`,
 * `targetFitness` and `target` at the top that is a finite number or the text of one; null when none is.
 */
export function configuredTarget(config: unknown): number | null {
  const stopping = member(config, 'stopping');
  const candidates = [
    member(stopping, 'targetFitness'),
    member(stopping, 'target'),
    member(config, 'targetFitness'),
    member(config, 'target'),
  ];
  return candidates.map(finiteNumber).find((value) => value !== null) ?? null;
}

function finiteNumber(value: unknown): number | null {
  const isNumeric =
    typeof value === 'number' ||
    (typeof value === 'string' && /^\s*[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?\s*$/i.test(value));
  const number = isNumeric ? Number(value) : Number.NaN;
  return Number.isFinite(number) ? number : null;
}

function member(value: unknown, key: string): unknown {
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
  return isObject && Object.hasOwn(value, key)
    ? (value as Record<string, unknown>)[key]
    : undefined;
}
