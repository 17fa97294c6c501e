/** How many runs an experiment has, and how many of them are in three of the statuses. */
export interface StatusCounts {
  total: number;
  running: number;
  completed: number;
  failed: number;
}

/** Statuses of an experiment, in the order in which they are decided. */
export type ExperimentStatus = 'RUNNING' | 'COMPLETED' | 'FAILED' | 'PARTIAL';

/**
 * The status that an experiment's runs give it: RUNNING while one of them runs, COMPLETED or FAILED when all
 * of them are, else PARTIAL, which an experiment without runs is too.
 */
export function experimentStatus(counts: StatusCounts): ExperimentStatus {
  if (counts.running > 0) return 'RUNNING';
  if (counts.total === 0) return 'PARTIAL';
  if (counts.completed === counts.total) return 'COMPLETED';
  return counts.failed === counts.total ? 'FAILED' : 'PARTIAL';
}
