import type { Database } from '#server/db/database.ts';
import type { DatabaseDialect } from '#server/db/dialect.ts';
import { orderNullsLast } from '#server/db/queries.ts';
import type { ParamFilter, ParamOperator, ParamValue } from '#shared/syntax.ts';
import type { ParamRow } from '#shared/schemas/run.ts';
import { containsAny } from './list.ts';
import {
  selectExactInteger,
  selectRequiredInteger,
  selectNullableText,
  selectNumber,
  makeRow,
  selectText,
} from './row.ts';
import { sql, type RawBuilder, type SqlBool, type Expression } from 'kysely';
import {
  escapePrefixes,
  type Secrecy,
  getSecrecyOfPath,
  secretWords,
} from '#server/domain/secrets/secret-words.ts';

/**
 * Returns the flattened parameters of a run's experiment, by section and path, NULLs last; empty if there are none.
 */
export async function listParamsOfRun(database: Database, runId: string): Promise<ParamRow[]> {
  return listParams(
    database,
    sql`(select r.experiment_id from runs r where r.run_id = ${runId} limit 1)`,
  );
}

/** Returns the flattened parameters of an experiment, by section and path; empty if it has none. */
export async function listParamsOfExperiment(
  database: Database,
  experimentId: string,
): Promise<ParamRow[]> {
  return listParams(database, sql`${experimentId}`);
}

const paramRow = makeRow({
  id: selectRequiredInteger('p.id'),
  experimentId: selectText('p.experiment_id'),
  section: selectText('p.section'),
  paramPath: selectText('p.param_path'),
  leafKey: selectText('p.leaf_key'),
  valueType: selectText('p.value_type'),
  valueText: selectNullableText('p.value_text'),
  valueNumber: selectNumber('p.value_number'),
  valueBoolean: selectExactInteger('p.value_boolean'),
  valueJson: selectNullableText('p.value_json'),
});

async function listParams(
  { kysely, dialect }: Database,
  experimentId: RawBuilder<unknown>,
): Promise<ParamRow[]> {
  const rows = await kysely
    .selectFrom('experiment_params as p')
    .select(paramRow.columns)
    .where(sql<SqlBool>`p.experiment_id = ${experimentId}`)
    .orderBy(dialect.orderByCodePoint(sql.ref<string>('p.section')), orderNullsLast('asc'))
    .orderBy(dialect.orderByCodePoint(sql.ref<string>('p.param_path')), orderNullsLast('asc'))
    .orderBy('p.id')
    .execute();
  return rows.map(paramRow.read);
}

/** One parameter of one experiment. */
type ExperimentParam = Pick<ParamRow, 'experimentId' | 'paramPath' | 'valueText' | 'valueJson'>;

/**
 * Returns the values of these experiments for the parameters at these paths, in insertion order. Omits missing
 * parameters. Returns an empty list without experiments or paths.
 */
