import type { Database } from '#server/db/database.ts';
import { writeRows } from '#server/repositories/recording.ts';
import { loadOracle } from '#tests/server/stats/oracle.ts';
import { insert } from './rows.ts';

/** Published results of an algorithm on a function in a dimension, by target; infinite if no run was solved. */
interface OracleCell {
  algorithm: string;
  function: number;
  dimension: number;
  instances: number[];
  max_evals: number[];
  evals_to_target: (number | null)[][];
  ert: number[];
  reference_best2009_ert: (number | null)[];
  ert_ratio_to_reference: (number | null)[];
}

const oracle = loadOracle('coco-real') as { meta: { targets: number[] }; trials: OracleCell[] };

/** Results of real campaigns, as cocopp computes them. */
export const oracleCells: readonly OracleCell[] = oracle.trials;
export const oracleTargets: readonly number[] = oracle.meta.targets;

const created_at = '2026-11-21T10:00:00Z';

/** Writes the trials and references of the oracle to one of its targets, as the campaign `oracle-<index>`. */
export async function insertOracleCampaign(database: Database, index: number): Promise<void> {
  const target_value = oracleTargets[index] ?? NaN;
  const campaign_id = `oracle-${index}`;
  const suite = `bbob ${index}`;
  await insert(database, 'coco_campaigns', { campaign_id, suite, status: 'COMPLETED' });
  const trials = oracleCells.flatMap((cell) =>
    cell.max_evals.map((evaluations, run) => {
      const evals_to_target = cell.evals_to_target[index]?.[run] ?? null;
      return {
        campaign_id,
        optimizer_id: cell.algorithm,
        run_id: `${campaign_id}-${cell.algorithm}-${cell.function}-${cell.dimension}-${run}`,
        function_id: cell.function,
        instance_id: cell.instances[run] ?? 0,
        dimension: cell.dimension,
        repetition: run,
        budget_evals: Math.max(...cell.max_evals),
        evaluations,
        status: 'COMPLETED',
        reached_target: evals_to_target === null ? 0 : 1,
        evals_to_target,
        target_value,
        created_at,
      };
    }),
  );
  await writeRows(database, 'coco_trials', trials);
  const references = oracleCells.flatMap((cell) => {
    const ert = cell.reference_best2009_ert[index] ?? null;
    return ert === null || !Number.isFinite(ert)
      ? []
      : [
          {
            suite,
            optimizer_name: 'best2009',
            function_id: cell.function,
            dimension: cell.dimension,
            target_value,
            ert,
            success_rate: 1,
            imported_at: created_at,
          },
        ];
  });
  await writeRows(database, 'coco_reference_results', references);
}
