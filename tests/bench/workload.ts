/** Size and special rows of the measured database. */
export const workload = {
  experiments: 200,
  runsPerExperiment: 50,
  iterations: 2_000_000,
  /** The run with many iterations. The others share the remaining iterations equally. */
  longRun: { index: 0, iterations: 10_000 },
  /** One of this number of runs has JSON of the size that the runner writes; the others have a few bytes. */
  fullJsonEvery: 8,
  /** The run with large JSON, as models with many parameters have. */
  largeJson: { index: 3, minimumBytes: 10_000, maximumBytes: 50_000 },
  /** Text in the parameters of one of `searchTextEvery` experiments. */
  searchText: 'zebrafish',
  searchTextEvery: 50,
} as const;

/** Number of runs. */
export const runCount = workload.experiments * workload.runsPerExperiment;

/** Returns the id of a run by its index among all runs. */
export function getRunId(index: number): string {
  return `bench-r${String(index).padStart(5, '0')}`;
}

/** Returns the number of iterations of a run. The sum over all runs is `workload.iterations`. */
export function countIterations(index: number): number {
  const { longRun, iterations } = workload;
  if (index === longRun.index) return longRun.iterations;
  const sharedIterations = iterations - longRun.iterations;
  const iterationsPerRun = Math.floor(sharedIterations / (runCount - 1));
  return iterationsPerRun + (index <= sharedIterations - iterationsPerRun * (runCount - 1) ? 1 : 0);
}

/** A run of ordinary length whose JSON is as large as the runner's. */
export const ordinaryRunIndex = workload.fullJsonEvery;
