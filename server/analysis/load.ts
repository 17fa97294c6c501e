import type { RunRecord, ProblemExperimentRow } from '#server/repositories/analysis.ts';
import { hash } from 'node:crypto';
import type { Database } from '#server/db/database.ts';
import * as analysis from '#server/repositories/analysis.ts';
import {
  getConfigurationId,
  addProblemType,
  getProblemInstance,
  type InstanceKey,
} from '#server/domain/problem-instance.ts';
import { parseConfig } from '#server/domain/config.ts';
import {
  getConfiguredBudget,
  getStatedObjective,
  type StatedObjective,
  getCommonTarget,
  getStatedTargets,
} from '#server/domain/objective.ts';
import { readAnnotationsOrNone } from '#server/records/annotations.ts';
import { addDisplayNames, type InstanceDirections } from './groups.ts';
import { maskText } from '#server/domain/secrets/mask-text.ts';
import type { ObjectiveDirection } from '#shared/schemas/run.ts';
import { isRunning } from '#shared/words.ts';
import type { Memo } from './memo.ts';
import type { AnalysedExperiment, AnalysedRun, Objective } from './model.ts';
import type { Traces, RequestedTrace } from './shared-traces.ts';
import type { AnalysisNote } from '#shared/schemas/analysis-note.ts';
import type {
  ExperimentAnalysisQuery,
  ProblemComparisonQuery,
} from '#shared/schemas/analysis-query.ts';
import { findCommonDirection } from '#server/records/objectives.ts';
import { findSilentRunIds } from '#server/records/liveness.ts';
import { makeNotFoundError, ProblemError, truncate } from '#server/errors.ts';
import { findDeletedRun } from '#server/repositories/locks.ts';
import { makeNoteIf } from './notes.ts';
import { selectScope, type ComparisonScope, type ScopeRequest } from './scope.ts';

/** Dependencies of an analysis. */
export interface AnalysisContext {
  database: Database;
  traces: Traces;
  memo: Memo;
}

/** Returns the experiments on a problem type, by default all experiments, in the order of their ids. */
export async function loadExperiments(
  database: Database,
  problemType?: string,
): Promise<AnalysedExperiment[]> {
  return addNames(database, await analysis.listProblemExperiments(database, problemType));
}

/**
 * Returns the experiments on the problem type of this experiment, including this one, in the order of their ids; an
 * empty list if the experiment does not exist.
 */
export async function loadExperimentsOfSameProblem(
  database: Database,
  experimentId: string,
): Promise<AnalysedExperiment[]> {
  return addNames(database, await analysis.listExperimentsOfSameProblem(database, experimentId));
}

/**
 * Returns the experiments with these ids, in the order of the ids, without the display names of their groups; omits
 * unknown ids.
 */
export async function loadExperimentsById(
  database: Database,
  experimentIds: readonly string[],
): Promise<AnalysedExperiment[]> {
  const rows = await analysis.listExperiments(database, experimentIds);
  return rows.map(addConfiguration);
}

/** Returns the experiments of these rows with the display names of their groups. */
async function addNames(
  database: Database,
  rows: readonly ProblemExperimentRow[],
): Promise<AnalysedExperiment[]> {
  return addDisplayNames(rows.map(addConfiguration), await readAnnotationsOrNone(database));
}

function addConfiguration(row: ProblemExperimentRow): AnalysedExperiment {
  const configuration = getConfiguration(row.configJson);
  return {
    ...row,
    // Masks the name of the run here, because group labels contain it, and other code compares and truncates labels.
    runName: maskText(row.runName),
    ...configuration,
    instance: addProblemType(configuration.instance, row.problemType),
  };
}

/** Derived values of a configuration. */
type Configuration = StatedObjective &
  Pick<AnalysedExperiment, 'instance' | 'configurationId' | 'budget'>;

/**
 * Cache of configurations by the hash of their text, because texts may be long. Parsing a text is slower than reading
 * it from the database, and most texts repeat. The maximum fits a database of a million runs. Lists of problems read
 * all experiments in the same order each time, so a smaller cache would evict every entry before its next use.
 */
const configurations = new Map<string, Configuration>();
const maximumConfigurations = 20_000;

