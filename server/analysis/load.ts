import type { RunRecord } from '#server/repositories/analysis.ts';
import { hash } from 'node:crypto';
import type { Database } from '#server/db/database.ts';
import * as analysis from '#server/repositories/analysis.ts';
import type { ProblemExperimentRow } from '#server/repositories/analysis.ts';
import {
  configurationIdOf,
  problemInstanceOf,
  type InstanceKey,
} from '#server/domain/problem-instance.ts';
import { parseConfig } from '#server/domain/config.ts';
import { configuredBudget, statedIn, type StatedObjective } from '#server/domain/objective.ts';
import { knownAnnotations } from '#server/records/annotations.ts';
import { withDisplayNames } from './groups.ts';
import { maskText } from '#server/domain/secrets/mask-text.ts';
import type { ObjectiveDirection } from '#shared/schemas/run.ts';
import type { Memo } from './memo.ts';
import type { AnalysedExperiment, AnalysedRun } from './model.ts';
import type { Traces, WantedTrace } from './shared-traces.ts';

/** What an analysis is made with. */
export interface AnalysisContext {
  database: Database;
  traces: Traces;
  memo: Memo;
}

/** The experiments on a problem type, or on all of them, by id. */
export async function loadExperiments(
  database: Database,
  problemType?: string,
): Promise<AnalysedExperiment[]> {
  return named(database, await analysis.listProblemExperiments(database, problemType));
}

/** The experiments on the problem type of one of them, itself included, by id; none when it is not there. */
export async function loadExperimentsBeside(
  database: Database,
  experimentId: string,
): Promise<AnalysedExperiment[]> {
  return named(database, await analysis.listExperimentsOfSameProblem(database, experimentId));
}

/** The experiments with these ids, in no order; one that is not there is missing. */
export async function loadExperimentsById(
  database: Database,
  experimentIds: readonly string[],
): Promise<AnalysedExperiment[]> {
  const rows = await analysis.listExperimentsOf(database, experimentIds);
  return rows.map(withConfiguration);
}

/** Returns the experiments of these rows with the display names of their groups. */
async function named(
  database: Database,
  rows: readonly ProblemExperimentRow[],
): Promise<AnalysedExperiment[]> {
  return withDisplayNames(rows.map(withConfiguration), await knownAnnotations(database));
}

function withConfiguration(row: ProblemExperimentRow): AnalysedExperiment {
  // Groups are named by it.
  return { ...row, runName: maskText(row.runName), ...configurationOf(row.configJson) };
}

/** What the analyses need of a configuration. */
type Configuration = StatedObjective &
  Pick<AnalysedExperiment, 'instance' | 'configurationId' | 'budget'>;

/** By their hash, as texts may be long: parsing costs more than reading, and nearly all were parsed before. */
const configurations = new Map<string, Configuration>();
const maximumConfigurations = 4_000;

function configurationOf(configJson: string): Configuration {
  const key = hash('sha256', configJson);
  const known = configurations.get(key) ?? {
    instance: shownInstance(configJson),
    configurationId: configurationIdOf(configJson),
    budget: configuredBudget(parseConfig(configJson)),
    ...statedIn(configJson),
  };
  configurations.delete(key);
  configurations.set(key, known);
  const [oldest] = configurations.keys();
  if (configurations.size > maximumConfigurations && oldest !== undefined) {
    configurations.delete(oldest);
  }
  return known;
}

/** The instance by its whole configuration, with secrets hidden in whatever of it is shown. */
function shownInstance(configJson: string): InstanceKey {
  const whole = problemInstanceOf(configJson);
  const masked = maskText(configJson);
  if (masked === configJson) return whole;
  return { ...problemInstanceOf(masked), id: whole.id, dimension: whole.dimension };
}

/** Returns these runs, each with its trace; those that are not in memory are read. */
export async function loadTraces(
  { traces }: Pick<AnalysisContext, 'traces'>,
  runs: readonly RunRecord[],
  direction: ObjectiveDirection,
): Promise<AnalysedRun[]> {
  const loaded = await traces.load(runs.map(wantedTrace), direction);
  return runs.map((run, index) => {
    const trace = loaded[index];
    if (!trace) throw new RangeError(`There is no trace of ${run.runId}`);
    return { ...run, trace };
  });
}

/** Returns these runs with their traces, which are loaded on first use. */
export function tracesOnDemand(
  ...wanted: Parameters<typeof loadTraces>
): () => Promise<AnalysedRun[]> {
  let traces: Promise<AnalysedRun[]> | undefined;
  return () => (traces ??= loadTraces(...wanted));
}

function wantedTrace({ runId, version, newestIteration, lineage }: RunRecord): WantedTrace {
  const growth = lineage === null ? undefined : { lineage, newestIteration: newestIteration ?? -1 };
  return { runId, version, rows: (newestIteration ?? 0) + 1, growth };
}
