import { randomUUID } from 'node:crypto';
import type { Database } from '#server/db/database.ts';
import { ProblemError, truncate } from '#server/errors.ts';
import * as store from '#server/repositories/mlflow.ts';
import { createArtifactUriGetter } from './experiments.ts';
import { change, readRuns, requireSameParams } from './runs.ts';
import { findPage, type SearchRequest } from './search.ts';
import { readRunState, toWireNumber, type DataSetState, type ModelState } from './states.ts';
import { listTexts } from './texts.ts';

/** Attributes of models that searches can name. */
const searchAttributes = [
  'model_id',
  'name',
  'model_type',
  'source_run_id',
  'creation_timestamp',
  'creation_time',
  'last_updated_timestamp',
];

/** A model with its id, the id of its run, and the id of the experiment of MLflow that contains the run. */
interface FoundModel {
  modelId: string;
  runId: string;
  experimentId: string;
  model: ModelState;
}

/**
 * Adds data sets and models to the inputs of a run. Stores each model once, and only the first of several data sets
 * with the same name and digest, like MLflow. Throws the errors of {@link change}.
 */
export async function logInputs(
  database: Database,
  runId: string,
  inputs: { dataSets: readonly DataSetState[]; modelIds: readonly string[] },
) {
  await change(database, runId, async ({ state }) => ({
    ...state,
    dataSets: selectFirst([...state.dataSets, ...inputs.dataSets], ({ name, digest }) =>
      JSON.stringify([name, digest]),
    ),
    modelInputs: [...new Set([...state.modelInputs, ...inputs.modelIds])],
  }));
  return {};
}

/**
 * Adds models to the outputs of a run. Stores each model once, with the step of training of the first request that
 * contains the model. Throws the errors of {@link change}.
 */
export async function logOutputs(
  database: Database,
  runId: string,
  outputs: readonly { modelId: string; step: number }[],
) {
  await change(database, runId, async ({ state }) => ({
    ...state,
    modelOutputs: selectFirst([...state.modelOutputs, ...outputs], ({ modelId }) => modelId),
  }));
  return {};
}

/** Returns the first item of each key, in the order of the items. */
function selectFirst<Item>(items: readonly Item[], getKey: (item: Item) => string): Item[] {
  return [...Map.groupBy(items, getKey).values()].flatMap((group) => group.slice(0, 1));
}

/**
 * Creates a model in a run, and returns the model. The id of the model contains the id of the run, so the service finds
 * the run of a model by the id of the model. The artifacts of the model are in the folder of the run. The default name
 * is `model-` and the last 12 digits of the id. Throws the errors of {@link change}.
 */
export async function createModel(
  database: Database,
  request: { runId: string; name: string | undefined } & Pick<
    ModelState,
    'type' | 'params' | 'tags'
  >,
) {
  const { runId, type, params, tags } = request;
  const suffix = randomUUID().replaceAll('-', '').slice(0, 12);
  const modelId = `m-${runId}${suffix}`;
  const now = Date.now();
  await change(database, runId, async ({ transaction, state }) => {
    const getArtifactUri = await createArtifactUriGetter(transaction, state.experimentId);
    const model: ModelState = {
      name: request.name || `model-${suffix}`,
      type,
      artifactUri: `${getArtifactUri(runId)}/models/${modelId}`,
      status: 'LOGGED_MODEL_PENDING',
      createdMillis: now,
      updatedMillis: now,
      params,
      tags,
      metrics: [],
    };
    return { ...state, models: { ...state.models, [modelId]: model } };
  });
  return getModel(database, modelId);
}

/** Returns a model; throws NOT_FOUND. */
export async function getModel(database: Database, modelId: string) {
  const runId = getRunIdOf(modelId);
  const storedState = await store.findRunState(database, runId);
  const { models = {}, experimentId = '' } = storedState ? readRunState(storedState.payload) : {};
  const model = requireModel(models, modelId);
  return { model: toResponse({ modelId, runId, experimentId, model }) };
}

/**
 * Changes the status, the parameters and the tags of a model, and returns the model. Throws NOT_FOUND,
 * VALIDATION_FAILED for another value of a stored parameter, and the errors of {@link change}.
 */
