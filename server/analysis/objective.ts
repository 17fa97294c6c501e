import * as iterations from '#server/repositories/iterations.ts';
import type { Database } from '#server/db/database.ts';
import { isImportedRun } from '#server/domain/completeness.ts';
import { parseConfig } from '#server/domain/config.ts';
import {
  configuredDirection,
  configuredTarget,
  findDirection,
  problemDirection,
  type Direction,
} from '#server/domain/objective.ts';
import type { DirectionSource, TargetSource } from '#shared/schemas/analysis.ts';
import type { AnalysisNote } from '#shared/schemas/analysis-note.ts';
import type { ExperimentAnalysisQuery } from '#shared/schemas/analysis-query.ts';
import type { AnalysedRun, Objective, StatedObjective } from './model.ts';
import { noteIf, note } from './notes.ts';

type Asked = Pick<ExperimentAnalysisQuery, 'direction' | 'target'>;

/** Each instance is judged by what its own experiments say. */
export const nothingAsked: Asked = { direction: undefined, target: undefined };

/** What an experiment is after, without a query's word on it. */
export interface OwnObjective extends Omit<Objective, 'notes'> {
  directionSource: Exclude<DirectionSource, 'query'>;
  targetSource: Exclude<TargetSource, 'query'>;
}

/** Direction and target of an experiment without a query's word on them, as {@link commonObjective}. */
export async function findObjective(
  database: Database,
  experiment: { experimentId: string; problemType: string; configJson: string },
): Promise<OwnObjective> {
  const own = [{ ...experiment, ...statedIn(experiment.configJson) }];
  return { ...(await commonDirection(database, own)), ...commonTarget(own) };
}

/** Direction and target in the text of a configuration; both null when it is not valid JSON. */
export function statedIn(configJson: string): StatedObjective {
  const config = parseConfig(configJson);
  return { statedDirection: configuredDirection(config), statedTarget: configuredTarget(config) };
}

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
  return {
    ...(await commonDirection(database, experiments)),
    ...commonTarget(judged),
    ...(direction && { direction, directionSource: 'query' }),
    ...(target !== undefined && { targetFitness: target, targetSource: 'query', notes: [] }),
  };
}

/** Direction of experiments on one problem instance: what the first says that says one, else their traces'. */
export async function commonDirection(
  database: Database,
  experiments: readonly JudgedExperiment[],
): Promise<Pick<OwnObjective, 'direction' | 'directionSource'>> {
  const stated = experiments.find(({ statedDirection }) => statedDirection)?.statedDirection;
  if (stated) return { direction: stated, directionSource: 'config' };
  const problemType = experiments[0]?.problemType ?? '';
  const traceGains: number[] = [];
  for (const { experimentId } of problemDirection(problemType) === null ? experiments : []) {
    traceGains.push(...(await iterations.listTraceGains(database, experimentId)));
  }
  return findDirection({ config: undefined, problemType, traceGains });
}

function commonTarget(
  experiments: readonly JudgedExperiment[],
): Pick<OwnObjective, 'targetFitness' | 'targetSource'> & Pick<Objective, 'notes'> {
  const targets = experiments
    .map(({ statedTarget }) => statedTarget)
    .filter((target) => target !== null);
  const distinct = [...new Set(targets)].sort((a, b) => a - b);
  const [only] = distinct;
  if (only === undefined) return { targetFitness: null, targetSource: 'none' };
  if (distinct.length > 1) {
    const notes = [note('TARGETS_DIFFER', distinct)];
    return { targetFitness: null, targetSource: 'none', notes };
  }
  const silent = experiments.length - targets.length;
  const notes = noteIf(silent > 0, 'TARGET_OF_SOME', silent, experiments.length);
  return { targetFitness: only, targetSource: 'config', notes };
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
