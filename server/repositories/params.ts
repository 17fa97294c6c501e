import { sql, type RawBuilder, type SqlBool } from 'kysely';
import type { Database } from '#server/db/database.ts';
import type { ParamRow } from '#shared/schemas/run.ts';
import { shownInteger, requiredInteger, nullableText, number, rowOf, text } from './row.ts';

/** Returns the flattened parameters of a run's experiment, by section and path; empty for a run without one. */
export async function listParamsOfRun(database: Database, runId: string): Promise<ParamRow[]> {
  return listParams(database, sql`(select r.experiment_id from runs r where r.run_id = ${runId})`);
}

/** Returns the flattened parameters of an experiment, by section and path; empty if it has none. */
export async function listParamsOfExperiment(
  database: Database,
  experimentId: string,
): Promise<ParamRow[]> {
  return listParams(database, sql`${experimentId}`);
}

const paramRow = rowOf({
  id: requiredInteger('p.id'),
  experimentId: text('p.experiment_id'),
  section: text('p.section'),
  paramPath: text('p.param_path'),
  leafKey: text('p.leaf_key'),
  valueType: text('p.value_type'),
  valueText: nullableText('p.value_text'),
  valueNumber: number('p.value_number'),
  valueBoolean: shownInteger('p.value_boolean'),
  valueJson: nullableText('p.value_json'),
});

async function listParams(
  { kysely, dialect }: Database,
  experimentId: RawBuilder<unknown>,
): Promise<ParamRow[]> {
  const rows = await kysely
    .selectFrom('experiment_params as p')
    .select(paramRow.columns)
    .where(sql<SqlBool>`p.experiment_id = ${experimentId}`)
    .orderBy(dialect.byCodePoint(sql.ref<string>('p.section')))
    .orderBy(dialect.byCodePoint(sql.ref<string>('p.param_path')))
    .orderBy('p.id')
    .execute();
  return rows.map(paramRow.read);
}

/** One parameter of one experiment. */
export type ParamValue = Pick<ParamRow, 'experimentId' | 'paramPath' | 'valueText' | 'valueJson'>;

/** Returns the values of experiments for the parameters at these paths, without missing ones. */
export async function listParamValues(
  { kysely }: Database,
  experimentIds: readonly string[],
  paths: readonly string[],
): Promise<ParamValue[]> {
  if (experimentIds.length === 0 || paths.length === 0) return [];
  return kysely
    .selectFrom('experiment_params')
    .select([
      'experiment_id as experimentId',
      'param_path as paramPath',
      'value_text as valueText',
      'value_json as valueJson',
    ])
    .where('experiment_id', 'in', experimentIds)
    .where('param_path', 'in', paths)
    .orderBy('id')
    .execute();
}

const wholeParam = rowOf({
  experimentId: text('p.experiment_id'),
  section: text('p.section'),
  paramPath: text('p.param_path'),
  valueType: text('p.value_type'),
  valueText: nullableText('p.value_text'),
  valueJson: nullableText('p.value_json'),
});

/** A stored parameter of an experiment that is not an element of a list. */
export type WholeParam = ReturnType<typeof wholeParam.read>;

/** Returns the parameters of experiments by path: whole lists, and no objects, because their members are included. */
export async function listWholeParams(
  { kysely, dialect }: Database,
  experimentIds: readonly string[],
): Promise<WholeParam[]> {
  const rows = await kysely
    .selectFrom('experiment_params as p')
    .select(wholeParam.columns)
    .where('p.experiment_id', 'in', experimentIds)
    .where('p.param_path', 'not like', '%[%')
    .where((eb) => eb.or([eb('p.value_type', '<>', 'json'), eb('p.value_json', 'like', '[%')]))
    .orderBy(dialect.byCodePoint(sql.ref<string>('p.param_path')))
    .orderBy('p.id')
    .execute();
  return rows.map(wholeParam.read);
}

/** Returns every path of a scalar parameter of any experiment, without duplicates, in code point order. */
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
