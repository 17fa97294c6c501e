import { createHash } from 'node:crypto';
import { bestOf } from '#server/domain/trace.ts';
import {
  createExperimentRecord,
  type ExperimentRecord,
} from '#server/recording/experiment-record.ts';
import { double, type JavaObject, type JavaValue, sortKeys } from '#server/recording/java-json.ts';
import type { FlatAttribute } from './formats/attributes.ts';
import type { ImportNote } from './notes.ts';
import { goesOn, type ImportedRun, placeOf, type RunGroup } from './run-groups.ts';
import { unknownSuite } from './suites.ts';

/** What a source holds, put together and named: what is compared with the database and written. */
export interface DataSet {
  name: string;
  /** The path, or the name of the file that was sent. */
  path: string;
  bytes: number;
  sha256: string;
  campaigns: Campaign[];
  /** Name of each algorithm by its name in the source. */
  names: ReadonlyMap<string, string>;
  notes: ImportNote[];
}

/** The experiments of one suite. */
export interface Campaign {
  /** Null where the data belong to no known suite: then there are experiments only. */
  campaignId: string | null;
  suite: string | null;
  experiments: Experiment[];
}

/** The runs of an algorithm on a function in a dimension. */
export interface Experiment {
  record: ExperimentRecord;
  group: RunGroup;
  functionNumber: number;
  /** The value from which on a trial has reached its target: the precision, else the best value known. */
  target: number;
  /** What the ids of all runs of the algorithm begin with. */
  runIdBeginning: string;
  runs: (ImportedRun & { runId: string; experimentId: string })[];
}

/** Names of algorithms that are placeholders, from the examples of loggers. */
const emptyNames = /^(alg|rs|algorithm_name|algorithm|unknown|_|)$/i;

/** How runs are named and grouped, in addition to what the source states. */
export interface CampaignOptions {
  /** Names of algorithms by their names in the source. */
  names?: ReadonlyMap<string, string>;
  /** Evaluations that each run was granted, where the data do not state it. */
  budget?: number | undefined;
  /** Campaigns of the data set that the database contains. */
  storedCampaigns?: ReadonlySet<string>;
}

/**
 * Returns the groups with the ids of their campaigns, experiments and runs in a data set of this name. Data of an unknown
 * suite get a campaign only where an earlier version of the program stored one for them.
 */
export function campaignsOf(
  dataSet: string,
  groups: readonly RunGroup[],
  { names = new Map(), budget, storedCampaigns = new Set() }: CampaignOptions = {},
): Campaign[] {
  const named = groups.map((group) => ({
    ...group,
    algorithm: names.get(group.algorithm) ?? group.algorithm,
  }));
  const bySuite = Map.groupBy(named, (group) => JSON.stringify(campaignKey(group)));
  return [...bySuite.values()].flatMap((members) => {
    const [first] = members;
    if (!first) return [];
    const numberOf = functionNumbers(members);
    const best = bestKnown(members, numberOf);
    const campaignId = campaignIdOf(dataSet, first);
    const hasCampaign =
      storedCampaigns.has(campaignId) || ![null, unknownSuite].includes(first.suite);
    return {
      campaignId: hasCampaign ? campaignId : null,
      suite: hasCampaign ? first.suite : null,
      experiments: members.map((group) =>
        experimentOf(dataSet, group, { functionNumber: numberOf(group), best, budget }),
      ),
    };
  });
}

/**
 * Returns the name of each algorithm by its name in the source: the chosen one, else that of an earlier import of the
 * data set, else its own. A single algorithm with a placeholder as its name gets the name of the data set.
 */
export function algorithmNames(
  dataSet: string,
  sourceNames: readonly string[],
  chosen: ReadonlyMap<string, string>,
  earlier: ReadonlyMap<string, string>,
): Map<string, string> {
  return new Map(
    sourceNames.map((name) => {
      const isPlaceholder = sourceNames.length === 1 && emptyNames.test(name);
      return [name, chosen.get(name) ?? earlier.get(name) ?? (isPlaceholder ? dataSet : name)];
    }),
  );
}

function experimentOf(
  dataSet: string,
  group: RunGroup,
  {
    functionNumber,
    best,
    budget,
  }: { functionNumber: number; best: ReadonlyMap<string, number>; budget: number | undefined },
): Experiment {
  const beginning = runIdBeginning(dataSet, group);
  const record = createExperimentRecord(configOf(dataSet, group, functionNumber, budget));
  const { experimentId } = record;
  const place = { functionNumber, dimension: group.dimension };
  return {
    record,
    group,
    functionNumber,
    target: group.precision ?? best.get(placeKey(group, functionNumber)) ?? 0,
    runIdBeginning: beginning,
    runs: group.runs.map((run) => ({
      ...run,
      runId: runIdOf(beginning, place, run),
      experimentId,
    })),
  };
}

