import type { Database } from '#server/db/database.ts';
import { isImportedRun } from '#server/domain/completeness.ts';
import {
  commonTarget,
  statedTargets,
  type Direction,
  type StatedObjective,
} from '#server/domain/objective.ts';
import { commonDirection } from '#server/records/objectives.ts';
import type { AnalysisNote } from '#shared/schemas/analysis-note.ts';
import type { ExperimentAnalysisQuery } from '#shared/schemas/analysis-query.ts';
import type { AnalysedRun, Objective } from './model.ts';
import { noteIf, note } from './notes.ts';

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

/** What must be known about the direction and the target that the figures of these runs rest on. */
export function objectiveNotes(
  objective: Objective,
  runs: readonly Pick<AnalysedRun, 'runId'>[],
): AnalysisNote[] {
  const { directionSource, direction, targetFitness } = objective;
  const verb = verbOf(direction);
  return [
    ...(targetFitness === null ? [note('NO_TARGET')] : resolutionNotes(runs.map(isImportedRun))),
    ...noteIf(directionSource === 'trace', 'DIRECTION_FROM_TRACE', verb),
    ...noteIf(directionSource === 'default', 'DIRECTION_ASSUMED', verb),
    ...(objective.notes ?? []),
  ];
}

/** How exactly it is known when runs or trials reached a target, by whether an import has written each. */
export function resolutionNotes(areImported: readonly boolean[]): AnalysisNote[] {
  const some = areImported.includes(true);
  // The loggers of others write down each improvement, not each generation.
  return [
    ...noteIf(!some || areImported.includes(false), 'GENERATION_RESOLUTION'),
    ...noteIf(some, 'IMPORTED_RESOLUTION'),
  ];
}

function verbOf(direction: Direction): string {
  return direction === 'min' ? 'minimised' : 'maximised';
}
