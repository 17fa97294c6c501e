import type { Database } from '#server/db/database.ts';
import { commonTarget, statedTargets, type StatedObjective } from '#server/domain/objective.ts';
import { commonDirection } from '#server/records/objectives.ts';
import type { AnalysisNote } from '#shared/schemas/analysis-note.ts';
import type { ExperimentAnalysisQuery } from '#shared/schemas/analysis-query.ts';
import type { RunRecord } from '#server/repositories/analysis.ts';
import type { AnalysedExperiment, Objective } from './model.ts';
import { noteIf } from './notes.ts';

type Asked = Pick<ExperimentAnalysisQuery, 'direction' | 'target'>;

/** Each instance is judged by what its own experiments say. */
export const nothingAsked: Asked = { direction: undefined, target: undefined };

/** An experiment as its objective is found. */
type JudgedExperiment = StatedObjective & { experimentId: string; problemType: string };

/**
 * Direction and target of experiments on one problem instance: the query's, else what they say. The target
 * is that of the configurations when all that state one agree, those without runs (`judged` are the others)
 * left aside; notes tell when they do not agree, or not all state it. Traces are read only where neither
 * configuration nor problem type says a direction.
 */
export async function commonObjective(
  database: Database,
  { direction, target }: Asked,
  experiments: readonly JudgedExperiment[],
  judged = experiments,
): Promise<Objective> {
  const targetFitness = commonTarget(judged);
  return {
    ...(await commonDirection(database, experiments)),
    targetFitness,
    targetSource: targetFitness === null ? 'none' : 'config',
    notes: targetNotes(judged),
    ...(direction && { direction, directionSource: 'query' }),
    ...(target !== undefined && { targetFitness: target, targetSource: 'query', notes: [] }),
  };
}

function targetNotes(experiments: readonly JudgedExperiment[]): AnalysisNote[] {
  const targets = statedTargets(experiments);
  if (targets.length !== 1) return noteIf(targets.length > 1, 'TARGETS_DIFFER', targets);
  const silent = experiments.filter(({ statedTarget }) => statedTarget === null).length;
  return noteIf(silent > 0, 'TARGET_OF_SOME', silent, experiments.length);
}

/** Direction and target of an instance; only experiments with runs have a say in the target. */
export function objectiveAt(
  database: Database,
  asked: Asked,
  {
    experiments,
    runs,
  }: { experiments: ReadonlyMap<string, AnalysedExperiment>; runs: readonly RunRecord[] },
): Promise<Objective> {
  const inside = [...experiments.values()];
  const withRuns = new Set(runs.map(({ experimentId }) => experimentId));
  const judged = inside.filter(({ experimentId }) => withRuns.has(experimentId));
  return commonObjective(database, asked, inside, judged);
}
