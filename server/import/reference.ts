import type { NewReference } from '#server/repositories/recording.ts';
import type { DataSet, Experiment } from './data-set.ts';
import { firstHit } from './trace.ts';

/** Targets that expected runtimes are published for, from 10 to 1e-8. */
const targets = [10, 1, 0.1, 1e-3, 1e-5, 1e-7, 1e-8];

/**
 * The expected runtimes of each algorithm of a data set as results to compare others with, one row for each
 * function, dimension and target; none where no run reached the target. Hansen et al. 2016.
 */
export function referenceRows(
  suite: string,
  experiments: readonly Experiment[],
  { name, path }: DataSet,
  importedAt: string,
): { optimizer: string; rows: NewReference[] }[] {
  const byOptimizer = Map.groupBy(experiments, ({ group }) => group.algorithm);
  return [...byOptimizer].map(([optimizer, own]) => ({
    optimizer,
    rows: own.flatMap((experiment) =>
      targets.flatMap((target) => {
        const result = expectedRuntime(experiment, target);
        if (result === null) return [];
        return {
          suite,
          optimizer_name: optimizer,
          function_id: experiment.functionNumber,
          dimension: experiment.group.dimension ?? 0,
          target_value: target,
          ert: result.ert,
          success_rate: result.successRate,
          source_url: `import:${name} (${path})`,
          imported_at: importedAt,
        };
      }),
    ),
  }));
}

function expectedRuntime({ group, runs }: Experiment, target: number) {
  const hits = runs.map(({ trace }) => firstHit(trace, group.direction, target));
  const solved = hits.filter((hit) => hit !== null).length;
  if (solved === 0) return null;
  const spent = runs.reduce((sum, run, index) => sum + (hits[index] ?? run.evaluations), 0);
  return { ert: spent / solved, successRate: solved / runs.length };
}
