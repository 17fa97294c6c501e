import { sql, type RawBuilder, type SqlBool } from 'kysely';
import type { DatabaseDialect } from '#server/db/dialect.ts';
import { escapedLetters, secretWords } from '#server/domain/secrets/secret-words.ts';
import { containsAny } from './list.ts';

type Text = RawBuilder<string | null>;

/** Columns of a flattened parameter, a row `p`. */
export const paramText: Text = sql.ref<string | null>('p.value_text');
export const paramJson: Text = sql.ref<string | null>('p.value_json');
const path = sql.ref<string>('p.param_path');

/**
 * Whether a flattened parameter, a row `p`, shows `part` in its path, its text value or its JSON value.
 * Values that are sent masked are left out, or the search would tell a secret letter by letter: those under
 * a path with a secret word, and those that hold one or a URL with credentials. Nothing is lost by that: the
 * leaves of such a JSON value are rows of their own.
 */
export function paramMatches(dialect: DatabaseDialect, part: string): RawBuilder<SqlBool> {
  const isSecretPath = holdsSecretWord(dialect, path);
  return sql<SqlBool>`(${dialect.containsText(path, part)}
    or (${dialect.containsText(paramText, part)} and not (${isSecretPath} or ${isMaskedText(dialect)}))
    or (${dialect.containsText(paramJson, part)} and not (${isSecretPath} or ${isMaskedJson(dialect)})))`;
}

/** Whether the text of a parameter `p` may be sent masked, whatever its path: a URL with credentials, a pair. */
export function isMaskedText(dialect: DatabaseDialect): RawBuilder<SqlBool> {
  return sql<SqlBool>`(${holdsCredentials(dialect, paramText)}
    or ((${paramText} like '%=%' or ${paramText} like '%:%') and ${holdsSecretWord(dialect, paramText)}))`;
}

/** Whether a part of the JSON of a parameter `p` may be sent masked. */
export function isMaskedJson(dialect: DatabaseDialect): RawBuilder<SqlBool> {
  return sql<SqlBool>`(${holdsCredentials(dialect, paramJson)} or ${holdsSecretWord(dialect, paramJson)})`;
}

function holdsSecretWord(dialect: DatabaseDialect, value: Text): RawBuilder<SqlBool> {
  return containsAny(dialect, value, secretWords);
}

function holdsCredentials(dialect: DatabaseDialect, value: Text): RawBuilder<SqlBool> {
  return sql<SqlBool>`(${value} like '%:%//%@%' or ${containsAny(dialect, value, escapedLetters)})`;
}
