/** Size and marks of the database that is measured. */
export const workload = {
  experiments: 200,
  runsPerExperiment: 50,
  iterations: 2_000_000,
  /** The run that has many iterations; all others share the rest evenly. */
  longRun: { index: 0, iterations: 10_000 },
  /** Every so many runs have JSON of the size that the runner writes; the others a few bytes. */
  fullJsonEvery: 8,
  /** The run with large JSON, as of models with many parameters. */
  bigJson: { index: 3, leastBytes: 10_000, mostBytes: 50_000 },
  /** In the parameters of every so many experiments. */
  searchText: 'zebrafish',
  searchTextEvery: 50,
} as const;

/** How many runs there are. */
export const runCount = workload.experiments * workload.runsPerExperiment;

/** The id of a run by its place among all runs. */
export function getRunId(index: number): string {
  return `bench-r${String(index).padStart(5, '0')}`;
}

/** Number of iterations of a run, so that all together have the requested number. */
export function getIterations(index: number): number {
  const { longRun, iterations } = workload;
  if (index === longRun.index) return longRun.iterations;
  const shared = iterations - longRun.iterations;
  const each = Math.floor(shared / (runCount - 1));
  return each + (index <= shared - each * (runCount - 1) ? 1 : 0);
}

/** A run of ordinary length whose JSON is as large as the runner's. */
export const ordinaryRunIndex = workload.fullJsonEvery;
