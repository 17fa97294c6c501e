import { maskText } from '#server/domain/secrets/mask-text.ts';
import { parametersOf } from '#server/domain/problem-instance.ts';
import { shortened, validationError } from '#server/errors.ts';
import type { Grouping } from '#shared/schemas/analysis.ts';
import type { AnalysedExperiment } from './model.ts';
import type { Parameters } from './parameter-conditions.ts';
import type { ComparisonScope } from './scope.ts';

const prefix = 'param:';

/** Returns the path of the parameter that groups are made by; null for any other grouping. */
export function paramPathOf(groupBy: Grouping): string | null {
  return groupBy.startsWith(prefix) ? groupBy.slice(prefix.length) : null;
}

/** Once per experiment object: reading a configuration costs more than all else about a group. */
const known = new WeakMap<AnalysedExperiment, Parameters>();

/** Returns the parameters of an experiment by path, secret ones masked. */
export function parametersIn(experiment: AnalysedExperiment): Parameters {
  const parameters = known.get(experiment) ?? parametersOf(maskText(experiment.configJson));
  known.set(experiment, parameters);
  return parameters;
}

/** Returns the value of a parameter, masked where it is secret; null for an experiment without it. */
export function paramValueOf(experiment: AnalysedExperiment, path: string): string | null {
  return parametersIn(experiment).get(path) ?? null;
}

/** Returns the name of the group of an experiment: its algorithm with its value of the parameter. */
export function paramGroupName(experiment: AnalysedExperiment, path: string): string {
  return `${experiment.algorithmType}, ${valueWords(path, paramValueOf(experiment, path))}`;
}

/** Returns the value in words: "populationSize = 50" for a path that ends so; "populationSize not set" for null. */
export function valueWords(name: string, value: string | null): string {
  return value === null ? `${name} not set` : `${name} = ${value}`;
}

/** Returns the last key of a path. */
export function leafOf(path: string): string {
  return path.slice(path.lastIndexOf('.') + 1);
}

/**
 * Returns the grouping with the whole path of a parameter in place of its last key. VALIDATION_FAILED if no experiment on
 * the selected instance has the parameter, or the key belongs to several.
 */
export function wholeGrouping(
  groupBy: Grouping,
  { experiments, selected }: Pick<ComparisonScope, 'experiments' | 'selected'>,
): Grouping {
  const path = paramPathOf(groupBy);
  if (path === null) return groupBy;
  const inside = [...experiments.values()].filter(({ instance }) => instance.id === selected.id);
  if (inside.length === 0) return groupBy;
  const paths = new Set(inside.flatMap((one) => [...parametersIn(one).keys()]));
  if (paths.has(path)) return groupBy;
  const meant = [...paths].filter((one) => leafOf(one) === path).sort();
  const [only, ...others] = meant;
  if (only === undefined) {
    const message = `names a parameter "${shortened(path)}" that no experiment on this instance has`;
    throw validationError([{ path: 'groupBy', message }]);
  }
  if (others.length > 0) {
    const message = `names several parameters by "${shortened(path)}": give one of ${meant.join(', ')}`;
    throw validationError([{ path: 'groupBy', message }]);
  }
  return `${prefix}${only}`;
}

/**
 * Returns the paths of the parameters that differ between experiments of one algorithm, in code point order, without the
 * budget and the type of the algorithm.
 */
export function varyingParams(experiments: readonly AnalysedExperiment[]): string[] {
  const byAlgorithm = Map.groupBy(experiments, ({ algorithmType }) => algorithmType);
  const varying = new Set<string>();
  for (const own of byAlgorithm.values()) {
    const parameters = own.map(parametersIn);
    const [first, ...others] = parameters;
    if (!first || others.length === 0) continue;
    for (const path of new Set(parameters.flatMap((one) => [...one.keys()]))) {
      if (others.some((other) => other.get(path) !== first.get(path))) varying.add(path);
    }
  }
  return [...varying].filter((path) => !/^(stopping\.|algorithm\.type$)/.test(path)).sort();
}

/** Orders values: numbers by size, then texts by code point, missing ones last. */
export function byNumberThenText(a: string | null, b: string | null): number {
  if (isNumeric(a) && isNumeric(b)) return Number(a) - Number(b);
  if (a === null || b === null) return Number(a === null) - Number(b === null);
  return a < b ? -1 : Number(a > b);
}

/** Whether a text is a finite number. */
export function isNumeric(value: string | null): boolean {
  return value !== null && value.trim() !== '' && Number.isFinite(Number(value));
}
