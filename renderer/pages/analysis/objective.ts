import type { ExperimentAnalysis } from '#shared/schemas/analysis.ts';
import type { AnalysisNote } from '#shared/schemas/analysis-note.ts';
import { formatFitness } from '#shared/number-format.ts';

/** Direction and target that an address asks for; undefined leaves them to the experiment. */
export interface AskedObjective {
  direction: 'min' | 'max' | undefined;
  target: number | undefined;
}

/** What an answer says its figures rest on. */
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

/** Where the direction of an answer comes from, in words. */
export function directionSourceWords({
  directionSource,
}: Pick<AnsweredObjective, 'directionSource'>): string {
  return directionSources[directionSource];
}

/** The target of an answer, "none" without one, and where it comes from. */
export function targetWords(answer: AnsweredObjective): { value: string; source?: string } {
  if (answer.targetFitness === null) return { value: 'none' };
  const source = answer.targetSource === 'config' ? 'from config' : 'chosen here';
  return { value: formatFitness(answer.targetFitness), source };
}

/** Targets to choose from where there is none; none where there is one. */
export function suggestedTargets(notes: readonly AnalysisNote[]): readonly number[] {
  return notes.find(({ code }) => code === 'SUGGESTED_TARGETS')?.values ?? [];
}

/** Direction and target of an answer in a phrase: "minimised (from config), target 0.01 (chosen here)". */
export function objectiveWords(answer: AnsweredObjective): string {
  const direction = answer.objectiveDirection === 'min' ? 'minimised' : 'maximised';
  const { value, source } = targetWords(answer);
  const target = source === undefined ? 'no target' : `target ${value} (${source})`;
  return `${direction} (${directionSourceWords(answer)}), ${target}`;
}
