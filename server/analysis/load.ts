import type { RunRecord } from '#server/repositories/analysis.ts';
import { hash } from 'node:crypto';
import type { Database } from '#server/db/database.ts';
import * as analysis from '#server/repositories/analysis.ts';
import type { ProblemExperimentRow } from '#server/repositories/analysis.ts';
import {
  getConfigurationId,
  getProblemInstance,
  type InstanceKey,
} from '#server/domain/problem-instance.ts';
import { parseConfig } from '#server/domain/config.ts';
import {
  getConfiguredBudget,
  getStatedIn,
  type StatedObjective,
} from '#server/domain/objective.ts';
import { getCachedAnnotations } from '#server/records/annotations.ts';
import { addDisplayNames } from './groups.ts';
import { maskText } from '#server/domain/secrets/mask-text.ts';
import type { ObjectiveDirection } from '#shared/schemas/run.ts';
import { isRunning } from '#shared/words.ts';
import type { Memo } from './memo.ts';
import type { AnalysedExperiment, AnalysedRun } from './model.ts';
import type { Traces, RequestedTrace } from './shared-traces.ts';

/** Dependencies of an analysis. */
export interface AnalysisContext {
  database: Database;
  traces: Traces;
  memo: Memo;
}

/** Returns the experiments on a problem type, or all experiments, by id. */
export async function loadExperiments(
  database: Database,
  problemType?: string,
): Promise<AnalysedExperiment[]> {
  return addNames(database, await analysis.listProblemExperiments(database, problemType));
}

/**
 * Returns the experiments on the problem type of this experiment, including itself, by id; empty if it does not exist.
 */
export async function loadExperimentsBeside(
  database: Database,
  experimentId: string,
): Promise<AnalysedExperiment[]> {
  return addNames(database, await analysis.listExperimentsOfSameProblem(database, experimentId));
}

/** Returns the experiments with these ids, in no order; unknown ids are omitted. */
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
  return addDisplayNames(rows.map(addConfiguration), await getCachedAnnotations(database));
}

function addConfiguration(row: ProblemExperimentRow): AnalysedExperiment {
  // The name of the run is part of group labels, which are compared and shortened.
  return { ...row, runName: maskText(row.runName), ...getConfiguration(row.configJson) };
}

/** Derived values of a configuration. */
type Configuration = StatedObjective &
  Pick<AnalysedExperiment, 'instance' | 'configurationId' | 'budget'>;

/**
 * Cache by the hash of the text, as texts may be long. Parsing is slower than reading, and most texts repeat. All
 * experiments of a database of a million runs fit, because lists of problems read them in the same order each time.
 */
const configurations = new Map<string, Configuration>();
const maximumConfigurations = 20_000;

function getConfiguration(configJson: string): Configuration {
  const key = hash('sha256', configJson);
  const configuration = configurations.get(key) ?? {
    instance: getShownInstance(configJson),
    configurationId: getConfigurationId(configJson),
    budget: getConfiguredBudget(parseConfig(configJson)),
    ...getStatedIn(configJson),
  };
  configurations.delete(key);
  configurations.set(key, configuration);
  const [oldestKey] = configurations.keys();
  if (configurations.size > maximumConfigurations && oldestKey !== undefined) {
    configurations.delete(oldestKey);
  }
  return configuration;
}

/** Returns the instance. Its id comes from the whole configuration; its visible parts have their secrets masked. */
function getShownInstance(configJson: string): InstanceKey {
  const wholeInstance = getProblemInstance(configJson);
  const maskedConfig = maskText(configJson);
  if (maskedConfig === configJson) return wholeInstance;
  return {
    ...getProblemInstance(maskedConfig),
    id: wholeInstance.id,
    dimension: wholeInstance.dimension,
  };
}

/** Returns these runs with their traces; reads traces that are not cached. */
export async function loadTraces(
  { traces }: Pick<AnalysisContext, 'traces'>,
  runs: readonly RunRecord[],
  direction: ObjectiveDirection,
): Promise<AnalysedRun[]> {
  const loadedTraces = await traces.load(runs.map(makeRequestedTrace), direction);
  return runs.map((run, index) => {
    const trace = loadedTraces[index];
    if (!trace) throw new RangeError(`There is no trace of ${run.runId}`);
    return { ...run, trace };
  });
}

/** Returns a function that returns these runs with their traces. The first call loads the traces. */
export function getTracesOnDemand(
  ...request: Parameters<typeof loadTraces>
): () => Promise<AnalysedRun[]> {
  let traces: Promise<AnalysedRun[]> | undefined;
  return () => (traces ??= loadTraces(...request));
}

function makeRequestedTrace(run: RunRecord): RequestedTrace {
  const { runId, version, newestIteration, lineage } = run;
  const growth = lineage === null ? undefined : { lineage, newestIteration: newestIteration ?? -1 };
  // Several threads store the version of each run.
  const shortVersion = hash('sha256', version, 'base64url');
  const rows = (newestIteration ?? 0) + 1;
  return { runId, version: shortVersion, rows, growth, isEnded: !isRunning(run) };
}
