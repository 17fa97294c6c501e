import { createHash } from 'node:crypto';
import {
  type ConfigObject,
  getValueAt,
  isConfigObject,
  parseConfig,
} from '#server/domain/config.ts';
import type { Direction } from '#server/domain/objective.ts';
import { getCanonicalJson } from '#server/domain/problem-instance.ts';
import { getBest } from '#server/domain/trace.ts';
import {
  createExperimentRecord,
  type ExperimentRecord,
  toDouble,
  type JavaObject,
  type JavaValue,
  sortKeys,
} from '#server/recording/recorder.ts';
import type { FlatAttribute } from '#server/import/formats/indexes.ts';
import { directions } from '#shared/words.ts';
import type { ImportNote } from './notes.ts';
import { hasRowsAfterBest, type ImportedRun, getPairing, type RunGroup } from './run-groups.ts';
import { getFolder } from './source/entry.ts';
import { unknownSuite } from './suites.ts';

/** The imported content of a source, under a name. */
export interface DataSet {
  name: string;
  /** Path of the source, or name of the upload. */
  path: string;
  /** Size in bytes, unpacked, of the files that the import read. */
  bytes: number;
  /** SHA-256 of the paths and contents of these files in hexadecimal; see {@link getDigest}. */
  sha256: string;
  campaigns: Campaign[];
  /** Name of each algorithm by its name in the source. */
  names: ReadonlyMap<string, string>;
  notes: ImportNote[];
}

/** The experiments of one suite and one family of formats; see {@link getCampaignKey}. */
export interface Campaign {
  /**
   * Id of the campaign; null for data of an unknown suite without a stored campaign. Such data have only experiments.
   */
  campaignId: string | null;
  /** Suite of the functions; null if `campaignId` is null, or if the data state no suite. */
  suite: string | null;
  experiments: Experiment[];
}

/** An experiment: the runs of a {@link RunGroup}, with their ids. */
export interface Experiment {
  record: ExperimentRecord;
  group: RunGroup;
  functionNumber: number;
  /**
   * Target of the trials: the precision of the group. Without a precision, it is the best value of the problem in this
   * import; 0 if there is none. `shareTargets` also considers stored trials.
   */
  target: number;
  /** Prefix of the ids of these runs: the prefix of stored runs, otherwise the result of {@link getRunIdPrefix}. */
  runIdPrefix: string;
  runs: (ImportedRun & { runId: string; experimentId: string })[];
}

/** Placeholder names of algorithms, from the examples of the loggers. */
const placeholderNames = /^(alg|rs|algorithm_name|algorithm|unknown|_|)$/i;

/** Options of {@link getCampaigns}. */
export interface CampaignOptions {
  /** Names of algorithms by their names in the source. */
  names?: ReadonlyMap<string, string>;
  /** Evaluation budget of each run, for data that do not state it. */
  budget?: number | undefined;
  /** Ids of the campaigns of the data set in the database. */
  storedCampaignIds?: ReadonlySet<string>;
  /** Prefix of the ids of the stored runs in each experiment of the data set, by the id of the experiment. */
  storedPrefixes?: ReadonlyMap<string, string>;
  /** Result of {@link readStoredExperiments} for the same experiments. */
  storedExperiments?: readonly StoredExperiment[];
  /** Whether an earlier import of the data set had the same content. */
  isKnownContent?: boolean;
}

/**
 * Returns the groups as campaigns, with the ids of campaigns, experiments and runs in a data set of this name. Data of
 * an unknown suite get a campaign only if an earlier version of the program stored one for them. An earlier version may
 * also have chosen another direction. So groups of tables with known content retain the direction of their stored
 * experiments if neither the data nor the user state one.
 */
