import { sql, type RawBuilder, type SqlBool } from 'kysely';
import type { ParamFilter, ParamOperator, ParamValue } from '#shared/param-filter.ts';
import type { DatabaseDialect } from '#server/db/dialect.ts';
import { secrecyOfPath } from '#server/domain/secrets/params.ts';
import type { Secrecy } from '#server/domain/secrets/secret-words.ts';
import { isMaskedJson, isMaskedText, paramJson, paramText } from './params-search.ts';

/**
 * Returns whether an experiment has a parameter that matches a filter; `path` of the filter is a whole one. Finds the
 * matching experiments once. Masked values match nothing, not even `!=`.
 */
export function hasParam(
  dialect: DatabaseDialect,
  experimentId: RawBuilder<unknown>,
  filter: ParamFilter,
): RawBuilder<SqlBool> {
  return sql<SqlBool>`${experimentId} in (select x.experiment_id from experiments x where exists (
    select 1 from experiment_params p where p.experiment_id = x.experiment_id
      and p.param_path = ${filter.path} and ${isOpenType(filter.path)}
      and ${comparison(dialect, filter)}))`;
}

function comparison(dialect: DatabaseDialect, filter: ParamFilter): RawBuilder<SqlBool> {
  const { operator, values } = filter;
  if (operator === '~') return containsPart(dialect, values[0]?.text ?? '');
  if (operator === '=' || operator === '!=') {
    const equal = sql.join(
      values.map((value) => equals(dialect, value)),
      sql` or `,
    );
    const isWanted = operator === '=' ? sql<SqlBool>`(${equal})` : sql<SqlBool>`not (${equal})`;
    return sql<SqlBool>`(${paramText} is not null and not ${isMaskedText(dialect)} and ${isWanted})`;
  }
  const number = numberOf(dialect);
  return sql<SqlBool>`(${number} ${sql.raw(operator satisfies ParamOperator)} ${values[0]?.number})`;
}

function equals(dialect: DatabaseDialect, { text, number }: ParamValue): RawBuilder<SqlBool> {
  const isSameText = dialect.equalsText(paramText, text);
  if (number === null) return isSameText;
  return sql<SqlBool>`case when p.value_type = 'number' then coalesce(${numberOf(dialect)} = ${number}, false)
    else ${isSameText} end`;
}

function containsPart(dialect: DatabaseDialect, part: string): RawBuilder<SqlBool> {
  return sql<SqlBool>`((${dialect.containsText(paramText, part)} and not ${isMaskedText(dialect)})
    or (${dialect.containsText(paramJson, part)} and not ${isMaskedJson(dialect)}))`;
}

/** Returns the number of a parameter `p`, NULL if it is none. */
function numberOf(dialect: DatabaseDialect): RawBuilder<number | null> {
  const value = dialect.finiteNumber(sql.ref<number | null>('p.value_number'));
  return sql<number | null>`case when p.value_type = 'number' then ${value} end`;
}

/** Returns whether a parameter `p` at this path has a type that is shown, and is not masked. */
function isOpenType(path: string): RawBuilder<SqlBool> {
  return openTypes[secrecyOfPath(path)];
}

const openTypes = {
  none: sql<SqlBool>`true`,
  texts: sql<SqlBool>`p.value_type in ('number', 'boolean')`,
  all: sql<SqlBool>`p.value_type = 'boolean'`,
} satisfies Record<Secrecy, RawBuilder<SqlBool>>;

/** Returns the path in a sort key `param:<path>`; null for the key of a column. */
export function paramPathOf(sortBy: string): string | null {
  return sortBy.startsWith('param:') ? sortBy.slice('param:'.length) : null;
}

/**
 * Returns the sort keys of the parameter at this path in a joined row `p`: its number, then its text. Both are NULL if
 * it is missing or masked, so that numbers come first and missing values last.
 */
export function paramOrder(
  dialect: DatabaseDialect,
  path: string,
): [RawBuilder<number | null>, RawBuilder<string | null>] {
  const isOpen = isOpenType(path);
  const text = sql<string | null>`case when ${isOpen} and p.value_type <> 'number' then
    case when not ${isMaskedText(dialect)} then ${paramText}
      when not ${isMaskedJson(dialect)} then ${paramJson} end end`;
  return [
    sql<number | null>`case when ${isOpen} then ${numberOf(dialect)} end`,
    dialect.byCodePoint(text),
  ];
}