function getConfiguration(configJson: string): Configuration {
  const key = hash('sha256', configJson);
  const configuration = configurations.get(key) ?? {
    instance: getMaskedInstance(configJson),
    configurationId: getConfigurationId(configJson),
    budget: getConfiguredBudget(parseConfig(configJson)),
    ...getStatedObjective(configJson),
  };
  configurations.delete(key);
  configurations.set(key, configuration);
  const [oldestKey] = configurations.keys();
  if (configurations.size > maximumConfigurations && oldestKey !== undefined) {
    configurations.delete(oldestKey);
  }
  return configuration;
}

/**
 * Returns the problem instance of a configuration. Its id and dimension come from the unmasked configuration; its other
 * fields contain no secrets. Masks only the sections of the instance, because the whole configuration may be long.
 */
function getMaskedInstance(configJson: string): InstanceKey {
  const unmaskedInstance = getProblemInstance(configJson);
  const maskedSections = maskText(unmaskedInstance.configJson);
  if (maskedSections === unmaskedInstance.configJson) return unmaskedInstance;
  return {
    ...getProblemInstance(maskedSections),
    id: unmaskedInstance.id,
    dimension: unmaskedInstance.dimension,
  };
}

/**
 * Returns these runs in their order with their traces; reads traces that the cache lacks. Rejects with the error of a
 * failed read. Rejects with DATABASE_BUSY if a run with iterations was deleted before the read, because without its
 * iterations it would look like a run that found nothing.
 */
export async function loadTraces(
  { database, traces }: Pick<AnalysisContext, 'database' | 'traces'>,
  runs: readonly RunRecord[],
  direction: ObjectiveDirection,
): Promise<AnalysedRun[]> {
  const loadedTraces = await traces.load(runs.map(makeRequestedTrace), direction);
  const analysedRuns = runs.map((run, index) => {
    const trace = loadedTraces[index];
    if (!trace) throw new RangeError(`There is no trace of ${run.runId}`);
    return { ...run, trace };
  });
  await refuseDeletedRuns(database, analysedRuns);
  return analysedRuns;
}

/** Throws DATABASE_BUSY if a run that had iterations has neither iterations nor a row any more. */
async function refuseDeletedRuns(database: Database, runs: readonly AnalysedRun[]): Promise<void> {
  const emptyRuns = runs.filter(
    ({ newestIteration, trace }) =>
      newestIteration !== null && trace.evaluations.length === 0 && trace.usedEvaluations === 0,
  );
  if (emptyRuns.length === 0) return;
  if ((await findDeletedRun(database, emptyRuns)) === undefined) return;
  throw new ProblemError(
    'DATABASE_BUSY',
    'The analysis stopped, because a client or another program deleted runs that it compares; try again in a moment',
    { headers: { 'Retry-After': '1' } },
  );
}

/**
 * Returns a function that returns these runs with their traces. The first call loads the traces; later calls return the
 * same result or error.
 */
export function createTraceLoader(
  ...request: Parameters<typeof loadTraces>
): () => Promise<AnalysedRun[]> {
  let traces: Promise<AnalysedRun[]> | undefined;
  return () => (traces ??= loadTraces(...request));
}

function makeRequestedTrace(run: RunRecord): RequestedTrace {
  const { runId, version, newestIteration, lineage, isResumed } = run;
  const growth = lineage === null ? undefined : { lineage, newestIteration: newestIteration ?? -1 };
  // Shortens the version, because several threads store it for each run.
  const shortVersion = hash('sha256', version, 'base64url');
  const rows = (newestIteration ?? 0) + 1;
  return { runId, version: shortVersion, rows, growth, isEnded: !isRunning(run), isResumed };
}

type RequestedObjective = Pick<ExperimentAnalysisQuery, 'direction' | 'target'>;

/**
 * A request without an objective. {@link getObjectiveOnInstance} then returns the objective of the experiments on the
 * instance.
 */
export const noRequestedObjective: RequestedObjective = { direction: undefined, target: undefined };

/** Facts of an experiment that, together with its traces, determine its objective. */
type ObjectiveExperiment = StatedObjective & { experimentId: string; problemType: string };

/**
 * Returns direction and target of experiments on one problem instance. Direction and target of the query take
 * precedence. Without a direction in the query, {@link findCommonDirection} decides. Without a target in the query, the
 * target is the only one that the configurations of `experimentsWithRuns` state; null if they state none, or several.
 * Notes then report several targets, and experiments without a target if others state one.
 */