export function getCampaigns(
  dataSet: string,
  groups: readonly RunGroup[],
  {
    names = new Map(),
    budget,
    storedCampaignIds = new Set(),
    storedPrefixes = new Map(),
    storedExperiments = [],
    isKnownContent = false,
  }: CampaignOptions = {},
): Campaign[] {
  const renamedGroups = groups.map((group) => ({
    ...group,
    algorithm: names.get(group.algorithm) ?? group.algorithm,
  }));
  const experimentsByCampaign = Map.groupBy(storedExperiments, (experiment) => experiment.campaign);
  const groupsByCampaign = Map.groupBy(renamedGroups, (group) =>
    JSON.stringify(getCampaignKey(group)),
  );
  return [...groupsByCampaign].flatMap(([campaignKey, groupsOfCampaign]) => {
    const [firstGroup] = groupsOfCampaign;
    if (!firstGroup) return [];
    const experimentsOfCampaign = experimentsByCampaign.get(campaignKey) ?? [];
    const getNumber = createFunctionNumberGetter(
      groupsOfCampaign,
      getFunctionNumbers(experimentsOfCampaign),
    );
    const experimentsByCell = Map.groupBy(experimentsOfCampaign, ({ cell }) => cell);
    const listStoredExperiments = (group: RunGroup) =>
      experimentsByCell.get(getCellKey(group, getNumber(group))) ?? [];
    const groupsWithDirection = groupsOfCampaign.map((group) => {
      if (!isKnownContent || !group.getReversedGroup) return group;
      const storedDirections = listStoredExperiments(group).flatMap(
        ({ direction }) => direction ?? [],
      );
      return storedDirections.length === 0 || storedDirections.includes(group.direction)
        ? group
        : { ...group.getReversedGroup(), algorithm: group.algorithm };
    });
    const bestByProblem = findBestFitness(groupsWithDirection, getNumber);
    const campaignId = getCampaignId(dataSet, firstGroup);
    const hasCampaign =
      storedCampaignIds.has(campaignId) || ![null, unknownSuite].includes(firstGroup.suite);
    return {
      campaignId: hasCampaign ? campaignId : null,
      suite: hasCampaign ? firstGroup.suite : null,
      experiments: groupsWithDirection.map((group) =>
        getExperiment(dataSet, group, {
          functionNumber: getNumber(group),
          bestByProblem,
          budget,
          storedPrefixes,
          storedExperiments: listStoredExperiments(group),
        }),
      ),
    };
  });
}

/**
 * Returns the name of each algorithm by its name in the source: the name that the user chose, otherwise the name from
 * an earlier import of the data set, otherwise the name in the source. If the source has only one algorithm and its
 * name there is a placeholder, the name of the data set replaces the placeholder.
 */
export function nameAlgorithms(
  dataSet: string,
  sourceNames: readonly string[],
  names: ReadonlyMap<string, string>,
  previousNames: ReadonlyMap<string, string>,
): Map<string, string> {
  return new Map(
    sourceNames.map((name) => {
      const isPlaceholder = sourceNames.length === 1 && placeholderNames.test(name);
      return [name, names.get(name) ?? previousNames.get(name) ?? (isPlaceholder ? dataSet : name)];
    }),
  );
}

/**
 * Returns each placeholder name whose algorithm has runs on the same problem instance in several folders, because these
 * folders may contain different algorithms. Ignores runs of unknown instances.
 */
export function listPooledPlaceholders(groups: readonly RunGroup[]): string[] {
  const pooledGroups = groups.filter(({ algorithm, runs }) => {
    if (!placeholderNames.test(algorithm)) return false;
    const origins = runs.flatMap(({ instance, origin }) =>
      instance === 0 || origin === undefined ? [] : { instance, folder: getFolder(origin) },
    );
    const folders = new Map(origins.map(({ instance, folder }) => [instance, folder]));
    return origins.some(({ instance, folder }) => folders.get(instance) !== folder);
  });
  return [...new Set(pooledGroups.map(({ algorithm }) => algorithm))];
}

