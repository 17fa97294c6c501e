import { createHash } from 'node:crypto';
import type { RunDetail } from '#shared/schemas/run.ts';
import { getTextStart } from '#shared/syntax.ts';
import {
  flattenedSections,
  type ConfigObject,
  type ConfigValue,
  isConfigObject,
  parseConfig,
} from './config.ts';
import { directionRules } from './objective.ts';

/** The part of a configuration that defines the solved problem and its representation. */
export interface InstanceKey {
  /**
   * Short stable id: 12 hexadecimal digits of a hash of the canonical JSON with its secrets, and of the problem type
   * unless the configuration states this type.
   */
  id: string;
  /** Canonical JSON of the {@link instanceSections}. */
  configJson: string;
  /** Number of variables; null if the configuration does not state it. */
  dimension: number | null;
  /**
   * Parameters of these sections by path ("problem.type", "representation.length"), in the form of {@link
   * getParameters}.
   */
  parameters: ReadonlyMap<string, string>;
}

/** Sections that define the problem instance; null is the same as a missing section. */
const instanceSections = ['problem', 'representation', 'grammar', 'constraints'];

/** Sections about storage, display and names of a run, which do not affect its computation. */
const metadataSections = new Set([
  'logging',
  'observability',
  'persistence',
  'recording',
  'reporting',
  'run',
  'schema',
  'web',
]);

/** Returns whether a section is only about storage, display or names. */
export function isMetadataSection(section: string): boolean {
  return metadataSections.has(section);
}

/**
 * Returns JSON text without whitespace. The keys of every object are in the order of UTF-16 code units. Equal values
 * have equal texts.
 */
export function getCanonicalJson(value: ConfigValue): string {
  if (typeof value === 'bigint') return String(value);
  if (Array.isArray(value)) return `[${value.map(getCanonicalJson).join(',')}]`;
  if (!isConfigObject(value)) return JSON.stringify(value);
  const members = Object.entries(value).sort(compareKeys);
  return `{${members.map(([key, member]) => `${JSON.stringify(key)}:${getCanonicalJson(member)}`).join(',')}}`;
}

function compareKeys([a]: [string, unknown], [b]: [string, unknown]): number {
  return a < b ? -1 : Number(a > b);
}

/**
 * Returns the problem instance of an experiment from its stored `config_json`. For text that is not a JSON object or
 * has none of the sections, returns the instance of an unknown configuration (`{}`).
 */
export function getProblemInstance(configText: string): InstanceKey {
  const config = parseConfig(configText);
  const sections = instanceSections.flatMap((section): [string, ConfigValue][] => {
    const value = Object.hasOwn(config, section) ? config[section] : null;
    return value === undefined || value === null ? [] : [[section, value]];
  });
  const configJson = getCanonicalJson(Object.fromEntries(sections));
  const parameters = getParametersIn(sections);
  return {
    id: getShortHash(configJson),
    configJson,
    dimension: getDimensionIn(parameters),
    parameters,
  };
}

/**
 * Returns the instance of an experiment on a problem type. If the configuration does not state this type, the id
 * depends on the configuration and on the type, because equal configurations of two problems are two instances.
 */
export function addProblemType(instance: InstanceKey, problemType: string): InstanceKey {
  if (instance.parameters.get('problem.type') === problemType) return instance;
  return { ...instance, id: getShortHash(getCanonicalJson([problemType, instance.id])) };
}

/** Sections that contain neither the algorithm nor its parameters: the problem, the budget, the source of the data. */
const otherSections = new Set([...instanceSections, 'stopping', 'import']);

/** Keys at the top level that name a run. Deeper keys may name an operator, which is part of the algorithm. */
const nameKeys = new Set(['name', 'runname', 'label', 'description']);

const seedKeys = new Set(['seed', 'seeds', 'randomseed', 'masterseed']);

/**
 * Returns the id of the configuration of the algorithm. It is equal for two experiments whose configurations differ
 * only in seeds, names, problem instance, budget, source of the data, logging, storage and reporting. Text that is not
 * a JSON object has the id of an empty configuration.
 */
export function getConfigurationId(configText: string): string {
  const sections = Object.entries(parseConfig(configText));
  const algorithmSections = sections.filter(
    ([section]) =>
      !metadataSections.has(section) &&
      !otherSections.has(section) &&
      !nameKeys.has(section.toLowerCase()),
  );
  return getShortHash(getCanonicalJson(removeSeeds(Object.fromEntries(algorithmSections))));
}

