import type { ExperimentAnalysis } from '#shared/schemas/analysis.ts';
import { formatFitness } from '#shared/number-format.ts';
import { urlText, type UrlSearch } from '#renderer/components/explorer/list-view.ts';

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

/** The objective of an address; what is no direction or no finite number is as if absent. */
export function askedObjective(search: UrlSearch): AskedObjective {
  const direction = urlText(search, 'direction').toLowerCase();
  const target = urlText(search, 'target');
  return {
    direction: direction === 'min' || direction === 'max' ? direction : undefined,
    target: targetProblem(target) === undefined && target !== '' ? Number(target) : undefined,
  };
}

/** What is wrong with a text as a target; undefined when it can be one. Empty text is none. */
export function targetProblem(text: string): string | undefined {
  const trimmed = text.trim();
  const isDecimal = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(trimmed);
  if (trimmed === '' || (isDecimal && Number.isFinite(Number(trimmed)))) return undefined;
  return 'Not a number, such as 0.5 or 1e-3';
}

const directionSources: Record<AnsweredObjective['directionSource'], string> = {
  query: 'chosen here',
  config: 'from config',
  problem: 'from problem type',
  trace: 'from the traces',
  default: 'assumed',
};

/** Where the direction of an answer comes from, in words. */
export function directionSourceWords({ directionSource }: AnsweredObjective): string {
  return directionSources[directionSource];
}

/** The target of an answer, "none" without one, and where it comes from. */
export function targetWords(answer: AnsweredObjective): { value: string; source?: string } {
  if (answer.targetFitness === null) return { value: 'none' };
  const source = answer.targetSource === 'config' ? 'from config' : 'chosen here';
  return { value: formatFitness(answer.targetFitness), source };
}
