import { type ConfigObject, valueAt } from './config.ts';
import type { Direction } from './objective.ts';

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
