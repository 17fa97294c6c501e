import { formatCount, formatDuration, formatFitness } from '#shared/number-format.ts';
import type { ComparedRun, RunDifference } from '#shared/schemas/analysis-runs.ts';

type Measure = keyof RunDifference;

const formats: Readonly<Record<Measure, (value: number) => string>> = {
  best: formatFitness,
  evaluationsToTarget: formatCount,
  evaluations: formatCount,
  iterations: formatCount,
  runtimeMillis: formatDuration,
};

/**
 * Returns the difference of a run from the reference: "+2, better", "−120", "the same". Better or worse applies only to
 * fitness, in the direction of the run. Empty without a difference.
 */
export function describeDifference(
  { difference, direction }: Pick<ComparedRun, 'difference' | 'direction'>,
  measure: Measure,
): string {
  const value = difference?.[measure] ?? null;
  if (value === null) return '';
  if (value === 0) return 'the same';
  const amount = `${value > 0 ? '+' : '−'}${formats[measure](Math.abs(value))}`;
  if (measure !== 'best') return amount;
  return `${amount}, ${value > 0 === (direction === 'max') ? 'better' : 'worse'}`;
}
