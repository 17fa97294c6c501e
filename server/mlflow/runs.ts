import { randomUUID } from 'node:crypto';
import type { RecordLine } from '#shared/schemas/recording.ts';
import { toMillis } from '#shared/syntax.ts';
import { isRunning } from '#shared/words.ts';
import type { Database } from '#server/db/database.ts';
import { parseConfig } from '#server/domain/config.ts';
import { makeNotFoundError, ProblemError, truncate, makeValidationError } from '#server/errors.ts';
import {
  createExperimentRecord,
  createClock,
  formatInstant,
  type Recorder,
} from '#server/recording/recorder.ts';
import { endEventTypes, storeInTransaction } from '#server/recording/record-lines.ts';
import { listStops } from '#server/recording/stops.ts';
import { ConfigError, makeRecordedConfig } from '#server/recording/recorded-config.ts';
import { deleteEmptyExperiments } from '#server/repositories/deletion.ts';
import { listPresentExperiments } from '#server/repositories/locks.ts';
import * as store from '#server/repositories/mlflow.ts';
import * as recordedRuns from '#server/repositories/recorded-runs.ts';
import { updateRun } from '#server/repositories/recording.ts';
import { moveExperimentAnnotation } from '#server/services/annotations.ts';
import { createArtifactUriGetter, getExperimentName } from './experiments.ts';
import {
  getConfig,
  hasEvaluationMetric,
  evaluationMetrics,
  getIteration,
  getSeed,
  selectEvaluationMetrics,
} from './mapping.ts';
import {
  addModelMetrics,
  assignSteps,
  getStepValues,
  isSystemMetric,
  mergeMetrics,
  parseMetrics,
  type MetricValue,
  type ModelMetricValue,
} from './metrics.ts';
import { findPage, type SearchFields, type SearchRequest } from './search.ts';
import {
  readRunState,
  type DataSetState,
  type RunState,
  toWireNumber,
  formatState,
} from './states.ts';
import { listTexts, maskParamOrTag } from './texts.ts';
import { requireSmallState, write } from './write.ts';

/**
 * Tag of a RUNNING run with a pending stop request. The value is the reason of the request, or `requested` if there is
 * none. The client of the run should end the run as KILLED.
 */
const stopTag = 'evoscope.stop';

const nameTag = 'mlflow.runName';
const userTag = 'mlflow.user';

const statuses = {
  RUNNING: 'RUNNING',
  SCHEDULED: 'RUNNING',
  FINISHED: 'COMPLETED',
  FAILED: 'FAILED',
  KILLED: 'STOPPED',
} as const;

/** Status of a run as MLflow names it. */
export type MlflowStatus = keyof typeof statuses;

/** The statuses of MLflow, in the order of {@link statuses}. */
export const mlflowStatuses = Object.keys(statuses) as [MlflowStatus, ...MlflowStatus[]];

/** Attributes of runs that searches can name. */
const searchAttributes = ['run_id', 'run_name', 'user_id', 'status', 'start_time', 'end_time'];

/** Maximum number of states of runs that a search reads at a time. */
const statesPerQuery = 500;

const readClock = createClock();

/** A run in the transaction that changes it. */
interface OpenRun {
  recorder: Recorder;
  transaction: Database;
  run: recordedRuns.RecordedRun;
  state: RunState;
}

/**
 * Creates a RUNNING run in the experiment of its configuration, and returns the run. The default name is the tag {@link
 * nameTag}, or `run-` and the first 8 digits of the id. Throws EXPERIMENT_NOT_FOUND, the errors of {@link write}, and
 * RUN_NOT_FOUND if another client deletes the run meanwhile. Throws VALIDATION_FAILED for a tag that only the service
 * sets, for an invalid configuration, and for too many or too long tags.
 */
export async function createRun(
  database: Database,
  request: {
    experimentId: string;
    name: string | undefined;
    user: string;
    startMillis: number | undefined;
    tags: Readonly<Record<string, string>>;
  },
) {
  const { experimentId, user, startMillis } = request;
  refuseStopTag(Object.keys(request.tags));
  const runId = randomUUID().replaceAll('-', '');
  const name = request.name || request.tags[nameTag] || `run-${runId.slice(0, 8)}`;
  const tags = { ...request.tags, [nameTag]: name };
  const state: RunState = {
    experimentId,
    name,
    user,
    params: {},
    tags,
    metrics: {},
    dataSets: [],
    models: {},
    modelInputs: [],
    modelOutputs: [],
  };
  await write(database, async (recorder, transaction) => {
    const config = getConfig(state, await getExperimentName(transaction, experimentId));
    const seed = getSeed(state, runId);
    const startTime =
      startMillis === undefined ? {} : { startTime: new Date(startMillis).toISOString() };
    await storeAll(recorder, transaction, [{ type: 'run', runId, config, seed, ...startTime }]);
    const payload = formatState(state);
    requireSmallState(payload);
    await store.addState(transaction, runId, payload, formatInstant(readClock()));
  });
  return getRun(database, runId);
}