function getExperiment(
  dataSet: string,
  group: RunGroup,
  {
    functionNumber,
    bestByProblem,
    budget,
    storedPrefixes,
    storedExperiments,
  }: {
    functionNumber: number;
    bestByProblem: ReadonlyMap<string, number>;
    budget: number | undefined;
    storedPrefixes: ReadonlyMap<string, string>;
    /** The stored experiments with the {@link getCellKey} of the group. */
    storedExperiments: readonly StoredExperiment[];
  },
): Experiment {
  const record = createExperimentRecord(getConfig(dataSet, group, functionNumber, budget));
  const { experimentId } = record;
  const prefix =
    storedPrefixes.get(experimentId) ??
    findStoredPrefix(dataSet, group, storedPrefixes, storedExperiments) ??
    getRunIdPrefix(dataSet, group);
  const problem = { functionNumber, dimension: group.dimension };
  return {
    record,
    group,
    functionNumber,
    target: group.precision ?? bestByProblem.get(getProblemKey({ ...group, functionNumber })) ?? 0,
    runIdPrefix: prefix,
    runs: group.runs.map((run) => ({
      ...run,
      runId: getRunId(prefix, problem, run),
      experimentId,
    })),
  };
}

/**
 * Returns the prefix of the ids of stored runs that have the same {@link getCellKey} as a group of a table, but whose
 * experiments have another budget or direction. Returns undefined if there are no such runs, and for groups of loggers.
 * Prefers experiments in the same direction. Among their prefixes, returns the result of {@link getRunIdPrefix} or, if
 * the stored table had its columns in another order, the first one.
 */
function findStoredPrefix(
  dataSet: string,
  group: RunGroup,
  storedPrefixes: ReadonlyMap<string, string>,
  storedExperiments: readonly StoredExperiment[],
): string | undefined {
  // Other prefixes do not depend on attributes.
  if (group.format !== 'table') return undefined;
  const experimentsInDirection = storedExperiments.filter(
    ({ direction }) => direction === group.direction,
  );
  const candidates = experimentsInDirection.length > 0 ? experimentsInDirection : storedExperiments;
  const prefixes = candidates.flatMap(({ experimentId }) => storedPrefixes.get(experimentId) ?? []);
  const ownPrefix = getRunIdPrefix(dataSet, group);
  return prefixes.includes(ownPrefix) ? ownPrefix : prefixes[0];
}

/** Returns the best value of these groups by {@link getProblemKey}. Omits problems without values. */
function findBestFitness(
  groups: readonly RunGroup[],
  getNumber: (group: RunGroup) => number,
): Map<string, number> {
  const bestByProblem = new Map<string, number>();
  for (const group of groups) {
    const key = getProblemKey({ ...group, functionNumber: getNumber(group) });
    for (const { trace } of group.runs)
      updateBest(bestByProblem, key, trace.best.at(-1) ?? null, group.direction);
  }
  return bestByProblem;
}

/**
 * Returns the key of the trials of a campaign that share a target if they have no precision: function, dimension (0 if
 * unknown) and direction.
 */
export function getProblemKey({
  functionNumber,
  dimension,
  direction,
}: Pick<Experiment, 'functionNumber'> & Pick<RunGroup, 'dimension' | 'direction'>): string {
  return `${functionNumber} ${dimension ?? 0} ${direction}`;
}

/**
 * Sets the best value of a problem in `bestByProblem` to `value` if there is none or if `value` is better. Ignores
 * null.
 */
export function updateBest(
  bestByProblem: Map<string, number>,
  problem: string,
  value: number | null,
  direction: Direction,
): void {
  if (value === null) return;
  const previousBest = bestByProblem.get(problem) ?? value;
  bestByProblem.set(problem, getBest([previousBest, value], direction) ?? value);
}

/**
 * Returns the parts that identify a campaign within its data set. The formats of COCO share a campaign for each suite.
 * Each other format has separate campaigns, even for the same suite.
 */
export function getCampaignKey({
  format,
  suite,
}: Pick<RunGroup, 'suite'> & { format: string }): string[] {
  const family = format.startsWith('coco') ? [] : [format];
  return [suite ?? '', ...family];
}

/**
 * Returns the id of a campaign: `imp-` and the first 16 hexadecimal digits of a hash of the name of the data set and
 * {@link getCampaignKey}.
 */
export function getCampaignId(dataSet: string, group: Pick<RunGroup, 'format' | 'suite'>): string {
  return `imp-${hashParts([dataSet, ...getCampaignKey(group)]).slice(0, 16)}`;
}

