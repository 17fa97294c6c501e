import * as analysis from '#server/repositories/analysis.ts';
import type { Database } from '#server/db/database.ts';
import type {
  AnalysedExperiment,
  AnalysedRun,
  MeasurementPlan,
  Measurements,
} from './analysis-input.ts';
import {
  configurationIdOf,
  problemInstanceOf,
  type InstanceKey,
} from '#server/rules/problem-instance.ts';
import { measureTrace, runTraceOf, type RunTrace } from './run-trace.ts';
import type { ObjectiveDirection } from '#shared/schemas/run.ts';
import { maskJson } from '#server/rules/secrets/mask-json.ts';

/** An experiment with the configuration that it was started with. */
export interface ConfiguredExperiment extends AnalysedExperiment {
  problemType: string;
  configJson: string;
}

/** The experiments on one problem type and their runs, whose traces are not read yet. */
export interface ProblemData {
  problemType: string;
  experiments: ConfiguredExperiment[];
  runs: AnalysedRun[];
}

/** Reads what is known of a problem type; without experiments when nobody solved such a problem. */
export async function loadProblem(database: Database, problemType: string): Promise<ProblemData> {
  const experiments = await loadExperiments(database, problemType);
  const runs = await analysis.listProblemRuns(database, problemType);
  return { problemType, experiments, runs: runs.map((run) => ({ ...run, trace: null })) };
}

/** The experiments on a problem type, or on all of them, each with its problem instance. */
export async function loadExperiments(
  database: Database,
  problemType?: string,
): Promise<ConfiguredExperiment[]> {
  const rows = await analysis.listProblemExperiments(database, problemType);
  return rows.map((row) => ({
    ...row,
    instance: shownInstance(row.configJson),
    configurationId: configurationIdOf(row.configJson),
  }));
}

/** The instance by its whole configuration, with secrets hidden in whatever of it is shown. */
function shownInstance(configJson: string): InstanceKey {
  const { id, dimension } = problemInstanceOf(configJson);
  return { ...problemInstanceOf(maskJson(configJson)), id, dimension };
}

/** Traces by run id; a run without iterations is not among them. */
export type Traces = ReadonlyMap<string, RunTrace>;

/** Reads the traces of these runs. */
export async function loadTraces(
  database: Database,
  runs: readonly AnalysedRun[],
  direction: ObjectiveDirection,
): Promise<Traces> {
  const traces = new Map<string, RunTrace>();
  const runIds = runs.map(({ runId }) => runId);
  await database.dialect.readTraces(runIds, (runId, pairs) => {
    const trace = runTraceOf(pairs, direction);
    if (trace) traces.set(runId, trace);
  });
  return traces;
}

/** The runs, each with the summary of its trace. */
export function withTraces(runs: readonly AnalysedRun[], traces: Traces): AnalysedRun[] {
  return runs.map((run) => ({ ...run, trace: traces.get(run.runId)?.summary ?? null }));
}

/** The answers of the traces of these runs to a plan. */
export function measureAll(
  runs: readonly AnalysedRun[],
  traces: Traces,
  plan: MeasurementPlan,
): Measurements {
  return new Map(
    runs.flatMap(({ runId }) => {
      const trace = traces.get(runId);
      return trace ? [[runId, measureTrace(trace, plan)] as const] : [];
    }),
  );
}