/** Stores all records. Throws VALIDATION_FAILED for a rejected record, to roll back the transaction of the caller. */
async function storeAll(
  recorder: Recorder,
  transaction: Database,
  records: readonly RecordLine[],
): Promise<void> {
  const rejection = await storeInTransaction(transaction, recorder, records);
  if (rejection)
    throw makeValidationError([{ path: 'request', message: `is invalid: ${rejection.message}` }]);
}

/** Returns a run; throws RUN_NOT_FOUND. */
export async function getRun(database: Database, runId: string) {
  const storedState = await store.findRunState(database, runId);
  if (!storedState) throw makeNotFoundError('run', runId);
  const [run] = await makeResponses(database, [
    { runId, state: readRunState(storedState.payload) },
  ]);
  if (!run) throw makeNotFoundError('run', runId);
  return { run };
}

/**
 * Changes the status and the name of a run if the request has them, and returns the info of the run. RUNNING and
 * SCHEDULED make an ended run RUNNING again. Other statuses end the run at `endMillis`, by default now. The current
 * status and an empty name change nothing. Throws RUN_NOT_FOUND, VALIDATION_FAILED if the new name makes the state of
 * the run too large, and the errors of {@link write}.
 */
export async function updateMlflowRun(
  database: Database,
  request: {
    runId: string;
    status: MlflowStatus | undefined;
    endMillis: number | undefined;
    name: string | undefined;
  },
) {
  const { runId, status, endMillis, name } = request;
  await change(database, runId, async ({ recorder, transaction, run, state }) => {
    const newStatus = status && statuses[status];
    if (newStatus !== undefined && newStatus !== run.status) {
      if (!isRunning(run)) await store.reopenRun(transaction, runId, Object.values(endEventTypes));
      if (newStatus !== 'RUNNING') {
        const time = endMillis === undefined ? {} : { time: new Date(endMillis).toISOString() };
        await storeAll(recorder, transaction, [
          ...describeSteps(runId, state),
          { type: 'end', runId, status: newStatus, ...time },
        ]);
      }
    }
    return name ? { ...state, name, tags: { ...state.tags, [nameTag]: name } } : state;
  });
  const { run } = await getRun(database, runId);
  return { run_info: run.info };
}

/** Returns the event that explains why steps count as evaluations; none if the run has evaluations, or no metrics. */
function describeSteps(runId: string, state: RunState): RecordLine[] {
  if (hasEvaluationMetric(state) || Object.keys(state.metrics).length === 0) return [];
  const message =
    `The run has none of the metrics ${evaluationMetrics.join(', ')}: its steps count as evaluations. ` +
    'Log one of them to compare it with other runs.';
  return [{ type: 'event', runId, ...store.stepsNote, payload: { message } }];
}

/**
 * Stores metrics, parameters and tags of a run, all or none. All metrics of a step are one iteration; for system
 * metrics, see {@link assignSteps}. Parameters and tags that change the configuration move the run to the experiment of
 * the new configuration. `modelMetrics` are the `metrics` with a model; only models of this run also store them. A
 * tag {@link nameTag} that is not empty also changes the name. Throws RUN_NOT_FOUND and the errors of {@link write}.
 * Throws VALIDATION_FAILED for another value of a stored parameter, for a tag that only the service sets, for an
 * invalid configuration, for more evaluations than an ended run has, and for too many or too long values.
 */
export async function logBatch(
  database: Database,
  runId: string,
  batch: {
    metrics?: readonly MetricValue[];
    modelMetrics?: readonly ModelMetricValue[];
    params?: Readonly<Record<string, string>>;
    tags?: Readonly<Record<string, string>>;
  },
) {
  const { metrics = [], modelMetrics = [], params = {}, tags = {} } = batch;
  refuseStopTag(Object.keys(tags));
  let replacement: Replacement | undefined;
  await change(database, runId, async (openRun) => {
    const { state } = openRun;
    requireSameParams(state, params);
    const nextState: RunState = {
      ...state,
      name: tags[nameTag] || state.name,
      params: { ...state.params, ...params },
      tags: { ...state.tags, ...tags },
      metrics: mergeMetrics(state.metrics, metrics),
      models: addModelMetrics(state.models, modelMetrics),
    };
    replacement = await moveRun(openRun, nextState);
    await storeMetrics(openRun, nextState, metrics);
    return nextState;
  });
  await moveAnnotation(database, replacement);
  return {};
}

