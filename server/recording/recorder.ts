import type { Tables } from '#server/db/schema.ts';
import { Document, type ScalarTag } from 'yaml';
import { flattenedSections } from '#server/domain/config.ts';
import { createHash } from 'node:crypto';
import type { Database } from '#server/db/database.ts';
import {
  deleteIterationsFrom,
  replaceParams,
  replaceReferences,
  setUnreachedTarget,
  updateEventPayload,
  updateRun,
  writeCampaign,
  writeExperiment,
  writeRows,
  type NewCampaign,
  type NewCheckpoint,
  type NewIteration,
  type NewObjective,
  type NewOptimizer,
  type OptimizerReferences,
  type NewRun,
  type NewTrial,
  type RunChange,
} from '#server/repositories/recording.ts';

/** A number with a fixed text, because Java distinguishes 24 (an int) from 24.0 (a double) in JSON. */
export class JavaNumber {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/** A JSON value of the runner. A plain number is a Java int or long, so it must be a whole number. */
export type JavaValue =
  | null
  | boolean
  | string
  | number
  | bigint
  | JavaNumber
  | readonly JavaValue[]
  | { readonly [key: string]: JavaValue };

/** A JSON object of the runner. */
export type JavaObject = Readonly<Record<string, JavaValue>>;

/** Returns a number as a Java double. */
export function toDouble(value: number): JavaNumber {
  return new JavaNumber(formatDouble(value));
}

/** Returns an array of numbers as Java doubles. */
export function toDoubleList(values: readonly number[]): JavaNumber[] {
  return values.map(toDouble);
}

/** Returns an object with the same keys in the same order, and each value as a Java double. */
export function toDoubles(values: Readonly<Record<string, number>>): JavaObject {
  return Object.fromEntries(Object.entries(values).map(([key, value]) => [key, toDouble(value)]));
}

/**
 * Returns the text of a double as Java's `Double.toString` prints it: always with a fraction (`24.0`), or `NaN`,
 * `Infinity` or `-Infinity`. A finite number has an exponent (`5.0E-4`) if its absolute value is at least 1e7, or below
 * 1e-3 but not 0. The digits of subnormal numbers may differ from Java's.
 */
export function formatDouble(value: number): string {
  if (!Number.isFinite(value)) return String(value);
  if (value === 0) return Object.is(value, -0) ? '-0.0' : '0.0';
  const size = Math.abs(value);
  if (size >= 1e-3 && size < 1e7) return addFraction(String(value));
  const [digits = '', exponent = ''] = value.toExponential().split('e');
  return `${addFraction(digits)}E${exponent.replace('+', '')}`;
}

function addFraction(digits: string): string {
  return digits.includes('.') ? digits : `${digits}.0`;
}

/**
 * Returns compact JSON with the keys in their order. A {@link JavaNumber} that is not finite is a string, as in
 * Jackson.
 */
export function formatJavaJson(value: JavaValue): string {
  if (value instanceof JavaNumber) return formatJsonNumber(value);
  if (typeof value === 'bigint') return String(value);
  if (isJavaArray(value)) return `[${value.map(formatJavaJson).join(',')}]`;
  if (isJavaObject(value)) {
    const members = Object.entries(value).map(
      ([key, item]) => `${JSON.stringify(key)}:${formatJavaJson(item)}`,
    );
    return `{${members.join(',')}}`;
  }
  return JSON.stringify(value);
}

function formatJsonNumber({ text }: JavaNumber): string {
  return Number.isFinite(Number(text)) ? text : JSON.stringify(text);
}

/** Returns whether a value is a JSON array. */
export function isJavaArray(value: JavaValue): value is readonly JavaValue[] {
  return Array.isArray(value);
}

/** Returns whether a value is a JSON object. */
export function isJavaObject(value: JavaValue): value is JavaObject {
  return (
    typeof value === 'object' &&
    value !== null &&
    !Array.isArray(value) &&
    !(value instanceof JavaNumber)
  );
}

/**
 * Returns the value with sorted keys in all objects: first the keys that are array indexes (`10`) in numeric order,
 * then the others by UTF-16 code units.
 */
export function sortKeys(value: JavaValue): JavaValue {
  if (isJavaArray(value)) return value.map(sortKeys);
  if (!isJavaObject(value)) return value;
  const keys = Object.keys(value).sort();
  return Object.fromEntries(keys.map((key) => [key, sortKeys(value[key] ?? null)]));
}

/** The rows of an experiment in the tables `experiments` and `experiment_params`, without the time of its creation. */
export interface ExperimentRecord {
  experimentId: string;
  columns: ExperimentColumns;
  params: FlatParam[];
}

type ExperimentColumns = Omit<
  Tables['experiments'],
  'experiment_id' | 'config_hash' | 'created_at'
>;

/**
 * Returns the rows of the experiment of a configuration with sorted keys. The id is the hash of the configuration.
 * Throws an Error if the configuration has no text for a required column, such as `algorithm.type`.
 */
export function createExperimentRecord(config: JavaObject): ExperimentRecord {
  const params = flattenConfig(config);
  const getTextParam = (path: string) => readTextParam(params, path);
  const maxIterationsParam = params.find(
    ({ param_path }) => param_path === 'stopping.maxIterations',
  );
  const maxIterations = maxIterationsParam?.value_number ?? NaN;
  return {
    experimentId: hashConfig(config),
    params,
    columns: {
      schema_version: getTextParam('schema'),
      run_name: getTextParam('run.name'),
      algorithm_type: getTextParam('algorithm.type'),
      model_type: getTextParam('model.type'),
      problem_type: getTextParam('problem.type'),
      representation_type: getTextParam('representation.type'),
      selection_type: getTextParam('selection.type'),
      replacement_type: getTextParam('replacement.type'),
      stopping_type: getTextParam('stopping.type'),
      // PostgreSQL accepts only integers of 32 bits. The parameters contain all other numbers.
      max_iterations: (maxIterations | 0) === maxIterations ? maxIterations : null,
      config_yaml: formatConfigYaml(config),
      config_json: formatJavaJson(config),
    },
  };
}

/** Returns the id of a configuration: the lower-case hexadecimal SHA-256 of its compact JSON with sorted keys. */
export function hashConfig(config: JavaObject): string {
  return createHash('sha256')
    .update(formatJavaJson(sortKeys(config)))
    .digest('hex');
}

function readTextParam(params: readonly FlatParam[], path: string): string {
  const text = params.find(({ param_path }) => param_path === path)?.value_text;
  if (text === null || text === undefined)
    throw new Error(`The configuration has no ${path}: add it as a text`);
  return text;
}

/** A parameter of an experiment as a row of `experiment_params`. */
export interface FlatParam {
  section: string;
  param_path: string;
  leaf_key: string;
  value_type: 'string' | 'number' | 'boolean' | 'null' | 'json';
  value_text: string | null;
  value_number: number | null;
  value_boolean: number | null;
  value_json: string | null;
}

/**
 * Returns a row for each object, array and scalar in a configuration, ordered by section and path. Paths separate keys
 * by dots, and elements of arrays are `[i]`. The members of an object `params` of {@link flattenedSections} are members
 * of the section; if both have the same key, the value of the section has priority.
 */
export function flattenConfig(config: JavaObject): FlatParam[] {
  const rows = Object.entries(config).flatMap(([section, value]) =>
    flattenValue({ section, path: section, key: section }, value),
  );
  return rows.sort(
    (a, b) => compareTexts(a.section, b.section) || compareTexts(a.param_path, b.param_path),
  );
}

interface Position {
  section: string;
  path: string;
  key: string;
}

function flattenValue(position: Position, value: JavaValue): FlatParam[] {
  const children = getChildren(position, value);
  return [
    makeRow(position, value),
    ...children.flatMap(([child, item]) => flattenValue(child, item)),
  ];
}

function getChildren({ section, path }: Position, value: JavaValue): [Position, JavaValue][] {
  if (isJavaArray(value)) {
    return value.map((item, i) => [{ section, path: `${path}[${i}]`, key: String(i) }, item]);
  }
  if (!isJavaObject(value)) return [];
  return getMembers(value, path === section && flattenedSections.has(section)).map(
    ([key, item]) => [{ section, path: `${path}.${key}`, key }, item],
  );
}

function getMembers(value: JavaObject, isFlattened: boolean): [string, JavaValue][] {
  const { params, ...ownMembers } = value;
  if (!isFlattened || params === undefined || !isJavaObject(params)) return Object.entries(value);
  return Object.entries({ ...params, ...ownMembers });
}

function makeRow({ section, path, key }: Position, value: JavaValue): FlatParam {
  const row = { section, param_path: path, leaf_key: key, ...noValue };
  if (value === null) return { ...row, value_type: 'null' };
  if (typeof value === 'string') return { ...row, value_type: 'string', value_text: value };
  if (typeof value === 'boolean') {
    return {
      ...row,
      value_type: 'boolean',
      value_text: String(value),
      value_boolean: Number(value),
    };
  }
  if (isJavaArray(value) || isJavaObject(value)) {
    return { ...row, value_type: 'json', value_json: formatJavaJson(value) };
  }
  const text = value instanceof JavaNumber ? value.text : String(value);
  return { ...row, value_type: 'number', value_text: text, value_number: Number(text) };
}

const noValue = { value_text: null, value_number: null, value_boolean: null, value_json: null };

function compareTexts(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}

/** Tag that prints each {@link JavaNumber} of a configuration with the same digits as in its JSON. */
const javaNumberTag: ScalarTag = {
  tag: 'tag:yaml.org,2002:float',
  default: true,
  identify: (value) => value instanceof JavaNumber,
  resolve: (text) => new JavaNumber(text),
  stringify: ({ value }) => (value instanceof JavaNumber ? value.text : String(value)),
};

/**
 * Returns a configuration as YAML in the layout of the runner: with quoted texts, and sequences without indentation.
 */
export function formatConfigYaml(config: JavaObject): string {
  const document = new Document(config, { customTags: (tags) => [javaNumberTag, ...tags] });
  const text = document.toString({
    defaultKeyType: 'PLAIN',
    defaultStringType: 'QUOTE_DOUBLE',
    indentSeq: false,
    lineWidth: 0,
  });
  return `---\n${text}`;
}

/** An event to record. The payload contains the id of the run unless it is null, then the time, then the members. */
export interface NewEvent {
  /** The run of the event; null if the event does not belong to a single run. */
  runId: string | null;
  type: string;
  instant: Instant;
  members: JavaObject;
}

/**
 * Writes rows like the runner. Lists may have any length: the recorder splits them into statements that the database
 * accepts. The rows of one call must have the same columns, and on PostgreSQL they must not overwrite each other. Write
 * an experiment before its runs, and a run before its other rows.
 */
export interface Recorder {
  /** Writes an experiment with its parameters. Overwrites an experiment with the same id, except its creation time. */
  writeExperiment(record: ExperimentRecord, createdAt: Instant): Promise<void>;
  /** Writes runs. Leaves existing runs unchanged. */
  writeRuns(runs: readonly NewRun[]): Promise<void>;
  /** Changes a run. With `requiredStatus`, changes it only if the run has this status. */
  changeRun(runId: string, change: RunChange, requiredStatus?: string): Promise<void>;
  /** Writes iterations. Overwrites iterations of the same run with the same number. */
  writeIterations(iterations: readonly NewIteration[]): Promise<void>;
  /** Writes objectives. Overwrites objectives of the same run with the same name. */
  writeObjectives(objectives: readonly NewObjective[]): Promise<void>;
  /** Appends checkpoints. */
  writeCheckpoints(checkpoints: readonly NewCheckpoint[]): Promise<void>;
  /** Appends events. */
  writeEvents(events: readonly NewEvent[]): Promise<void>;
  /** Replaces the payload of an event. */
  changeEvent(eventId: number, event: NewEvent): Promise<void>;
  /** Deletes the iterations of a run with this number or a higher one. */
  deleteIterations(runId: string, iteration: number): Promise<void>;
  /**
   * Writes a campaign. Write it before its other rows. Overwrites a campaign with the same id, except the times of its
   * creation and start.
   */
  writeCampaign(campaign: NewCampaign): Promise<void>;
  /** Writes optimizers. Leaves existing optimizers unchanged. */
  writeOptimizers(optimizers: readonly NewOptimizer[]): Promise<void>;
  /** Writes trials. Overwrites trials of the same campaign, optimizer, problem instance and repetition. */
  writeTrials(trials: readonly NewTrial[]): Promise<void>;
  /** Sets the target of the trials of these runs in a campaign, and marks it as not reached. */
  setUnreachedTarget(campaignId: string, runIds: readonly string[], target: number): Promise<void>;
  /** Replaces the imported reference results of an optimizer; see {@link OptimizerReferences}. */
  writeReferences(references: OptimizerReferences): Promise<void>;
}

/**
 * Runs `work` with a recorder in one transaction, and returns its result. Writes all rows of `work`, or none if `work`
 * throws. Other writers of a SQLite database wait until the transaction ends. `transaction` is the database inside the
 * transaction, for other queries. Rejects like {@link DatabaseDialect.withWriteTransaction}.
 */
export async function record<Result>(
  database: Database,
  work: (recorder: Recorder, transaction: Database) => Promise<Result>,
): Promise<Result> {
  return database.dialect.withWriteTransaction((transaction) => {
    const databaseInTransaction = { ...database, kysely: transaction };
    return work(createRecorder(databaseInTransaction), databaseInTransaction);
  });
}

/** Maximum number of attempts at a transaction that conflicts with a transaction of another client. */
const maximumAttempts = 3;

/**
 * Runs `work` like {@link record}, with at most {@link maximumAttempts} attempts. Retries after a violation of a
 * foreign key, because another client may have used an experiment that `work` deletes, or deleted one that `work` uses.
 * `work` must not change anything outside the transaction.
 */
export async function recordWithRetries<Result>(
  database: Database,
  work: (recorder: Recorder, transaction: Database) => Promise<Result>,
): Promise<Result> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await record(database, work);
    } catch (error) {
      if (!database.dialect.isReferenceError(error) || attempt === maximumAttempts) throw error;
    }
  }
}