/**
 * Returns the prefix of the ids of new runs of an algorithm, or of a setting in a table, in a campaign: `imp-` and the
 * first 12 hexadecimal digits of a hash.
 */
export function getRunIdPrefix(dataSet: string, group: RunGroup): string {
  const parts = [dataSet, ...getCampaignKey(group), group.algorithm];
  // The columns of a table may distinguish algorithms of one name. The attributes of a logger may change between
  // imports.
  const attributes = group.format === 'table' ? [JSON.stringify(group.attributes)] : [];
  return `imp-${hashParts([...parts, ...attributes]).slice(0, 12)}`;
}

/**
 * Returns the id of a run: prefix, function, dimension (0 if unknown), instance, the seed if the instance is 0 and the
 * seed is not, and repetition.
 */
export function getRunId(
  prefix: string,
  problem: { functionNumber: number; dimension: number | null },
  run: Pick<ImportedRun, 'instance' | 'seed' | 'repetition'>,
): string {
  const { instance, repetition } = run;
  const seedPart = getPairing(run) === instance ? '' : `-s${getPairing(run)}`;
  return `${prefix}-f${problem.functionNumber}-d${problem.dimension ?? 0}-i${instance}${seedPart}-r${repetition}`;
}

function hashParts(parts: readonly string[]): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex');
}

type FunctionIdentity = Pick<RunGroup, 'functionId' | 'functionName' | 'problemAttributes'>;

/** Names of the parameters of a problem that are not attributes; see {@link makeProblemParams}. */
const ownParams = new Set(['dimension', 'direction', 'functionId', 'functionName', 'suite']);

/**
 * The stored numbers of the functions of a campaign by {@link getStoredKey}. Functions with the same name and
 * attributes have the same key. A function may have several numbers, because earlier versions gave it another number
 * when they imported a further part of the data set.
 */
type FunctionNumbers = ReadonlyMap<string, ReadonlySet<number>>;

/** A stored experiment, as its configuration describes it. */
export interface StoredExperiment {
  experimentId: string;
  /** {@link getCampaignKey} as JSON. */
  campaign: string;
  functionNumber: number;
  /** {@link getStoredKey} of the function. */
  functionKey: string;
  /** {@link getDirectionlessKey} of the problem. */
  problem: string;
  /** {@link getCellKey} of the experiment. */
  cell: string;
  /** Direction of optimisation; null if unknown. */
  direction: Direction | null;
}

/** Reads the configurations of imported experiments, in their order. Skips other configurations. */
export function readStoredExperiments(
  configs: readonly { experimentId: string; configText: string }[],
): StoredExperiment[] {
  return configs.flatMap(({ experimentId, configText }) => {
    const config = parseConfig(configText);
    const format = getValueAt(config, ['import', 'format']);
    const params = getValueAt(config, ['problem', 'params']);
    if (typeof format !== 'string' || !isConfigObject(params)) return [];
    const { functionId, functionName, suite = null, dimension = null } = params;
    if (typeof functionId !== 'number' || typeof functionName !== 'string') return [];
    if (typeof suite !== 'string' && suite !== null) return [];
    const problemAttributes = Object.fromEntries(
      Object.entries(params).filter(([name]) => !ownParams.has(name)),
    );
    const functionKey = getStoredKey(functionName, problemAttributes);
    const problem = JSON.stringify([suite, functionId, functionKey, dimension]);
    return [
      {
        experimentId,
        campaign: JSON.stringify(getCampaignKey({ format, suite })),
        functionNumber: functionId,
        functionKey,
        problem,
        cell: `${problem} ${getCanonicalJson(config['algorithm'] ?? null)}`,
        direction: directions.find((direction) => direction === params['direction']) ?? null,
      },
    ];
  });
}

/** Returns the parts of a problem that do not depend on its direction, as text. */
export function getDirectionlessKey(
  { suite, functionId, functionName, problemAttributes, dimension }: RunGroup,
  functionNumber: number,
): string {
  const functionKey = getStoredKey(functionName ?? functionId, { ...problemAttributes });
  return JSON.stringify([suite, functionNumber, functionKey, dimension]);
}