/**
 * Removes a tag of a run, and moves the run like {@link logBatch}. Throws RUN_NOT_FOUND, NOT_FOUND if the run does not
 * have the tag, and the errors of {@link write}.
 */
export async function deleteTag(database: Database, runId: string, key: string) {
  let replacement: Replacement | undefined;
  await change(database, runId, async (openRun) => {
    const { [key]: _tag, ...tags } = openRun.state.tags;
    if (!Object.hasOwn(openRun.state.tags, key)) {
      throw new ProblemError(
        'NOT_FOUND',
        `The run has no tag "${truncate(key)}". Select another tag`,
      );
    }
    const nextState = { ...openRun.state, tags };
    replacement = await moveRun(openRun, nextState);
    return nextState;
  });
  await moveAnnotation(database, replacement);
  return {};
}

/**
 * Adds a stored artifact to the list of artifacts on the page of the run: the path of the artifact in the run, and its
 * file. Replaces an artifact with the same path. Throws RUN_NOT_FOUND, and the errors of {@link write}.
 */
export async function addArtifact(
  database: Database,
  runId: string,
  { path, file }: { path: string; file: string },
) {
  await change(database, runId, async ({ transaction, state }) => {
    const artifacts = parseConfig((await store.findArtifacts(transaction, runId)) ?? '{}');
    // The runner's names of artifacts have no slash, and some have a special meaning. The prefix avoids these names.
    const artifacts_json = JSON.stringify({ ...artifacts, [`artifacts/${path}`]: file });
    await updateRun(transaction, runId, { artifacts_json });
    return state;
  });
  return {};
}

function refuseStopTag(keys: readonly string[]): void {
  if (!keys.includes(stopTag)) return;
  throw makeValidationError([
    { path: stopTag, message: 'is a tag that only the service sets: choose another tag' },
  ]);
}

/** Throws VALIDATION_FAILED if a run or a model has another value of one of the new parameters. */
export function requireSameParams(
  { params }: Pick<RunState, 'params'>,
  newParams: Readonly<Record<string, string>>,
  owner: 'run' | 'model' = 'run',
): void {
  for (const [key, value] of Object.entries(newParams)) {
    if (!Object.hasOwn(params, key) || params[key] === value) continue;
    const message = `has another value already. A parameter cannot change: create another ${owner}`;
    throw makeValidationError([{ path: key, message }]);
  }
}

/**
 * Changes a run in one transaction: stores the state that `work` returns. Throws RUN_NOT_FOUND unless an MLflow client
 * created the run, VALIDATION_FAILED if the state is too large, and the errors of `work` and of {@link write}.
 */
export async function change(
  database: Database,
  runId: string,
  work: (openRun: OpenRun) => Promise<RunState>,
): Promise<void> {
  await write(database, async (recorder, transaction) => {
    const [run] = await recordedRuns.listRecordedRuns(transaction, [runId], { isLocked: true });
    const storedState = run?.isRecorded ? await store.findRunState(transaction, runId) : undefined;
    if (!run || !storedState) throw makeNotFoundError('run', runId);
    const state = readRunState(storedState.payload);
    const payload = formatState(await work({ recorder, transaction, run, state }));
    requireSmallState(payload);
    if (payload !== storedState.payload)
      await store.updateState(transaction, { id: storedState.id, payload });
  });
}

/** The id of an experiment that {@link moveRun} deleted, and the id of the new experiment of its last run. */
interface Replacement {
  fromId: string;
  toId: string;
}

/**
 * Updates the seed of a run, and moves the run to the experiment of its configuration. Creates this experiment if
 * needed. If the previous experiment has no other runs, deletes it and returns both ids; otherwise returns undefined.
 */
async function moveRun(
  { recorder, transaction, run }: OpenRun,
  state: RunState,
): Promise<Replacement | undefined> {
  const { runId, experimentId: previousExperimentId } = run;
  const config = getConfig(state, await getExperimentName(transaction, state.experimentId));
  const experiment = makeExperiment(config);
  const { experimentId } = experiment;
  const seed = getSeed(state, runId);
  if (seed !== BigInt(run.seed)) await updateRun(transaction, runId, { seed: String(seed) });
  if (experimentId === previousExperimentId) return undefined;
  const { kysely, dialect } = transaction;
  // All clients lock both experiments in the same order, so transactions that move runs at the same time do not
  // deadlock.
  const presentIds = await listPresentExperiments(
    kysely,
    dialect,
    [previousExperimentId, experimentId],
    {
      isLocked: true,
    },
  );
  if (!presentIds.includes(experimentId)) await recorder.writeExperiment(experiment, readClock());
  await updateRun(transaction, runId, { experiment_id: experimentId });
  const [fromId] = await deleteEmptyExperiments(transaction, [previousExperimentId]);
  return fromId === undefined ? undefined : { fromId, toId: experimentId };
}