export async function getCommonObjective(
  database: Database,
  { direction, target }: RequestedObjective,
  experiments: readonly ObjectiveExperiment[],
  experimentsWithRuns = experiments,
): Promise<Objective> {
  const targetFitness = getCommonTarget(experimentsWithRuns);
  return {
    ...(await findCommonDirection(database, experiments)),
    targetFitness,
    targetSource: targetFitness === null ? 'none' : 'config',
    notes: makeStatedTargetNotes(experimentsWithRuns),
    ...(direction && { direction, directionSource: 'query' }),
    ...(target !== undefined && { targetFitness: target, targetSource: 'query', notes: [] }),
  };
}

function makeStatedTargetNotes(experiments: readonly ObjectiveExperiment[]): AnalysisNote[] {
  const targets = getStatedTargets(experiments);
  if (targets.length !== 1) return makeNoteIf(targets.length > 1, 'TARGETS_DIFFER', targets);
  const missingTargetCount = experiments.filter(({ statedTarget }) => statedTarget === null).length;
  return makeNoteIf(
    missingTargetCount > 0,
    'TARGET_OF_SOME',
    missingTargetCount,
    experiments.length,
  );
}

/**
 * Returns the result of {@link getCommonObjective} for the experiments on an instance. Without a target in the query,
 * only the experiments that have runs in `runs` determine the target.
 */
export function getObjectiveOnInstance(
  database: Database,
  requestedObjective: RequestedObjective,
  {
    experiments,
    runs,
  }: { experiments: ReadonlyMap<string, AnalysedExperiment>; runs: readonly RunRecord[] },
): Promise<Objective> {
  const allExperiments = [...experiments.values()];
  const idsWithRuns = new Set(runs.map(({ experimentId }) => experimentId));
  const experimentsWithRuns = allExperiments.filter(({ experimentId }) =>
    idsWithRuns.has(experimentId),
  );
  return getCommonObjective(database, requestedObjective, allExperiments, experimentsWithRuns);
}

/** A scope with all other data that the analysis of its selected problem instance reads. */
export interface AnalysisInput {
  scope: ComparisonScope;
  objective: Objective;
  /** Direction of each instance in the scope; empty for an experiment without a comparison. */
  directions: InstanceDirections;
  /** Ids of the silent runs on the selected instance; empty for an experiment without a comparison. */
  silentIds: ReadonlySet<string>;
  /** Returns the runs on the selected instance with their traces; the first call loads the traces. */
  loadRuns: () => Promise<AnalysedRun[]>;
}

/** An experiment and the runs on its problem instance. */
export interface ExperimentInput extends AnalysisInput {
  experiment: AnalysedExperiment;
}

/**
 * Returns the input of the analysis of an experiment. If the query requests no comparison, the input contains only the
 * runs on the instance of the experiment, and neither directions nor silent runs. Throws EXPERIMENT_NOT_FOUND.
 */
export async function loadExperimentInput(
  context: AnalysisContext,
  experimentId: string,
  query: ExperimentAnalysisQuery,
): Promise<ExperimentInput> {
  const { experiment, experiments } = await loadExperiment(context.database, experimentId);
  const objective = await getCommonObjective(context.database, query, [experiment]);
  const { problemType, instance } = experiment;
  const experimentsInScope = experiments.filter(
    (candidate) => query.sameProblem || candidate.instance.id === instance.id,
  );
  const ids = experimentsInScope.map((experimentInScope) => experimentInScope.experimentId);
  const runs = await analysis.listRuns(context.database, ids);
  const request = { problemType, experiments, runs, algorithms: [], instance: instance.id };
  const scope = selectScope(request);
  if (!scope) throw makeNotFoundError('experiment', experimentId);
  if (query.sameProblem) return { experiment, ...(await getInput(context, scope, objective)) };
  const loadRuns = createTraceLoader(context, scope.runs, objective.direction);
  return { experiment, scope, objective, loadRuns, directions: new Map(), silentIds: new Set() };
}

/**
 * Returns the input of the comparison on one instance of a problem type. If the requested algorithms have no runs on
 * this instance, the input has a note and no runs. Throws NOT_FOUND if no experiment has this problem type or instance.
 */