function removeSeeds(value: ConfigValue): ConfigValue {
  if (Array.isArray(value)) return value.map(removeSeeds);
  if (!isConfigObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([key]) => !seedKeys.has(key.toLowerCase()))
      .map(([key, member]) => [key, removeSeeds(member)]),
  );
}

/**
 * Returns the parameters of a configuration by their paths in `experiment_params` ("algorithm.populationSize"): scalars
 * as text, and arrays as JSON. Omits null values and the sections about storage, display and names. Returns an empty
 * map for text that is not a JSON object.
 */
export function getParameters(configText: string): ReadonlyMap<string, string> {
  const sections = Object.entries(parseConfig(configText));
  const parameterSections = sections.filter(([section]) => !metadataSections.has(section));
  return getParametersIn(parameterSections);
}

function getParametersIn(sections: readonly [string, ConfigValue][]): ReadonlyMap<string, string> {
  return new Map(
    sections.flatMap(([section, value]) =>
      getScalars(section, flattenedSections.has(section) ? removeParamsLevel(value) : value),
    ),
  );
}

/**
 * Returns the section with the members of its `params` next to its other members. The other members take precedence.
 */
function removeParamsLevel(section: ConfigValue): ConfigValue {
  if (!isConfigObject(section)) return section;
  const { params, ...ownMembers } = section;
  return isConfigObject(params) ? ({ ...params, ...ownMembers } satisfies ConfigObject) : section;
}

function getShortHash(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 12);
}

function getScalars(path: string, value: ConfigValue): [string, string][] {
  if (value === null) return [];
  if (!isConfigObject(value))
    return [[path, typeof value === 'object' ? getCanonicalJson(value) : `${value}`]];
  return Object.entries(value).flatMap(([key, member]) => getScalars(`${path}.${key}`, member));
}

/**
 * Returns a text that is equal for the instances of one function. These instances differ only in their dimension and in
 * their instance number (see {@link findInstanceNumber}).
 */
export function getFunctionKey(instance: Pick<InstanceKey, 'parameters'>): string {
  const instancePath = findInstanceNumber(instance)?.path;
  const otherParameters = [...instance.parameters].filter(
    ([path]) => !dimensionPaths.includes(path) && path !== instancePath,
  );
  return JSON.stringify(otherParameters.sort(compareKeys));
}

/**
 * Returns the number of the instance of a function, from 0 to 2^31 − 1, and the path of its parameter; null if the
 * configuration states none. Ignores any other text, such as the file of a MAX-SAT formula, because it names a problem.
 */
export function findInstanceNumber({
  parameters,
}: Pick<InstanceKey, 'parameters'>): { path: string; number: number } | null {
  for (const path of instanceNumberPaths) {
    const text = parameters.get(path) ?? '';
    if (/^\d{1,10}$/.test(text) && Number(text) <= maximumInstanceNumber)
      return { path, number: Number(text) };
  }
  return null;
}

/** Paths of the number of an instance: first the path that the runner uses, then the path of recorded runs. */
const instanceNumberPaths = ['problem.instanceId', 'problem.instance'];

const maximumInstanceNumber = 2 ** 31 - 1;

const dimensionPaths = ['representation.length', 'representation.size', 'problem.dimension'];

function getDimensionIn(parameters: ReadonlyMap<string, string>): number | null {
  const dimensions = dimensionPaths.map((path) => Number(parameters.get(path) ?? NaN));
  return dimensions.find((dimension) => Number.isInteger(dimension) && dimension > 0) ?? null;
}

/**
 * Returns the label of each instance, in order: the problem type, its dimension or length, and other differences among
 * the instances ("onemax, length 40"), without repetitions of the same fact ("coco-bbob, dimension 2, f1 Sphere").
 * Instances with equal labels also show their id.
 */
