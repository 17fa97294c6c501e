import { sql, type RawBuilder, type SqlBool } from 'kysely';
import type { ParamRow } from '#shared/schemas/run.ts';
import { textOf } from './expressions.ts';
import type { Database } from '#server/db/database.ts';

/** The flattened parameters of a run's experiment, by section and path; empty for a run without one. */
export async function listParamsOfRun(database: Database, runId: string): Promise<ParamRow[]> {
  return listParams(database, sql`(select r.experiment_id from runs r where r.run_id = ${runId})`);
}

/** The flattened parameters of an experiment, by section and path; empty when it has none. */
export async function listParamsOfExperiment(
  database: Database,
  experimentId: string,
): Promise<ParamRow[]> {
  return listParams(database, sql`${experimentId}`);
}

async function listParams(
  { kysely, dialect }: Database,
  experimentId: RawBuilder<unknown>,
): Promise<ParamRow[]> {
  const rows = await kysely
    .selectFrom('experiment_params as p')
    .select([
      'p.id',
      'p.experiment_id',
      'p.section',
      'p.param_path',
      'p.leaf_key',
      'p.value_type',
      'p.value_text',
      'p.value_json',
      dialect.finiteNumber(sql.ref<number | null>('p.value_number')).as('value_number'),
      dialect.integer(sql.ref<number | null>('p.value_boolean')).as('value_boolean'),
    ])
    .where(sql<SqlBool>`p.experiment_id = ${experimentId}`)
    .orderBy(dialect.byCodePoint(sql.ref<string>('p.section')))
    .orderBy(dialect.byCodePoint(sql.ref<string>('p.param_path')))
    .orderBy('p.id')
    .execute();
  return rows.map((row) => ({
    id: row.id,
    experimentId: row.experiment_id,
    section: textOf(row.section),
    paramPath: textOf(row.param_path),
    leafKey: textOf(row.leaf_key),
    valueType: textOf(row.value_type),
    valueText: row.value_text,
    valueNumber: row.value_number,
    valueBoolean: row.value_boolean,
    valueJson: row.value_json,
  }));
}

/** One parameter of one experiment. */
export interface ParamValue {
  experimentId: string;
  paramPath: string;
  valueText: string | null;
  valueJson: string | null;
}

/** The values that experiments have for the parameters at these paths; one that has none is missing. */
export async function listParamValues(
  { kysely }: Database,
  experimentIds: readonly string[],
  paths: readonly string[],
): Promise<ParamValue[]> {
  if (experimentIds.length === 0 || paths.length === 0) return [];
  const rows = await kysely
    .selectFrom('experiment_params')
    .select(['experiment_id', 'param_path', 'value_text', 'value_json'])
    .where('experiment_id', 'in', experimentIds)
    .where('param_path', 'in', paths)
    .orderBy('id')
    .execute();
  return rows.map((row) => ({
    experimentId: row.experiment_id,
    paramPath: row.param_path,
    valueText: row.value_text,
    valueJson: row.value_json,
  }));
}

/** Every path at which an experiment has a scalar parameter, once, by code point. */
export async function listParamPaths({ kysely, dialect }: Database): Promise<string[]> {
  const rows = await kysely
    .selectFrom((eb) =>
      eb
        .selectFrom('experiment_params')
        .select('param_path')
        .distinct()
        .where('value_type', '<>', 'json')
        .where('param_path', 'is not', null)
        .as('paths'),
    )
    .select('param_path')
    .orderBy(dialect.byCodePoint(sql.ref<string>('param_path')))
    .execute();
  return rows.map((row) => row.param_path);
}