/**
 * Returns whether an error of {@link recordWithRetries} is a violation of a foreign key or means a `busy` database.
 * Usually, other writers cause such an error, so a later attempt may succeed.
 */
export function isBlocked({ dialect }: Database, error: unknown): boolean {
  return dialect.isReferenceError(error) || dialect.classifyFailure(error) === 'busy';
}

function createRecorder(database: Database): Recorder {
  return {
    async writeExperiment({ experimentId, columns, params }, createdAt) {
      await writeExperiment(database, {
        experiment_id: experimentId,
        config_hash: experimentId,
        created_at: formatInstant(createdAt),
        ...columns,
      });
      const rows = params.map((param) => ({ experiment_id: experimentId, ...param }));
      await replaceParams(database, experimentId, rows);
    },
    writeRuns: (runs) => writeRows(database, 'runs', runs),
    changeRun: (runId, change, requiredStatus) =>
      updateRun(database, runId, change, requiredStatus),
    writeIterations: (iterations) => writeRows(database, 'iterations', iterations),
    writeObjectives: (objectives) => writeRows(database, 'run_objectives', objectives),
    writeCheckpoints: (checkpoints) => writeRows(database, 'checkpoints', checkpoints),
    writeEvents: (events) => writeRows(database, 'events', events.map(makeEventRow)),
    changeEvent: (eventId, event) =>
      updateEventPayload(database, eventId, makeEventRow(event).payload_json),
    deleteIterations: (runId, iteration) => deleteIterationsFrom(database, runId, iteration),
    writeCampaign: (campaign) => writeCampaign(database, campaign),
    writeOptimizers: (optimizers) => writeRows(database, 'coco_optimizer_configs', optimizers),
    writeTrials: (trials) => writeRows(database, 'coco_trials', trials),
    setUnreachedTarget: (campaignId, runIds, target) =>
      setUnreachedTarget(database, campaignId, runIds, target),
    writeReferences: (references) => replaceReferences(database, references),
  };
}

