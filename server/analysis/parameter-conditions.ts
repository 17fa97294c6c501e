import { parseParamFilter, maximumParamFilterLength } from '#shared/param-filter.ts';
import type { AnalysedExperiment } from './model.ts';
import { maskedValue } from '#server/domain/secrets/secret-words.ts';

/** Parameters of an experiment, or of a problem instance, by their paths, as text. */
export type Parameters = ReadonlyMap<string, string>;

/**
 * The filter of the lists that holds for the experiments with this value at this path. Null where no filter says it: for
 * none, a masked one, an array, and what would be read back as something else.
 */
export function conditionOf(path: string, value: string | null): string | null {
  if (value === null || value === maskedValue || value.startsWith('[')) return null;
  const isNumber = value !== '' && Number.isFinite(Number(value));
  const condition = `${path} = ${isNumber ? value : JSON.stringify(value)}`;
  const readBack = parseParamFilter(condition);
  const isSame =
    typeof readBack === 'object' &&
    readBack.path === path &&
    readBack.operator === '=' &&
    readBack.values.length === 1 &&
    readBack.values[0]?.text === value;
  return isSame && condition.length <= maximumParamFilterLength ? condition : null;
}

/**
 * The fewest filters, in the order of the paths, that tell an instance from the others that these experiments solved; null
 * where some of them cannot be distinguished from it.
 */
export function conditionsAmong(
  instanceId: string,
  experiments: readonly Pick<AnalysedExperiment, 'instance'>[],
): string[] | null {
  const instances = new Map(experiments.map(({ instance }) => [instance.id, instance.parameters]));
  const own = instances.get(instanceId) ?? new Map<string, string>();
  instances.delete(instanceId);
  const conditions: string[] = [];
  let left = [...instances.values()];
  for (const [path, value] of own) {
    const still = left.filter((other) => other.get(path)?.toLowerCase() === value.toLowerCase());
    const condition = still.length < left.length ? conditionOf(path, value) : null;
    if (condition === null) continue;
    conditions.push(condition);
    left = still;
  }
  return left.length === 0 ? conditions : null;
}
