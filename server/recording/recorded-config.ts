import type { ConfigObject, ConfigValue } from '#server/domain/config.ts';
import { isConfigObject } from '#server/domain/config.ts';
import { formatJavaJson, toDouble, type JavaObject, type JavaValue, sortKeys } from './recorder.ts';

/** Sections of the runner's configuration that have a type. */
const typedSections = [
  'algorithm',
  'model',
  'problem',
  'representation',
  'selection',
  'replacement',
  'stopping',
] as const;

/**
 * Other sections of the runner's configuration. The service stores them as clients send them, except `recording`, `run`
 * and `schema`.
 */
const otherSections = new Set([
  'constraints',
  'grammar',
  'localSearch',
  'logging',
  'niching',
  'observability',
  'persistence',
  'recording',
  'reporting',
  'restart',
  'run',
  'schema',
]);

/** Sections and keys under which the runner stores values that clients send at the top level of a configuration. */
const positions: Readonly<Record<string, readonly [section: string, key: string]>> = {
  dimension: ['problem', 'dimension'],
  instance: ['problem', 'instance'],
  direction: ['problem', 'direction'],
  budget: ['stopping', 'maxEvaluations'],
  target: ['stopping', 'targetFitness'],
};

/** Maximum nesting depth of a configuration, and its maximum number of values, because each value becomes a row. */
const maximumDepth = 20;
const maximumValues = 2_000;

/** Name and version of the client in a configuration. The name marks the experiments of recorded runs. */
export interface RecordingClient {
  client: string;
  version: string;
}

/** Error for a configuration that the service refuses to record. The message is for the user. */
export class ConfigError extends Error {}

/**
 * Returns the configuration of a recorded experiment in the runner's format: sections with a type, sorted keys, and
 * `recording` with the client. Omits `seed` at the top level, `seed` and `masterSeed` of `run`, and a `run` that is not
 * an object. The numbers 1 and 1.0 give equal configurations. A client may send only the text of the type instead of a
 * section. At the top level, `dimension`, `instance` and `direction` belong to the problem, `budget` and `target` to
 * the stopping rule, and `name` to the run. Other values at the top level that are not {@link otherSections} are
 * parameters of the algorithm. If the section already has another value, this value has priority. The value at the top
 * level, except `name`, then remains there, because runs with different values belong to different experiments. The
 * default name is `<algorithm> on <problem>`. Throws {@link ConfigError} for a configuration that is too deep or too
 * large, or that has a key `__proto__`.
 */
export function makeRecordedConfig(clientConfig: ConfigObject): JavaObject {
  requireSmallConfig(clientConfig);
  const sections = new Map<string, ConfigObject>(
    typedSections.map((name) => [name, makeTypedSection(name, clientConfig[name])]),
  );
  const config: ConfigObject = {};
  for (const [key, value] of Object.entries(clientConfig)) {
    const position = Object.hasOwn(positions, key) ? positions[key] : undefined;
    if (sections.has(key) || key === 'seed' || key === 'name') continue;
    if (otherSections.has(key)) {
      config[key] = value;
      continue;
    }
    const [sectionName, member] = position ?? ['algorithm', key];
    const section = sections.get(sectionName);
    // Pages read the parameters of a problem from `params`.
    const members = sectionName === 'problem' ? section?.['params'] : section;
    if (!isConfigObject(members)) continue;
    if (isOverridden(member, value, members)) config[key] = value;
    else if (!Object.hasOwn(members, member)) members[member] = value;
  }
  const algorithm = toText(sections.get('algorithm')?.['type']);
  const problem = toText(sections.get('problem')?.['type']);
  const run = isConfigObject(config['run']) ? config['run'] : {};
  const { seed: _seed, masterSeed: _master, ...ownRun } = run;
  const name = toText(ownRun['name'] ?? clientConfig['name']) ?? `${algorithm} on ${problem}`;
  return sortKeys(
    toJavaValue({
      ...config,
      ...Object.fromEntries(sections),
      schema: readSchema(config['schema']),
      run: { ...ownRun, name },
      recording: makeRecordingSection(config['recording']),
    }),
  ) as JavaObject;
}

/**
 * Returns the version of the schema as text; the JSON of a list or an object, and `3.0` for a missing, null or blank
 * version.
 */
function readSchema(value: ConfigValue | undefined): string {
  return toText(value) ?? (isNested(value) ? formatValue(value) : '3.0');
}

/**
 * Returns the section `recording` with its client. The default name is `http`, and the default version is `1`. If the
 * section is a list or a scalar, `params` contains it.
 */
