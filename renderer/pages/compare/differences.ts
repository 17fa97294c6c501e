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
 * Returns the difference of a run from the reference in words: "+2, better", "−120, fewer", "the same". Better or worse
 * applies to fitness, in the direction of the run; fewer or more to the other measures. Empty without a difference.
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