export async function listParamValues(
  { kysely }: Database,
  experimentIds: readonly string[],
  paths: readonly string[],
): Promise<ExperimentParam[]> {
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

const wholeParam = makeRow({
  experimentId: selectText('p.experiment_id'),
  section: selectText('p.section'),
  paramPath: selectText('p.param_path'),
  valueType: selectText('p.value_type'),
  valueText: selectNullableText('p.value_text'),
  valueJson: selectNullableText('p.value_json'),
});

/** A parameter of an experiment that is a scalar or a whole list. It is not an object, and its path contains no `[`. */
export type WholeParam = ReturnType<typeof wholeParam.read>;

/**
 * Returns the parameters of experiments by path, then by id: scalars, including those in objects, and whole lists.
 * Omits values inside lists and all other values with `[` in their paths. Returns an empty list without experiments.
 */
export async function listWholeParams(
  { kysely, dialect }: Database,
  experimentIds: readonly string[],
): Promise<WholeParam[]> {
  if (experimentIds.length === 0) return [];
  const rows = await kysely
    .selectFrom('experiment_params as p')
    .select(wholeParam.columns)
    .where('p.experiment_id', 'in', experimentIds)
    .where('p.param_path', 'not like', '%[%')
    .where((eb) => eb.or([eb('p.value_type', '<>', 'json'), eb('p.value_json', 'like', '[%')]))
    .orderBy(dialect.orderByCodePoint(sql.ref<string>('p.param_path')))
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
    .orderBy(dialect.orderByCodePoint(sql.ref<string>('param_path')))
    .execute();
  return rows.map((row) => row.param_path);
}

/**
 * Returns the paths that a parameter name can mean: the name itself if an experiment has it as a path, otherwise all
 * paths whose last key is the name, without duplicates, in any order. Returns an empty list if there is none.
 */
export async function listPathsOfName({ kysely }: Database, name: string): Promise<string[]> {
  // The query starts from the experiments, because the index contains the path only after the experiment.
  const experimentWithPath = await kysely
    .selectFrom('experiments as x')
    .select('x.experiment_id')
    .where((eb) =>
      eb.exists(
        eb
          .selectFrom('experiment_params as p')
          .select('p.id')
          .whereRef('p.experiment_id', '=', 'x.experiment_id')
          .where('p.param_path', '=', name),
      ),
    )
    .limit(1)
    .executeTakeFirst();
  if (experimentWithPath) return [name];
  const rows = await kysely
    .selectFrom('experiment_params')
    .select('param_path')
    .distinct()
    .where('leaf_key', '=', name)
    .execute();
  return rows.map((row) => row.param_path);
}

/**
 * Returns the paths among these that at least one of the selected experiments has, without duplicates, in any order.
 */
export async function listPathsAmong(
  { kysely }: Database,
  paths: readonly string[],
  experimentIds: Expression<{ experiment_id: string }>,
): Promise<string[]> {
  if (paths.length === 0) return [];
  const rows = await kysely
    .selectFrom('experiment_params')
    .select('param_path')
    .distinct()
    .where('param_path', 'in', paths)
    .where(sql<SqlBool>`experiment_id in ${experimentIds}`)
    .execute();
  return rows.map((row) => row.param_path);
}

/**
 * Returns the condition that an experiment has a parameter that matches a filter; `filter.path` is a full path. The
 * database finds the matching experiments once. Values that responses may mask match nothing, not even `!=`.
 */
export function hasParam(
  dialect: DatabaseDialect,
  experimentId: RawBuilder<unknown>,
  filter: ParamFilter,
): RawBuilder<SqlBool> {
  return sql<SqlBool>`${experimentId} in (select x.experiment_id from experiments x where exists (
    select 1 from experiment_params p where p.experiment_id = x.experiment_id
      and p.param_path = ${filter.path} and ${isUnmaskedType(filter.path)}
      and ${compareParam(dialect, filter)}))`;
}

function compareParam(dialect: DatabaseDialect, filter: ParamFilter): RawBuilder<SqlBool> {
  const { operator, values } = filter;
  if (operator === '~') return containsSubstring(dialect, values[0]?.text ?? '');
  if (operator === '=' || operator === '!=') {
    const equalityCondition = sql.join(
      values.map((value) => equals(dialect, value)),
      sql` or `,
    );
    const isMatch =
      operator === '='
        ? sql<SqlBool>`(${equalityCondition})`
        : sql<SqlBool>`not (${equalityCondition})`;
    return sql<SqlBool>`(${paramText} is not null and not ${isMaskedText(dialect)} and ${isMatch})`;
  }
  return sql<SqlBool>`(${getNumber(dialect)} ${sql.raw(operator satisfies ParamOperator)} ${values[0]?.number})`;
}

function equals(dialect: DatabaseDialect, value: ParamValue): RawBuilder<SqlBool> {
  const isSameText = dialect.equalsText(paramText, value.text);
  if (value.number === null) return isSameText;
  return sql<SqlBool>`case when p.value_type = 'number' then coalesce(${getNumber(dialect)} = ${value.number}, false)
    else ${isSameText} end`;
}

function containsSubstring(dialect: DatabaseDialect, substring: string): RawBuilder<SqlBool> {
  return sql<SqlBool>`((${dialect.containsText(paramText, substring)} and not ${isMaskedText(dialect)})
    or (${dialect.containsText(paramJson, substring)} and not ${isMaskedJson(dialect)}))`;
}

/** Returns the numeric value of a parameter `p`; NULL if it is not a finite number. */
function getNumber(dialect: DatabaseDialect): RawBuilder<number | null> {
  const value = dialect.selectFiniteNumber(sql.ref<number | null>('p.value_number'));
  return sql<number | null>`case when p.value_type = 'number' then ${value} end`;
}

/** Returns the condition that a parameter `p` at this path has a type without masked values. */
function isUnmaskedType(path: string): RawBuilder<SqlBool> {
  return unmaskedTypes[getSecrecyOfPath(path)];
}

const unmaskedTypes = {
  none: sql<SqlBool>`true`,
  texts: sql<SqlBool>`p.value_type in ('number', 'boolean')`,
  all: sql<SqlBool>`p.value_type = 'boolean'`,
} satisfies Record<Secrecy, RawBuilder<SqlBool>>;

/** Returns the path or name in a sort key `param:<path or name>`; null for any other key. */
export function getParamPath(sortBy: string): string | null {
  return sortBy.startsWith('param:') ? sortBy.slice('param:'.length) : null;
}

/**
 * Returns the sort keys of the parameter at this path in a joined row `p`: its number, then its text, or its JSON if it
 * has no text. Both keys are NULL if the parameter is missing or responses may mask it. In ascending and descending
 * order, numbers come first and missing values last.
 */
export function orderByParam(
  dialect: DatabaseDialect,
  path: string,
): [RawBuilder<number | null>, RawBuilder<string | null>] {
  const isUnmasked = isUnmaskedType(path);
  const unmaskedText = sql<string | null>`case when ${isUnmasked} and p.value_type <> 'number' then
    case when not ${isMaskedText(dialect)} then ${paramText}
      when not ${isMaskedJson(dialect)} then ${paramJson} end end`;
  return [
    sql<number | null>`case when ${isUnmasked} then ${getNumber(dialect)} end`,
    dialect.orderByCodePoint(unmaskedText),
  ];
}

/** Columns of a flattened parameter, a row `p`. */
const paramText = sql.ref<string | null>('p.value_text');
const paramJson = sql.ref<string | null>('p.value_json');
const paramPath = sql.ref<string>('p.param_path');

/**
 * Returns the condition that a flattened parameter, a row `p`, contains `substring` in its path, its text or its JSON
 * value. Omits values that responses may mask, because a search could reveal a secret letter by letter. These are
 * values under a path with a secret word, texts for which {@link isMaskedText} is true, and JSON for which {@link
 * isMaskedJson} is true. The leaves of such a JSON value are separate rows, which may still match.
 */
export function matchParam(dialect: DatabaseDialect, substring: string): RawBuilder<SqlBool> {
  const isSecretPath = containsSecretWord(dialect, paramPath);
  return sql<SqlBool>`(${dialect.containsText(paramPath, substring)}
    or (${dialect.containsText(paramText, substring)} and not (${isSecretPath} or ${isMaskedText(dialect)}))
    or (${dialect.containsText(paramJson, substring)} and not (${isSecretPath} or ${isMaskedJson(dialect)})))`;
}

/**
 * Returns the condition that responses may mask the text of a parameter `p` at any path: it may contain a URL with
 * credentials, an escaped letter, or a pair of a secret key and its value.
 */
function isMaskedText(dialect: DatabaseDialect): RawBuilder<SqlBool> {
  return sql<SqlBool>`(${containsCredentials(dialect, paramText)}
    or ((${paramText} like '%=%' or ${paramText} like '%:%') and ${containsSecretWord(dialect, paramText)}))`;
}

/**
 * Returns the condition that the JSON of a parameter `p` may contain a masked value: a secret word, an escaped letter,
 * or a URL with credentials.
 */
function isMaskedJson(dialect: DatabaseDialect): RawBuilder<SqlBool> {
  return sql<SqlBool>`(${containsCredentials(dialect, paramJson)} or ${containsSecretWord(dialect, paramJson)})`;
}

function containsSecretWord(
  dialect: DatabaseDialect,
  value: RawBuilder<string | null>,
): RawBuilder<SqlBool> {
  return containsAny(dialect, value, secretWords);
}

function containsCredentials(
  dialect: DatabaseDialect,
  value: RawBuilder<string | null>,
): RawBuilder<SqlBool> {
  return sql<SqlBool>`(${value} like '%:%//%@%' or ${containsAny(dialect, value, escapePrefixes)})`;
}