function makeRecordingSection(value: ConfigValue = null): ConfigObject & RecordingClient {
  const ownMembers = isConfigObject(value) ? value : { ...(value !== null && { params: value }) };
  const { client, version } = ownMembers;
  return { ...ownMembers, client: toText(client) ?? 'http', version: toText(version) ?? '1' };
}

function isNested(value: ConfigValue | undefined): value is ConfigValue[] | ConfigObject {
  return typeof value === 'object' && value !== null;
}

/** Returns the JSON with sorted keys, which is equal for equal values. */
function formatValue(value: ConfigValue): string {
  return formatJavaJson(sortKeys(toJavaValue(value)));
}

/**
 * Returns whether `members` have another value than `value` at a key; false if they lack the key or `value` is null.
 */
function isOverridden(key: string, value: ConfigValue, members: ConfigObject): boolean {
  const member = Object.hasOwn(members, key) ? members[key] : undefined;
  if (member === undefined || value === null) return false;
  return formatValue(member) !== formatValue(value);
}

/**
 * Returns a section with its type. The section also contains its other members and the members of `params` next to each
 * other; in the problem, `params` contains all of them. The default type is the name. Without a name, the default is
 * `unknown` for the algorithm and the problem, and `none` for other sections. A member of the section has priority over
 * a member of `params`, which remains in `params` if the values differ. If the section is a list, or if its type is a
 * list or an object, `params` (in the problem: `params.params`) contains the complete section.
 */
function makeTypedSection(name: string, value: ConfigValue | undefined): ConfigObject {
  const isRequired = name === 'algorithm' || name === 'problem';
  const defaultType = isRequired ? 'unknown' : 'none';
  // The pages read the parameters of a problem from `params`, because the runner writes them there.
  const isProblem = name === 'problem';
  if (Array.isArray(value)) return makeTypedSection(name, { params: value });
  if (!isConfigObject(value)) {
    return { type: toText(value) ?? defaultType, ...(isProblem && { params: {} }) };
  }
  const { type: ownType, name: sectionName, params, ...otherMembers } = value;
  // Clients write null for a member that they do not set.
  const hasName = sectionName !== undefined && sectionName !== null;
  const type = toText(ownType) ?? toText(sectionName) ?? defaultType;
  if (isNested(ownType)) return { params: isProblem ? { params: value } : value, type };
  const ownMembers = {
    ...otherMembers,
    ...(hasName && toText(sectionName) !== type && { name: sectionName }),
  };
  if (!isConfigObject(params)) {
    const members =
      params === undefined || params === null ? ownMembers : { ...ownMembers, params };
    return isProblem ? { params: members, type } : { ...members, type };
  }
  // Runs with different values of an overridden parameter belong to different experiments.
  const overriddenParams = Object.fromEntries(
    Object.entries(params).filter(([key, member]) =>
      key === 'type' ? !isProblem : isOverridden(key, member, ownMembers),
    ),
  );
  const members: ConfigObject = { ...params, ...ownMembers };
  if (Object.keys(overriddenParams).length > 0) {
    const { params: ownParams } = params;
    members['params'] = {
      ...overriddenParams,
      ...(ownParams !== undefined && { params: ownParams }),
    };
  }
  return isProblem ? { params: members, type } : { ...members, type };
}

/** Returns a scalar as text without whitespace around it; undefined for null, blank text, lists and objects. */
function toText(value: ConfigValue | undefined): string | undefined {
  const isScalar = value !== null && typeof value !== 'object';
  return isScalar ? String(value ?? '').trim() || undefined : undefined;
}

/**
 * Returns a value of the runner's JSON. Whole numbers within ±(2^53 − 1) and bigints are integers, and other numbers
 * are doubles.
 */
export function toJavaValue(value: ConfigValue): JavaValue {
  if (Array.isArray(value)) return value.map(toJavaValue);
  if (isConfigObject(value)) {
    return Object.fromEntries(
      Object.entries(value).map(([key, member]) => [key, toJavaValue(member)]),
    );
  }
  return typeof value === 'number' && !Number.isSafeInteger(value) ? toDouble(value) : value;
}

function requireSmallConfig(config: ConfigObject): void {
  // The configuration itself does not count as a value.
  let valueCount = -1;
  const visit = (value: ConfigValue, depth: number): void => {
    if (depth > maximumDepth) {
      throw new ConfigError(`config must have at most ${maximumDepth} levels of nesting`);
    }
    valueCount += 1;
    if (valueCount > maximumValues)
      throw new ConfigError(`config must have at most ${maximumValues} values`);
    if (typeof value !== 'object' || value === null) return;
    if (Object.hasOwn(value, '__proto__'))
      throw new ConfigError('config must not have the key __proto__');
    for (const member of Object.values(value)) visit(member, depth + 1);
  };
  visit(config, 0);
}