export async function loadProblemInput(
  context: AnalysisContext,
  problemType: string,
  query: ProblemComparisonQuery,
): Promise<AnalysisInput> {
  const { database } = context;
  const experiments = await loadExperiments(database, problemType);
  const ids = experiments.map(({ experimentId }) => experimentId);
  const runs = await analysis.listRuns(database, ids);
  const scope = requireScope({ problemType, experiments, runs }, query);
  const instanceExperiments = new Map(
    [...scope.experiments].filter(([, { instance }]) => instance.id === scope.selectedInstance.id),
  );
  const objective = await getObjectiveOnInstance(database, query, {
    experiments: instanceExperiments,
    runs: scope.runs,
  });
  const hasNoRuns = scope.runs.length === 0 && query.algorithm.length > 0;
  const names = truncate(query.algorithm.join(', '));
  const notes = [
    ...(objective.notes ?? []),
    ...makeNoteIf(hasNoRuns, 'NO_SUCH_RUNS', names, scope.selectedInstance.label),
  ];
  return getInput(context, scope, { ...objective, notes });
}

async function getInput(
  context: AnalysisContext,
  scope: ComparisonScope,
  objective: Objective,
): Promise<AnalysisInput> {
  return {
    scope,
    objective,
    directions: await getDirections(context.database, scope, objective),
    silentIds: await findSilentIds(context, scope.runs),
    loadRuns: createTraceLoader(context, scope.runs, objective.direction),
  };
}

/** Returns the ids of the silent ones of these runs. Makes the response expire if a RUNNING run is not silent. */
export async function findSilentIds(
  { database, memo }: AnalysisContext,
  runs: readonly RunRecord[],
): Promise<Set<string>> {
  const silentIds = await findSilentRunIds(database, runs);
  if (runs.some((run) => isRunning(run) && !silentIds.has(run.runId))) memo.markTimeDependent();
  return silentIds;
}

/** Returns an experiment, and all experiments on the same problem type. Throws EXPERIMENT_NOT_FOUND. */
export async function loadExperiment(
  database: Database,
  experimentId: string,
): Promise<{ experiment: AnalysedExperiment; experiments: AnalysedExperiment[] }> {
  const experiments = await loadExperimentsOfSameProblem(database, experimentId);
  const experiment = experiments.find((candidate) => candidate.experimentId === experimentId);
  if (!experiment) throw makeNotFoundError('experiment', experimentId);
  return { experiment, experiments };
}

/**
 * Returns the direction of each instance in the scope, by the id of the instance. The selected instance has the
 * direction of the objective. If the query states a direction, all instances have this direction. Otherwise, {@link
 * findCommonDirection} decides the direction of the other instances.
 */
async function getDirections(
  database: Database,
  { selectedInstance, experiments }: ComparisonScope,
  { direction, directionSource }: Objective,
): Promise<Map<string, ObjectiveDirection>> {
  const directions = new Map<string, ObjectiveDirection>();
  for (const [id, experimentsOnInstance] of Map.groupBy(
    experiments.values(),
    ({ instance }) => instance.id,
  )) {
    const hasKnownDirection = directionSource === 'query' || id === selectedInstance.id;
    directions.set(
      id,
      hasKnownDirection
        ? direction
        : (await findCommonDirection(database, experimentsOnInstance)).direction,
    );
  }
  return directions;
}

/**
 * Returns the result of {@link selectScope}. If no experiment of the requested algorithms is on the instance, returns
 * the scope of all algorithms without its runs. Throws NOT_FOUND if no experiment has this problem type or instance.
 */
function requireScope(
  data: Pick<ScopeRequest, 'problemType' | 'experiments' | 'runs'>,
  query: ProblemComparisonQuery,
): ComparisonScope {
  const { algorithm: algorithms, instance } = query;
  const scope = selectScope({ ...data, instance, algorithms });
  if (scope) return scope;
  const wholeScope = selectScope({ ...data, instance, algorithms: [] });
  if (wholeScope) return { ...wholeScope, runs: [], allRuns: [] };
  const problemText = `the problem "${truncate(data.problemType)}"`;
  if (data.experiments.length === 0) {
    throw new ProblemError(
      'NOT_FOUND',
      `There is no experiment on ${problemText}. Select another problem`,
    );
  }
  const instanceName = `"${truncate(instance ?? '')}"`;
  throw new ProblemError(
    'NOT_FOUND',
    `There is no instance ${instanceName} of ${problemText} to compare on. Select another instance`,
  );
}
