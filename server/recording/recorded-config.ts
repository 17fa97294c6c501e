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

/** Sections and keys under which the runner stores values that clients send at the top of a configuration. */
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

/** Error of a configuration that the recording refuses. Its message is for the user. */
export class ConfigError extends Error {}

/**
 * Returns the configuration of a recorded experiment in the runner's format: sections with a type, sorted keys, and
 * `recording` with the client. Omits `seed` at the top, and `seed` and `masterSeed` of `run`. 1 and 1.0 give equal
 * configurations. A client may send a section as the text of its type. `dimension`, `instance` and `direction` at the
 * top belong to the problem, `budget` and `target` to the stopping rule, and `name` to the run. Other values at the top
 * that are not {@link otherSections} are parameters of the algorithm. A value in the section itself has priority; then
 * another value at the top, except `name`, remains there, because runs that differ in it are different experiments.
 * Throws {@link ConfigError} for a configuration that is too deep or too large, or that has a key `__proto__`.
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

/** Returns the version of the schema, `3.0` by default; a list or an object as its JSON. */
function readSchema(value: ConfigValue | undefined): string {
  return toText(value) ?? (isNested(value) ? formatValue(value) : '3.0');
}

/**
 * Returns the section `recording` with its client. The default name is `http`, and the default version `1`. A list or a
 * scalar is in `params`.
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

/** Returns whether these members have another value than `value` at a key; false if `value` is null. */
function isOverridden(key: string, value: ConfigValue, members: ConfigObject): boolean {
  const member = Object.hasOwn(members, key) ? members[key] : undefined;
  if (member === undefined || value === null) return false;
  return formatValue(member) !== formatValue(value);
}

/**
 * Returns a section with its type, and with its other members and those of `params` side by side; for the problem, they
 * are in `params`. The default of the type is the name; without a name, it is `unknown` for the algorithm and the
 * problem, and `none` for others. A member of the section has priority; then another value of `params` remains in
 * `params`. The complete value is in `params` if it or its type is a list, or if its type is an object.
 */
function makeTypedSection(name: string, value: ConfigValue | undefined): ConfigObject {
  const isRequired = name === 'algorithm' || name === 'problem';
  const defaultType = isRequired ? 'unknown' : 'none';
  // The pages read the parameters of a problem from `params`, as the runner writes them.
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
  // Runs that differ in a parameter that another value replaces are different experiments.
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

/** Returns a value in the runner's JSON. Whole numbers within ±(2^53 − 1) and bigints are integers, others doubles. */
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