function makeEventRow({ runId, type, instant, members }: NewEvent) {
  const timestamp = new JavaNumber(formatEpochSeconds(instant));
  return {
    run_id: runId,
    event_type: type,
    payload_json: formatJavaJson({ ...(runId !== null && { runId }), timestamp, ...members }),
    created_at: formatInstant(instant),
  };
}

/** Nanoseconds since 1970 (UTC). */
export type Instant = bigint;

/** Maximum difference between a clock of {@link createClock} and the system clock, in nanoseconds. */
const maximumDrift = 1_000_000_000n;

/**
 * Returns a clock with nanosecond resolution. Sets the clock to the system clock if both differ by more than {@link
 * maximumDrift}; otherwise, the clock never goes back.
 */
export function createClock(): () => Instant {
  const readSystemClock = () => BigInt(Date.now()) * 1_000_000n;
  let offset = readSystemClock() - process.hrtime.bigint();
  return () => {
    const instant = process.hrtime.bigint() + offset;
    const drift = readSystemClock() - instant;
    if (drift <= maximumDrift && drift >= -maximumDrift) return instant;
    // On some systems, the high-resolution time stops while the computer sleeps.
    offset += drift;
    return instant + drift;
  };
}

/**
 * Returns an instant from 1970 on in ISO 8601 (UTC) with 0, 3, 6 or 9 fractional digits as needed, like Java's
 * `Instant.toString`.
 */
export function formatInstant(instant: Instant): string {
  const seconds = new Date(Number(instant / 1_000_000_000n) * 1000).toISOString().slice(0, 19);
  const fraction = formatFraction(instant)
    .replace(/^(\d{6})000$/, '$1')
    .replace(/^(\d{3})000$/, '$1');
  return fraction === '000' ? `${seconds}Z` : `${seconds}.${fraction}Z`;
}

/** Returns an instant from 1970 on as seconds with nine fractional digits, the format of event payloads. */
export function formatEpochSeconds(instant: Instant): string {
  return `${instant / 1_000_000_000n}.${formatFraction(instant)}`;
}

function formatFraction(instant: Instant): string {
  return String(instant % 1_000_000_000n).padStart(9, '0');
}