/** Returns the parts that identify a setting of an algorithm on a problem within a campaign, as text. */
function getCellKey(group: RunGroup, functionNumber: number): string {
  const setting = { params: { ...group.attributes }, type: group.algorithm };
  return `${getDirectionlessKey(group, functionNumber)} ${getCanonicalJson(setting)}`;
}

function getFunctionNumbers(experiments: readonly StoredExperiment[]): FunctionNumbers {
  const experimentsByFunction = Map.groupBy(experiments, ({ functionKey }) => functionKey);
  return new Map(
    Array.from(experimentsByFunction, ([functionKey, experimentsOfFunction]) => [
      functionKey,
      new Set(experimentsOfFunction.map(({ functionNumber }) => functionNumber)),
    ]),
  );
}

/** Returns the parts that identify a function in configurations, except its number, as text. */
function getStoredKey(functionName: string, attributes: ConfigObject): string {
  return JSON.stringify([functionName, getCanonicalJson(attributes)]);
}

/**
 * Returns a function that returns the number of a group's function, and 0 for a group with a function that `groups`
 * does not contain. Functions differ by id, name and attributes. If an id has at most nine digits, it is the number of
 * its function. Functions with other ids, and further functions with the same number, get the smallest unused numbers
 * from 1, in the order of their names, then ids. Stored functions retain their numbers, and no other function gets
 * these numbers.
 */
export function createFunctionNumberGetter(
  groups: readonly FunctionIdentity[],
  storedNumbers: FunctionNumbers = new Map(),
): (group: FunctionIdentity) => number {
  const functions = new Map(groups.map((group) => [getFunctionKey(group), group]));
  const orderedFunctions = [...functions].sort(([a], [b]) => (a < b ? -1 : 1));
  const numbers = new Map<string, number>();
  const usedNumbers = new Set<number>();
  const numberFunctions = (listCandidates: (group: FunctionIdentity) => Iterable<number>) => {
    for (const [key, group] of orderedFunctions) {
      if (numbers.has(key)) continue;
      const number = [...listCandidates(group)].find((candidate) => !usedNumbers.has(candidate));
      if (number === undefined) continue;
      numbers.set(key, number);
      usedNumbers.add(number);
    }
  };
  const reservedNumbers = new Set(
    [...storedNumbers.values()].flatMap((ownNumbers) => [...ownNumbers]),
  );
  const listStoredNumbers = ({ functionId, functionName, problemAttributes }: FunctionIdentity) =>
    storedNumbers.get(getStoredKey(functionName ?? functionId, { ...problemAttributes })) ?? [];
  if (storedNumbers.size > 0) {
    // A function may have several stored numbers. If a first import gives one of them, the stored runs have this one.
    const getFirstNumber = createFunctionNumberGetter(groups);
    numberFunctions((group) =>
      [...listStoredNumbers(group)].filter((number) => number === getFirstNumber(group)),
    );
  }
  // Names are not always unique, so an id of digits applies before another stored number of the name.
  numberFunctions(({ functionId }) =>
    /^\d{1,9}$/.test(functionId) && !reservedNumbers.has(Number(functionId))
      ? [Number(functionId)]
      : [],
  );
  numberFunctions(listStoredNumbers);
  for (const number of reservedNumbers) usedNumbers.add(number);
  numberFunctions(() => [findSmallestUnused(usedNumbers)]);
  return (group) => numbers.get(getFunctionKey(group)) ?? 0;
}

function getFunctionKey({ functionId, functionName, problemAttributes }: FunctionIdentity): string {
  return JSON.stringify([functionName ?? '', functionId, problemAttributes]);
}

function findSmallestUnused(usedNumbers: ReadonlySet<number>): number {
  let number = 1;
  while (usedNumbers.has(number)) number += 1;
  return number;
}

/**
 * Returns the configuration of an imported experiment, with sorted keys. The sections `problem` and `representation`
 * identify the problem instance, so they are equal for equal functions of a known suite in any format. `import` states
 * the data set, the format and, if there is one, the precision. `stopping` states the precision too, and `budget` if
 * the data state no budget.
 */
