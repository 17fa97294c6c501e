import { sql, type RawBuilder, type SqlBool } from 'kysely';

/** Whether a run `r` is a trial of a COCO campaign. */
export const isTrial = sql<SqlBool>`exists (select 1 from coco_trials t where t.run_id = r.run_id)`;

/** Statuses that a run can have; others are counted in totals only. */
export type KnownStatus = 'RUNNING' | 'COMPLETED' | 'FAILED' | 'STOPPED';

/** Whether a run `r` has a status, without regard to case; NULL for a run without one. */
export function hasStatus(status: KnownStatus): RawBuilder<SqlBool> {
  return sql<SqlBool>`upper(r.status) = ${sql.lit(status)}`;
}
