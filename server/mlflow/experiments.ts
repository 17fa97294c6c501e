import type { Database } from '#server/db/database.ts';
import { ProblemError, truncate, makeValidationError } from '#server/errors.ts';
import { createClock, formatInstant } from '#server/recording/recorder.ts';
import * as store from '#server/repositories/mlflow.ts';
import { defaultExperimentName } from './mapping.ts';
import { findPage, type SearchRequest } from './search.ts';
import { readExperimentState, formatState, type ExperimentState } from './states.ts';
import { listTexts } from './texts.ts';
import { requireSmallState, write } from './write.ts';

/** Id of the experiment that always exists. */
const defaultId = '0';

/** Attributes of experiments that searches can name. */
const searchAttributes = ['experiment_id', 'name', 'creation_time', 'last_update_time'];

interface Experiment extends ExperimentState {
  id: string;
}

const readClock = createClock();

const builtInExperiment: Experiment = {
  id: defaultId,
  name: defaultExperimentName,
  artifactLocation: null,
  createdMillis: 0,
  tags: {},
};

/** Returns the name of an experiment; throws EXPERIMENT_NOT_FOUND. */
export async function getExperimentName(database: Database, id: string): Promise<string> {
  return (await findById(database, id)).name;
}

/**
 * Returns a function that returns the URI of the artifacts of a run of an experiment. An unknown experiment has the
 * default location.
 */
export async function createArtifactUriGetter(
  database: Database,
  id: string,
): Promise<(runId: string) => string> {
  const experiment = (await listAll(database)).find((candidate) => candidate.id === id);
  const location = experiment?.artifactLocation ?? `mlflow-artifacts:/${id}`;
  return (runId) => `${location.replace(/\/+$/, '')}/${runId}/artifacts`;
}

/**
 * Creates an experiment and returns its id. Throws EXPERIMENT_EXISTS for the name of another experiment,
 * VALIDATION_FAILED if the state of the new experiment is too large, and the errors of {@link write}.
 */
export async function createExperiment(
  database: Database,
  request: { name: string; artifactLocation?: string; tags: Readonly<Record<string, string>> },
) {
  const { name, artifactLocation = null, tags } = request;
  return write(database, async (_recorder, transaction) => {
    const experiments = await listAll(transaction, { isLocked: true });
    if (experiments.some((experiment) => experiment.name === name)) {
      throw new ProblemError(
        'EXPERIMENT_EXISTS',
        `There is already an experiment with the name "${truncate(name)}": choose another name`,
      );
    }
    const instant = readClock();
    const createdMillis = Number(instant / 1_000_000n);
    const payload = formatState({ name, artifactLocation, createdMillis, tags: { ...tags } });
    requireSmallState(payload);
    const id = await store.addState(transaction, null, payload, formatInstant(instant));
    return { experiment_id: String(id) };
  });
}

/** Returns the experiment with a name; throws EXPERIMENT_NOT_FOUND. */
export async function getExperimentByName(database: Database, name: string) {
  const match = (await listAll(database)).find((experiment) => experiment.name === name);
  if (!match) throw makeNotFoundError('name', name);
  return { experiment: toResponse(match) };
}

/** Returns the experiment with an id; throws EXPERIMENT_NOT_FOUND. */
export async function getExperiment(database: Database, id: string) {
  return { experiment: toResponse(await findById(database, id)) };
}

/**
 * Returns a page of the experiments that match a filter, the newest first unless `orderBy` states another order. Throws
 * VALIDATION_FAILED for an invalid filter or order.
 */
export async function searchExperiments(database: Database, request: SearchRequest) {
  const experiments = (await listAll(database))
    .toReversed()
    .map((experiment) => ({ experiment, searchFields: getSearchFields(experiment) }));
  const { items, nextPage } = await findPage([experiments], request, searchAttributes);
  return { experiments: items.map(({ experiment }) => toResponse(experiment)), ...nextPage };
}

/**
 * Sets a tag of an experiment. Throws EXPERIMENT_NOT_FOUND, VALIDATION_FAILED for the default experiment and for a
 * state that is too large, and the errors of {@link write}.
 */
export async function setExperimentTag(
  database: Database,
  { id, key, value }: { id: string; key: string; value: string },
) {
  if (id === defaultId) {
    const message = `must be that of another experiment: ${defaultExperimentName} has no tags`;
    throw makeValidationError([{ path: 'experiment_id', message }]);
  }
  return write(database, async (_recorder, transaction) => {
    const states = await store.listExperimentStates(transaction, { isLocked: true });
    const storedState = states.find((state) => String(state.id) === id);
    if (!storedState) throw makeNotFoundError('id', id);
    const state = readExperimentState(storedState.payload);
    const payload = formatState({ ...state, tags: { ...state.tags, [key]: value } });
    requireSmallState(payload);
    await store.updateState(transaction, { id: storedState.id, payload });
    return {};
  });
}

async function findById(database: Database, id: string): Promise<Experiment> {
  const match = (await listAll(database)).find((experiment) => experiment.id === id);
  if (!match) throw makeNotFoundError('id', id);
  return match;
}

async function listAll(database: Database, lock = { isLocked: false }): Promise<Experiment[]> {
  const states = await store.listExperimentStates(database, lock);
  const storedStates = states.map(({ id, payload }) => ({
    id: String(id),
    ...readExperimentState(payload),
  }));
  return [builtInExperiment, ...storedStates];
}

function getSearchFields({ id, name, createdMillis, tags }: Experiment) {
  const attributes = {
    experiment_id: id,
    name,
    creation_time: createdMillis,
    last_update_time: createdMillis,
  };
  return { attributes, params: {}, tags, metrics: {} };
}

function toResponse({ id, name, artifactLocation, createdMillis, tags }: Experiment) {
  return {
    experiment_id: id,
    name,
    artifact_location: artifactLocation ?? `mlflow-artifacts:/${id}`,
    lifecycle_stage: 'active',
    creation_time: createdMillis,
    last_update_time: createdMillis,
    tags: listTexts(tags),
  };
}

function makeNotFoundError(kind: 'id' | 'name', value: string): ProblemError {
  return new ProblemError(
    'EXPERIMENT_NOT_FOUND',
    `There is no experiment of MLflow with the ${kind} "${truncate(value)}". Select or create another experiment`,
  );
}
