import { firstHit } from '#server/domain/trace.ts';
import type { NewReference } from '#server/repositories/recording.ts';
import { expectedRuntime, successRate } from '#server/stats/runtime.ts';
import type { DataSet, Experiment } from './data-set.ts';

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
        const outcomes = experiment.runs.map(({ trace }) => {
          const hit = firstHit(trace, target);
          return { solved: hit !== null, evaluationsToTarget: hit, budget: trace.spent };
        });
        const ert = expectedRuntime(outcomes);
        if (ert === null) return [];
        return {
          suite,
          optimizer_name: optimizer,
          function_id: experiment.functionNumber,
          dimension: experiment.group.dimension ?? 0,
          target_value: target,
          ert,
          success_rate: successRate(outcomes),
          source_url: `import:${name} (${path})`,
          imported_at: importedAt,
        };
      }),
    ),
  }));
}
