import { describeCount, formatCount } from '#shared/number-format.ts';

/** Runs of an experiment by status; runs of an unknown status count in the total only. */
export interface RunCounts {
  totalRuns: number;
  completedRuns: number;
  failedRuns: number;
  stoppedRuns: number;
  runningRuns: number;
  /** RUNNING runs that have written nothing for a long time; `runningRuns` includes them. */
  silentRuns: number;
}

export interface CounterPart {
  word: 'completed' | 'running' | 'silent' | 'failed' | 'stopped' | 'other';
  count: number;
}

/** Returns the parts of the bar in their order; empty ones are omitted. */
export function getCounterParts(counts: RunCounts): CounterPart[] {
  const { totalRuns, completedRuns, runningRuns, silentRuns, failedRuns, stoppedRuns } = counts;
  const other = totalRuns - completedRuns - runningRuns - failedRuns - stoppedRuns;
  const parts: CounterPart[] = [
    { word: 'completed', count: completedRuns },
    { word: 'running', count: runningRuns - silentRuns },
    { word: 'silent', count: silentRuns },
    { word: 'failed', count: failedRuns },
    { word: 'stopped', count: stoppedRuns },
    { word: 'other', count: Math.max(0, other) },
  ];
  return parts.filter(({ count }) => count > 0);
}

/** Returns whether there are RUNNING runs and all of them are silent. */
export function areAllSilent({ runningRuns, silentRuns }: RunCounts): boolean {
  return runningRuns > 0 && silentRuns >= runningRuns;
}

/** Returns the bar in words: "10 runs: 8 completed, 1 silent, 1 failed"; "no runs". */
export function formatCounters(counts: RunCounts): string {
  if (counts.totalRuns === 0) return 'no runs';
  const parts = getCounterParts(counts).map(({ word, count }) => `${formatCount(count)} ${word}`);
  return `${describeCount(counts.totalRuns, 'run')}: ${parts.join(', ')}`;
}