/** The best value that any algorithm of the data set has on each function in each dimension, by {@link placeKey}. */
function bestKnown(
  groups: readonly RunGroup[],
  numberOf: (group: RunGroup) => number,
): Map<string, number> {
  const best = new Map<string, number>();
  for (const group of groups) {
    const key = placeKey(group, numberOf(group));
    for (const { trace } of group.runs) {
      const value = trace.best.at(-1) ?? 0;
      best.set(key, bestOf([best.get(key) ?? value, value], group.direction) ?? value);
    }
  }
  return best;
}

function placeKey({ dimension }: RunGroup, functionNumber: number): string {
  return `${functionNumber} ${dimension}`;
}

/**
 * What identifies a campaign in addition to the name of its data set. Data of COCO and of IOHprofiler never share one,
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
  const attributes = group.format === 'table' ? [JSON.stringify(group.attributes)] : [];
  return `imp-${digest([...parts, ...attributes]).slice(0, 12)}`;
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
 * A whole number for each function of a campaign by its id, its name and its other distinguishing values. Digits stay what
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

/**
 * The configuration of an imported experiment, keys sorted. Its sections `problem` and `representation` say the
 * problem instance, so that they are equal for equal problems of any logger; `import` says where it came from. The budget
 * is stated where the data do not state it.
 */
export function configOf(
  dataSet: string,
  group: RunGroup,
  functionNumber: number,
  budget?: number,
): JavaObject {
  const config = {
    algorithm: { params: valuesOf(group.attributes), type: group.algorithm },
    import: {
      dataset: dataSet,
      format: group.format,
      ...(group.precision !== null && { precision: double(group.precision) }),
    },
    model: none,
    problem: { params: problemParams(group, functionNumber), type: problemType(group) },
    replacement: none,
    representation: {
      params: group.dimension === null ? {} : { length: group.dimension },
      type: representationType(group.suite),
    },
    run: { name: nameOf(dataSet, group) },
    schema: '3.0',
    selection: none,
    stopping: {
      type: 'imported',
      ...(budget !== undefined && !statesBudget(group) && { maxEvaluations: budget }),
      ...(group.precision !== null && { targetFitness: double(group.precision) }),
    },
  };
  return sortKeys(config) as JavaObject;
}

/**
 * Whether the data of a group state how many evaluations its runs used: some run went on after its last improvement. Loggers
 * that write improvements only end each run with one.
 */
export function statesBudget({ runs }: Pick<RunGroup, 'runs'>): boolean {
  return runs.some(({ trace }) => goesOn(trace));
}

const none = { type: 'none' };

/** `DIRECT bbob f1 d2`, with the name of the data set where they name no known suite. */
function nameOf(dataSet: string, { algorithm, suite, functionId, dimension }: RunGroup): string {
  const place = suite === unknownSuite ? dataSet : suite;
  const parts = [algorithm, place, functionTitle(functionId)];
  return [...parts, dimension === null ? null : `d${dimension}`].filter(Boolean).join(' ');
}

/** `f8` of a number; a name is one. */
function functionTitle(functionId: string): string {
  return /^\d+$/.test(functionId) ? `f${functionId}` : functionId;
}

function problemParams(group: RunGroup, functionNumber: number): JavaObject {
  const { suite, functionName, dimension, direction, problemAttributes } = group;
  return {
    ...valuesOf(problemAttributes),
    ...(dimension !== null && { dimension }),
    direction,
    functionId: functionNumber,
    functionName: functionName ?? group.functionId,
    ...(suite !== null && { suite }),
  };
}

/** By the suite; without a suite each function is a separate type. */
function problemType({ format, suite, functionName, functionId }: RunGroup): string {
  if (suite === 'PBO') return 'ioh-pbo';
  if (suite?.startsWith('bbob')) return `coco-${suite}`;
  return format === 'table' ? (functionName ?? functionTitle(functionId)) : 'ioh-problem';
}

function representationType(suite: string | null): string {
  if (suite === 'PBO') return 'bitstring';
  if (suite === 'bbob-mixint') return 'mixed-vector';
  return suite?.startsWith('bbob') ? 'real-vector' : 'unknown';
}

/** Attributes as the values of a configuration: whole numbers as integers, others as doubles. */
function valuesOf(attributes: Readonly<Record<string, FlatAttribute>>): JavaObject {
  return Object.fromEntries(
    Object.entries(attributes).map(([name, value]): [string, JavaValue] => [
      name,
      typeof value === 'number' && !Number.isSafeInteger(value) ? double(value) : value,
    ]),
  );
}