export function getInstanceLabels(
  instances: readonly InstanceKey[],
  problemType: string,
): string[] {
  const paths = new Set(instances.flatMap((instance) => [...instance.parameters.keys()]));
  const distinctivePaths = [...paths]
    .filter((path) => isDistinctive(path, instances))
    .sort(compareDimensionsFirst);
  const labelPaths: string[] = [];
  for (const path of distinctivePaths)
    if (!isRepeated(path, labelPaths, instances)) labelPaths.push(path);
  const labels = instances.map(({ parameters }) =>
    [problemType, ...labelPaths.flatMap((path) => getLabelParts(path, parameters))].join(', '),
  );
  const equalLabels = Map.groupBy(labels, (label) => label);
  return labels.map((label, index) =>
    equalLabels.get(label)?.length === 1 ? label : `${label} (${instances[index]?.id})`,
  );
}

function isDistinctive(path: string, instances: readonly InstanceKey[]): boolean {
  if (path === 'problem.type') return false;
  if (dimensionPaths.includes(path)) return true;
  const values = new Set(instances.map(({ parameters }) => parameters.get(path)));
  // An instance that states no direction has the direction of the others.
  if (directionPaths.has(path)) values.delete(undefined);
  return values.size > 1;
}

const directionPaths = new Set(directionRules.paths.map(([section, , key]) => `${section}.${key}`));

/**
 * Returns whether all instances have equal values at a path and at another path of the label, such as dimension and
 * length. For the name of a function, returns whether the label already contains the number of the function.
 */
function isRepeated(
  path: string,
  labelPaths: readonly string[],
  instances: readonly InstanceKey[],
): boolean {
  const hasEqualValues = (otherPath: string) =>
    instances.every(({ parameters }) => parameters.get(otherPath) === parameters.get(path));
  return path === functionNamePath
    ? labelPaths.includes(functionIdPath)
    : labelPaths.some(hasEqualValues);
}

function compareDimensionsFirst(a: string, b: string): number {
  const [isDimensionA, isDimensionB] = [dimensionPaths.includes(a), dimensionPaths.includes(b)];
  return isDimensionA === isDimensionB
    ? compareKeys([a, null], [b, null])
    : Number(isDimensionB) - Number(isDimensionA);
}

const maximumValueLength = 24;

/** Path of the number of a function in its suite. Labels contain the number together with the name of the function. */
const functionIdPath = 'problem.functionId';
const functionNamePath = 'problem.functionName';

function getLabelParts(path: string, parameters: InstanceKey['parameters']): string[] {
  const value = parameters.get(path);
  if (value === undefined) return [];
  if (path === functionIdPath) {
    const functionName = parameters.get(functionNamePath) ?? '';
    return [`f${value}${functionName === value ? '' : ` ${functionName}`}`.trimEnd()];
  }
  const name = path === 'representation.type' ? 'representation' : getName(path, parameters);
  const truncatedValue =
    value.length > maximumValueLength ? `${getTextStart(value, maximumValueLength - 1)}…` : value;
  return [`${name} ${truncatedValue}`];
}

/** Returns the last part of a path; `dimension` for the length or size of a vector of real numbers. */
function getName(path: string, parameters: InstanceKey['parameters']): string {
  const isRealVector = getFamilyOfType(parameters.get('representation.type') ?? '') === 'real';
  return isRealVector && dimensionPaths.includes(path)
    ? 'dimension'
    : (path.split('.').at(-1) ?? path);
}

type Family = RunDetail['representationFamily'];

const typeFamilies = new Map<string, Family>([
  ['bitstring', 'binary'],
  ['grammar-bitstring', 'grammar'],
  ['permutation-vector', 'permutation'],
  ['real-vector', 'real'],
]);

const families: readonly Family[] = ['binary', 'permutation', 'real', 'grammar'];

/**
 * Returns the family of the representation type of a run. The family determines the charts of its telemetry. For a type
 * that the runner does not provide, returns the family in the telemetry (a text that starts with
 * `"representationFamily"`), or `unknown` if the telemetry names none. The type takes precedence, because the telemetry
 * of a grammar run states `binary`, the family of its genome.
 */
export async function getFamily(
  representationType: string,
  readTelemetry: () => Promise<string | null>,
): Promise<Family> {
  const familyByType = getFamilyOfType(representationType);
  if (familyByType) return familyByType;
  const name = /^"representationFamily"\s*:\s*"(\w+)"/.exec((await readTelemetry()) ?? '')?.[1];
  return families.find((family) => family === name) ?? 'unknown';
}

/** Returns the family of a representation type of the runner; undefined for any other type. */
function getFamilyOfType(representationType: string): Family | undefined {
  return typeFamilies.get(representationType.trim().toLowerCase());
}
