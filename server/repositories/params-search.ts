import { sql, type RawBuilder, type SqlBool } from 'kysely';
import type { DatabaseDialect } from '#server/db/dialect.ts';

const path = sql.ref<string>('p.param_path');
const text = sql.ref<string | null>('p.value_text');
const json = sql.ref<string | null>('p.value_json');

/**
 * Whether a flattened parameter, a row `p`, shows `part` in its path, its text value or its JSON value.
 * Values that are sent masked are left out, or the search would tell a secret letter by letter: those under
 * a path with a secret word, and those that hold one or a URL with credentials. Nothing is lost by that: the
 * leaves of such a JSON value are rows of their own.
 */
export function paramShows(
  dialect: DatabaseDialect,
  part: string,
  secretWords: readonly string[],
): RawBuilder<SqlBool> {
  const holdsSecretWord = (value: typeof text) =>
    sql.join(
      secretWords.map((word) => dialect.containsText(value, word)),
      sql` or `,
    );
  return sql<SqlBool>`(${dialect.containsText(path, part)}
    or (${dialect.containsText(text, part)} and not (${holdsSecretWord(path)}
      or ${text} like '%:%//%@%' or (${text} like '%=%' and (${holdsSecretWord(text)}))))
    or (${dialect.containsText(json, part)} and not (${holdsSecretWord(path)}
      or ${json} like '%:%//%@%' or ${holdsSecretWord(json)})))`;
}