/** Moves the annotation of a replaced experiment. Ignores failures, because the run has already changed. */
async function moveAnnotation(
  database: Database,
  replacement: Replacement | undefined,
): Promise<void> {
  if (!replacement) return;
  const { fromId, toId } = replacement;
  await moveExperimentAnnotation(database, fromId, toId).catch(() => {});
}

function makeExperiment(config: Parameters<typeof makeRecordedConfig>[0]) {
  try {
    return createExperimentRecord(makeRecordedConfig(config));
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    throw makeValidationError([{ path: 'params', message: `are invalid: ${error.message}` }]);
  }
}

async function storeMetrics(
  { recorder, transaction, run: { runId }, state: { metrics: previousMetrics } }: OpenRun,
  { tags, metrics: latestMetrics }: RunState,
  metrics: readonly MetricValue[],
): Promise<void> {
  if (metrics.length === 0) return;
  const newMetricsByStep = Map.groupBy(assignSteps(latestMetrics, metrics), ({ step }) => step);
  const storedRows = await recordedRuns.listIterationsAt(transaction, runId, [
    ...newMetricsByStep.keys(),
  ]);
  const rowsByStep = new Map(storedRows.map((row) => [row.iteration, row]));
  let previousEvaluationMetrics = selectEvaluationMetrics(previousMetrics);
  const records: RecordLine[] = [];
  for (const [step, values] of [...newMetricsByStep].sort(([a], [b]) => a - b)) {
    const row = rowsByStep.get(step);
    const iteration = getIteration(
      runId,
      { tags, metrics: previousEvaluationMetrics },
      {
        step,
        metrics: {
          ...parseMetrics(row?.metrics_json ?? null),
          ...getStepValues(latestMetrics, values),
        },
        timestamp:
          row && values.every(({ key }) => isSystemMetric(key))
            ? toMillis(row.created_at)
            : Math.max(...values.map(({ timestamp }) => timestamp)),
        ...(row && { storedEvaluations: Number(row.evaluations) }),
      },
    );
    records.push(iteration);
    previousEvaluationMetrics = selectEvaluationMetrics(
      mergeMetrics(previousEvaluationMetrics, values),
    );
  }
  await storeAll(recorder, transaction, records);
}

/**
 * Returns the values of a metric at up to `size` steps after `previousStep`, in order. Each step has one value with the
 * time of the iteration. For the steps of system metrics, see {@link assignSteps}. Throws RUN_NOT_FOUND.
 */
export async function getHistory(
  database: Database,
  request: { runId: string; key: string; size: number; previousStep: number },
) {
  const { runId, key, size, previousStep } = request;
  if (!(await store.findRunState(database, runId))) throw makeNotFoundError('run', runId);
  const rowFilter = { metric: key, previousIteration: previousStep, size };
  const rows = await store.listMetricRows(database, runId, rowFilter);
  const metrics = rows.flatMap(({ iteration, metrics: json, createdAt }) => {
    const values = parseMetrics(json);
    if (!Object.hasOwn(values, key)) return [];
    return [
      { key, value: toWireNumber(values[key]), timestamp: toMillis(createdAt), step: iteration },
    ];
  });
  const lastRow = rows.at(-1);
  return {
    metrics,
    ...(lastRow && rows.length === size && { next_page_token: String(lastRow.iteration) }),
  };
}

interface FoundRun {
  runId: string;
  state: RunState;
}

/** Yields the runs of experiments of MLflow in parts, which may be empty. The newest runs are first. */
export async function* readRuns(
  database: Database,
  experimentIds: readonly string[],
): AsyncGenerator<FoundRun[]> {
  let previousCursor: number | null = null;
  for (;;) {
    const states: Awaited<ReturnType<typeof store.listMlflowRunStates>> =
      await store.listMlflowRunStates(database, previousCursor, statesPerQuery);
    yield states
      .map(({ runId, payload }) => ({ runId, state: readRunState(payload) }))
      .filter(({ state }) => experimentIds.includes(state.experimentId));
    if (states.length < statesPerQuery) return;
    previousCursor = states.at(-1)?.id ?? 0;
  }
}

/**
 * Returns a page of the runs of these experiments that match a filter; none without `experimentIds`. Sorts the runs by
 * `orderBy`, then by start time, latest first, then by id. Throws VALIDATION_FAILED for an invalid filter or order.
 */