export async function changeModel(
  database: Database,
  modelId: string,
  changes: Partial<Pick<ModelState, 'status' | 'params' | 'tags'>>,
) {
  const { params = {}, tags = {}, ...status } = changes;
  await replaceModel(database, modelId, (model) => {
    requireSameParams(model, params, 'model');
    return {
      ...model,
      ...status,
      params: { ...model.params, ...params },
      tags: { ...model.tags, ...tags },
    };
  });
  return getModel(database, modelId);
}

/** Removes a tag of a model. Throws NOT_FOUND, also for a missing tag, and the errors of {@link change}. */
export async function deleteModelTag(database: Database, modelId: string, key: string) {
  await replaceModel(database, modelId, (model) => {
    const { [key]: _tag, ...tags } = model.tags;
    if (!Object.hasOwn(model.tags, key))
      throw new ProblemError(
        'NOT_FOUND',
        `The model has no tag "${truncate(key)}". Select another tag`,
      );
    return { ...model, tags };
  });
  return {};
}

async function replaceModel(
  database: Database,
  modelId: string,
  replace: (model: ModelState) => ModelState,
): Promise<void> {
  await change(database, getRunIdOf(modelId), async ({ state }) => {
    const model = replace(requireModel(state.models, modelId));
    const changedModel = { ...model, updatedMillis: Date.now() };
    return { ...state, models: { ...state.models, [modelId]: changedModel } };
  });
}

/** Returns the id of the run of a model; throws NOT_FOUND for an id that no model can have. */
function getRunIdOf(modelId: string): string {
  const runId = /^m-([\da-f]{32})[\da-f]{12}$/.exec(modelId)?.[1];
  if (runId === undefined) throw makeModelNotFoundError(modelId);
  return runId;
}

function makeModelNotFoundError(modelId: string): ProblemError {
  return new ProblemError(
    'NOT_FOUND',
    `There is no model with the id "${truncate(modelId)}". Select another model`,
  );
}

function requireModel(models: Readonly<Record<string, ModelState>>, modelId: string): ModelState {
  const model = models[modelId];
  if (!model) throw makeModelNotFoundError(modelId);
  return model;
}

/**
 * Returns a page of the models of these experiments that match a filter; none without `experimentIds`. The newest
 * models are first unless `orderBy` states another order. Throws VALIDATION_FAILED for an invalid filter or order.
 */
export async function searchModels(
  database: Database,
  request: SearchRequest & { experimentIds: readonly string[] },
) {
  const { items, nextPage } = await findPage(
    readSearchedModels(database, request.experimentIds),
    request,
    searchAttributes,
    ['creation_timestamp DESC', 'model_id ASC'],
  );
  return { models: items.map(({ foundModel }) => toResponse(foundModel)), ...nextPage };
}

async function* readSearchedModels(database: Database, experimentIds: readonly string[]) {
  for await (const runs of readRuns(database, experimentIds))
    yield runs.flatMap(({ runId, state }) =>
      Object.entries(state.models).map(([modelId, model]) => {
        const foundModel: FoundModel = { modelId, runId, experimentId: state.experimentId, model };
        return { foundModel, searchFields: getSearchFields(foundModel) };
      }),
    );
}

function getSearchFields({ modelId, runId, model }: FoundModel) {
  return {
    attributes: {
      model_id: modelId,
      name: model.name,
      model_type: model.type,
      source_run_id: runId,
      creation_timestamp: model.createdMillis,
      creation_time: model.createdMillis,
      last_updated_timestamp: model.updatedMillis,
    },
    params: model.params,
    tags: model.tags,
    metrics: Object.fromEntries(model.metrics.map(({ key, value }) => [key, value])),
  };
}

/** Returns a model as MLflow writes it. */
function toResponse({ modelId, runId, experimentId, model }: FoundModel) {
  return {
    info: {
      model_id: modelId,
      experiment_id: experimentId,
      name: model.name,
      creation_timestamp_ms: model.createdMillis,
      last_updated_timestamp_ms: model.updatedMillis,
      artifact_uri: model.artifactUri,
      status: model.status,
      model_type: model.type,
      source_run_id: runId,
      tags: listTexts(model.tags),
    },
    data: {
      params: listTexts(model.params),
      metrics: model.metrics.map(({ key, value, timestamp, step, datasetName, datasetDigest }) => ({
        key,
        value: toWireNumber(value),
        timestamp,
        step,
        ...(datasetName !== undefined && { dataset_name: datasetName }),
        ...(datasetDigest !== undefined && { dataset_digest: datasetDigest }),
        model_id: modelId,
        run_id: runId,
      })),
    },
  };
}
