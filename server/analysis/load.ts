import type { Database } from '#server/db/database.ts';
import * as analysis from '#server/repositories/analysis.ts';
import {
  configurationIdOf,
  problemInstanceOf,
  type InstanceKey,
} from '#server/rules/problem-instance.ts';
import { maskJson } from '#server/rules/secrets/mask-json.ts';
import { traceOf, type RunTrace } from '#server/stats/trace.ts';
import type { ObjectiveDirection } from '#shared/schemas/run.ts';
import type { AnalysedExperiment, AnalysedRun, RunRecord } from './model.ts';
import { statedIn, type StatedObjective } from './objective.ts';

/** An experiment with what its configuration says of its problem. */
export interface ConfiguredExperiment extends AnalysedExperiment, StatedObjective {
  problemType: string;
}

/** The experiments on a problem type, or on all of them, by id. */
export async function loadExperiments(
  database: Database,
  problemType?: string,
): Promise<ConfiguredExperiment[]> {
  const rows = await analysis.listProblemExperiments(database, problemType);
  return rows.map(({ configJson, ...row }) => ({ ...row, ...configurationOf(configJson) }));
}

/** What the analyses need of a configuration. */
type Configuration = StatedObjective & Pick<AnalysedExperiment, 'instance' | 'configurationId'>;

/** Parsing configurations costs more than reading them, and nearly all were parsed before. */
const configurations = new Map<string, Configuration>();
const maximumConfigurations = 4_000;

function configurationOf(configJson: string): Configuration {
  const known = configurations.get(configJson) ?? {
    instance: shownInstance(configJson),
    configurationId: configurationIdOf(configJson),
    ...statedIn(configJson),
  };
  configurations.delete(configJson);
  configurations.set(configJson, known);
  const [oldest] = configurations.keys();
  if (configurations.size > maximumConfigurations && oldest !== undefined) {
    configurations.delete(oldest);
  }
  return known;
}

/** The instance by its whole configuration, with secrets hidden in whatever of it is shown. */
function shownInstance(configJson: string): InstanceKey {
  const whole = problemInstanceOf(configJson);
  const masked = maskJson(configJson);
  if (masked === configJson) return whole;
  return { ...problemInstanceOf(masked), id: whole.id, dimension: whole.dimension };
}

/** These runs, each with its trace. */
export async function loadTraces(
  database: Database,
  runs: readonly RunRecord[],
  direction: ObjectiveDirection,
): Promise<AnalysedRun[]> {
  const traces = new Map<string, RunTrace>();
  await database.dialect.readTraces(runs, (runId, pairs) => {
    traces.set(runId, traceOf(pairs, direction));
  });
  const none = traceOf(new Float64Array(), direction);
  return runs.map((run) => ({ ...run, trace: traces.get(run.runId) ?? none }));
}