export async function searchRuns(
  database: Database,
  request: SearchRequest & { experimentIds: readonly string[] },
) {
  const { items, nextPage } = await findPage(
    readSearchedRuns(database, request.experimentIds),
    request,
    searchAttributes,
    ['start_time DESC', 'run_id ASC'],
  );
  const runs = items.map(({ run }) => run);
  return { runs: await makeResponses(database, runs), ...nextPage };
}

async function* readSearchedRuns(database: Database, experimentIds: readonly string[]) {
  for await (const runs of readRuns(database, experimentIds))
    yield await addSearchFields(database, runs);
}

async function addSearchFields(database: Database, runs: readonly FoundRun[]) {
  const times = await getTimes(database, runs);
  return runs.flatMap((run) => {
    const time = times.get(run.runId);
    if (!time) return [];
    const { name, user, params, tags, metrics } = run.state;
    const searchFields: SearchFields = {
      attributes: {
        run_id: run.runId,
        run_name: maskParamOrTag(nameTag, name),
        user_id: maskParamOrTag(userTag, user),
        status: getStatus(time.status),
        start_time: toMillis(time.startTime),
        ...(time.endTime !== null && { end_time: toMillis(time.endTime) }),
      },
      params,
      tags,
      metrics: Object.fromEntries(Object.entries(metrics).map(([key, { value }]) => [key, value])),
    };
    return [{ run, searchFields }];
  });
}

async function getTimes(database: Database, runs: readonly FoundRun[]) {
  const ids = runs.map(({ runId }) => runId);
  const rows = ids.length === 0 ? [] : await store.listRunTimes(database, ids);
  return new Map(rows.map((row) => [row.runId, row]));
}

/**
 * Returns runs as MLflow writes them, with the {@link stopTag}. Masks secrets in parameters, tags, names of runs and
 * users, and data sets. Omits runs that no longer exist.
 */
async function makeResponses(database: Database, runs: readonly FoundRun[]) {
  const times = await getTimes(database, runs);
  const stops = new Map(
    (await listStops(database, [...times.keys()])).map(({ runId, reason }) => [runId, reason]),
  );
  const experimentIds = [...new Set(runs.map(({ state }) => state.experimentId))];
  const uris = new Map(
    await Promise.all(
      experimentIds.map(async (id) => [id, await createArtifactUriGetter(database, id)] as const),
    ),
  );
  return runs.flatMap(({ runId, state }) => {
    const time = times.get(runId);
    if (!time) return [];
    const { experimentId, name, user, params, tags, metrics } = state;
    const reason = stops.get(runId);
    const stopTags = reason === undefined ? {} : { [stopTag]: reason ?? 'requested' };
    return [
      {
        info: {
          run_id: runId,
          run_uuid: runId,
          run_name: maskParamOrTag(nameTag, name),
          experiment_id: experimentId,
          user_id: maskParamOrTag(userTag, user),
          status: getStatus(time.status),
          start_time: toMillis(time.startTime),
          ...(time.endTime !== null && { end_time: toMillis(time.endTime) }),
          artifact_uri: uris.get(experimentId)?.(runId) ?? '',
          lifecycle_stage: 'active',
        },
        data: {
          metrics: Object.entries(metrics).map(([key, { value, timestamp, step }]) => ({
            key,
            value: toWireNumber(value),
            timestamp,
            step,
          })),
          params: listTexts(params),
          tags: listTexts({ ...tags, ...stopTags }),
        },
        inputs: {
          dataset_inputs: state.dataSets.map(toDataSetInput),
          model_inputs: state.modelInputs.map((modelId) => ({ model_id: modelId })),
        },
        outputs: {
          model_outputs: state.modelOutputs.map(({ modelId, step }) => ({
            model_id: modelId,
            step,
          })),
        },
      },
    ];
  });
}

function toDataSetInput({ tags, sourceType, source, ...dataSet }: DataSetState) {
  const { name, digest, schema, profile } = dataSet;
  return {
    tags: listTexts(tags),
    dataset: {
      name,
      digest,
      source_type: sourceType,
      source: maskParamOrTag('source', source),
      ...(schema !== undefined && { schema: maskParamOrTag('schema', schema) }),
      ...(profile !== undefined && { profile: maskParamOrTag('profile', profile) }),
    },
  };
}

/** Returns the status as MLflow names it; RUNNING for a status that MLflow does not have. */
function getStatus(status: string): MlflowStatus {
  return mlflowStatuses.find((candidate) => statuses[candidate] === status) ?? 'RUNNING';
}
