import { createHash } from 'node:crypto';
import type { ImportedRun, RunGroup } from './run-group.ts';

/**
 * What a campaign is told by beside the name of its data set. Data of COCO and of IOHprofiler never share one,
 * also where both are of BBOB.
 */
export function campaignKey({ format, suite }: Pick<RunGroup, 'format' | 'suite'>): string[] {
  const family = format.startsWith('coco') ? [] : [format];
  return [suite ?? '', ...family];
}

/** The id of a campaign: `imp-` and 16 hexadecimal digits, the same for the same name and suite. */
export function campaignIdOf(dataSet: string, group: Pick<RunGroup, 'format' | 'suite'>): string {
  return `imp-${digest([dataSet, ...campaignKey(group)]).slice(0, 16)}`;
}

/** What the ids of all runs of an algorithm in a campaign begin with. */
export function runIdBeginning(dataSet: string, group: RunGroup): string {
  const parts = [dataSet, ...campaignKey(group), group.algorithm];
  // The columns of a table may tell apart what has one name; a logger's attributes may change as it goes on.
  const told = group.format === 'table' ? [JSON.stringify(group.attributes)] : [];
  return `imp-${digest([...parts, ...told]).slice(0, 12)}`;
}

/** The id of a run, the same for the same place in the same data set. */
export function runIdOf(
  beginning: string,
  place: { functionNumber: number; dimension: number | null },
  { instance, seed, repetition }: Pick<ImportedRun, 'instance' | 'seed' | 'repetition'>,
): string {
  const paired = seed === instance ? '' : `-s${seed}`;
  return `${beginning}-f${place.functionNumber}-d${place.dimension ?? 0}-i${instance}${paired}-r${repetition}`;
}

function digest(parts: readonly string[]): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex');
}

/**
 * A whole number for each function of a campaign by its id and name. Digits stay what they are; texts, and
 * further names of an id that several functions have, get the smallest numbers that are free, by name.
 */
export function functionNumbers(
  groups: readonly Pick<RunGroup, 'functionId' | 'functionName'>[],
): (group: Pick<RunGroup, 'functionId' | 'functionName'>) => number {
  const keyOf = ({ functionId, functionName }: Pick<RunGroup, 'functionId' | 'functionName'>) =>
    JSON.stringify([functionName ?? '', functionId]);
  const distinct = [...new Map(groups.map((group) => [keyOf(group), group])).values()];
  distinct.sort((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1));
  const numbers = new Map<string, number>();
  const taken = new Set<number>();
  for (const group of distinct) {
    const own = Number(group.functionId);
    const isFree = /^\d{1,9}$/.test(group.functionId) && !taken.has(own);
    if (isFree) {
      numbers.set(keyOf(group), own);
      taken.add(own);
    }
  }
  let next = 1;
  for (const group of distinct.filter((one) => !numbers.has(keyOf(one)))) {
    while (taken.has(next)) next += 1;
    taken.add(next);
    numbers.set(keyOf(group), next);
  }
  return (group) => numbers.get(keyOf(group)) ?? 0;
}
