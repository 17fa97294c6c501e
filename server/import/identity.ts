import { createHash } from 'node:crypto';
import { type ImportedRun, placeOf, type RunGroup } from './run-group.ts';

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
  run: Pick<ImportedRun, 'instance' | 'seed' | 'repetition'>,
): string {
  const { instance, repetition } = run;
  const paired = placeOf(run) === instance ? '' : `-s${placeOf(run)}`;
  return `${beginning}-f${place.functionNumber}-d${place.dimension ?? 0}-i${instance}${paired}-r${repetition}`;
}

function digest(parts: readonly string[]): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex');
}

type FunctionIdentity = Pick<RunGroup, 'functionId' | 'functionName' | 'problemAttributes'>;

/**
 * A whole number for each function of a campaign by its id, its name and what else tells it apart. Digits stay what
 * they are; texts, and further functions of one id, get the smallest numbers that are free, by name.
 */
export function functionNumbers(
  groups: readonly FunctionIdentity[],
): (group: FunctionIdentity) => number {
  const distinct = new Map(groups.map((group) => [functionKey(group), group.functionId]));
  const ordered = [...distinct].sort(([a], [b]) => (a < b ? -1 : 1));
  const numbers = new Map<string, number>();
  const taken = new Set<number>();
  const take = (key: string, number: number) => {
    numbers.set(key, number);
    taken.add(number);
  };
  for (const [key, id] of ordered) {
    if (/^\d{1,9}$/.test(id) && !taken.has(Number(id))) take(key, Number(id));
  }
  for (const [key] of ordered) {
    if (!numbers.has(key)) take(key, smallestFree(taken));
  }
  return (group) => numbers.get(functionKey(group)) ?? 0;
}

function functionKey({ functionId, functionName, problemAttributes }: FunctionIdentity): string {
  return JSON.stringify([functionName ?? '', functionId, problemAttributes]);
}

function smallestFree(taken: ReadonlySet<number>): number {
  let number = 1;
  while (taken.has(number)) number += 1;
  return number;
}
