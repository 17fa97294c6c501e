import type { ExperimentAnalysis } from '#shared/schemas/analysis.ts';
import type { AnalysisNote } from '#shared/schemas/analysis-note.ts';
import { formatFitness } from '#shared/number-format.ts';

/** The objective of a response. */
export type AnsweredObjective = Pick<
  ExperimentAnalysis,
  'objectiveDirection' | 'directionSource' | 'targetFitness' | 'targetSource'
>;

const directionSources: Record<AnsweredObjective['directionSource'], string> = {
  query: 'chosen here',
  config: 'from config',
  problem: 'from problem type',
  trace: 'from the traces',
  default: 'assumed',
};

/** Describes the source of the direction of a response. */
export function describeDirectionSource({
  directionSource,
}: Pick<AnsweredObjective, 'directionSource'>): string {
  return directionSources[directionSource];
}

/** Returns the target of a response, "none" without one, and its source. */
export function describeTarget(answer: AnsweredObjective): { value: string; source?: string } {
  if (answer.targetFitness === null) return { value: 'none' };
  const source = answer.targetSource === 'config' ? 'from config' : 'chosen here';
  return { value: formatFitness(answer.targetFitness), source };
}

/** Returns the suggested targets; none where there is a target. */
export function getSuggestedTargets(notes: readonly AnalysisNote[]): readonly number[] {
  return notes.find(({ code }) => code === 'SUGGESTED_TARGETS')?.values ?? [];
}

/** Describes direction and target of a response: "minimised (from config), target 0.01 (chosen here)". */
export function describeObjective(answer: AnsweredObjective): string {
  const direction = answer.objectiveDirection === 'min' ? 'minimised' : 'maximised';
  const { value, source } = describeTarget(answer);
  const target = source === undefined ? 'no target' : `target ${value} (${source})`;
  return `${direction} (${describeDirectionSource(answer)}), ${target}`;
}
