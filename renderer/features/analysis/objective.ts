import type { ExperimentAnalysis } from '#shared/schemas/analysis.ts';
import type { AnalysisNote } from '#shared/schemas/analysis-note.ts';
import { formatFitness } from '#shared/number-format.ts';

/** The objective of a response. */
export type ReportedObjective = Pick<
  ExperimentAnalysis,
  'objectiveDirection' | 'directionSource' | 'targetFitness' | 'targetSource'
>;

const directionSources: Record<ReportedObjective['directionSource'], string> = {
  query: 'chosen here',
  config: 'from config',
  problem: 'from problem type',
  trace: 'from the traces',
  default: 'assumed',
};

/** Describes the source of the direction of a response. */
export function describeDirectionSource({
  directionSource,
}: Pick<ReportedObjective, 'directionSource'>): string {
  return directionSources[directionSource];
}

/** Returns the target of a response and its source; "none" and no source without a target. */
export function describeTarget(response: ReportedObjective): { value: string; source?: string } {
  if (response.targetFitness === null) return { value: 'none' };
  const source = response.targetSource === 'config' ? 'from config' : 'chosen here';
  return { value: formatFitness(response.targetFitness), source };
}

/** Returns the suggested targets; none where there is a target. */
export function getSuggestedTargets(notes: readonly AnalysisNote[]): readonly number[] {
  return notes.find(({ code }) => code === 'SUGGESTED_TARGETS')?.values ?? [];
}

/** Describes direction and target of a response: "minimised (from config), target 0.01 (chosen here)". */
export function describeObjective(response: ReportedObjective): string {
  const direction = response.objectiveDirection === 'min' ? 'minimised' : 'maximised';
  const { value, source } = describeTarget(response);
  const target = source === undefined ? 'no target' : `target ${value} (${source})`;
  return `${direction} (${describeDirectionSource(response)}), ${target}`;
}