export function getConfig(
  dataSet: string,
  group: RunGroup,
  functionNumber: number,
  budget?: number,
): JavaObject {
  const config = {
    algorithm: { params: getValues(group.attributes), type: group.algorithm },
    import: {
      dataset: dataSet,
      format: group.format,
      ...(group.precision !== null && { precision: toDouble(group.precision) }),
    },
    model: emptySection,
    problem: { params: makeProblemParams(group, functionNumber), type: getProblemType(group) },
    replacement: emptySection,
    representation: {
      params: group.dimension === null ? {} : { length: group.dimension },
      type: group.format === 'pycma' ? 'real-vector' : getRepresentationType(group.suite),
    },
    run: { name: getName(dataSet, group) },
    schema: '3.0',
    selection: emptySection,
    stopping: {
      type: 'imported',
      ...(budget !== undefined && !hasStatedBudget(group) && { maxEvaluations: budget }),
      ...(group.precision !== null && { targetFitness: toDouble(group.precision) }),
    },
  };
  return sortKeys(config) as JavaObject;
}

/**
 * Returns whether the data of a group state how many evaluations its runs used: at least one run used evaluations after
 * its last improvement. Loggers that write only improvements end each run with an improvement.
 */
export function hasStatedBudget({ runs }: Pick<RunGroup, 'runs'>): boolean {
  return runs.some(({ trace }) => hasRowsAfterBest(trace));
}

const emptySection = { type: 'none' };

/** Returns a name such as `DIRECT bbob f1 d2`, from the algorithm and {@link getProblemTitle}. */
function getName(dataSet: string, group: RunGroup): string {
  return [group.algorithm, getProblemTitle(dataSet, group)].filter(Boolean).join(' ');
}

/**
 * Returns a title such as `bbob f1 d2`. The name of the data set replaces `unknown_suite`. Omits parts that are null or
 * empty.
 */
export function getProblemTitle(
  dataSet: string,
  { suite, functionId, dimension }: Pick<RunGroup, 'suite' | 'functionId' | 'dimension'>,
): string {
  const suiteTitle = suite === unknownSuite ? dataSet : suite;
  const parts = [suiteTitle, formatFunctionTitle(functionId)];
  return [...parts, dimension === null ? null : `d${dimension}`].filter(Boolean).join(' ');
}

/** Returns `f8` for the id `8`. Returns an id with other characters than digits unchanged. */
function formatFunctionTitle(functionId: string): string {
  return /^\d+$/.test(functionId) ? `f${functionId}` : functionId;
}

function makeProblemParams(group: RunGroup, functionNumber: number): JavaObject {
  const { suite, functionName, dimension, direction, problemAttributes } = group;
  return {
    ...getValues(problemAttributes),
    ...(dimension !== null && { dimension }),
    direction,
    functionId: functionNumber,
    functionName: functionName ?? group.functionId,
    ...(suite !== null && { suite }),
  };
}

/**
 * Returns the type of the problem. PBO, each suite of BBOB, and pycma each have a separate type. In other tables, each
 * function has a separate type. All other data have the same type.
 */
function getProblemType({ format, suite, functionName, functionId }: RunGroup): string {
  if (suite === 'PBO') return 'ioh-pbo';
  if (suite?.startsWith('bbob')) return `coco-${suite}`;
  if (format === 'pycma') return 'pycma';
  return format === 'table' ? (functionName ?? formatFunctionTitle(functionId)) : 'ioh-problem';
}

function getRepresentationType(suite: string | null): string {
  if (suite === 'PBO') return 'bitstring';
  if (suite === 'bbob-mixint') return 'mixed-vector';
  return suite?.startsWith('bbob') ? 'real-vector' : 'unknown';
}

/**
 * Returns attributes as values of a configuration: whole numbers within ±(2^53 − 1) as integers, other numbers as
 * doubles.
 */
function getValues(attributes: Readonly<Record<string, FlatAttribute>>): JavaObject {
  return Object.fromEntries(
    Object.entries(attributes).map(([name, value]): [string, JavaValue] => [
      name,
      typeof value === 'number' && !Number.isSafeInteger(value) ? toDouble(value) : value,
    ]),
  );
}
