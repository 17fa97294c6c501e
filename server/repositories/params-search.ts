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
 * Returns whether a flattened parameter, a row `p`, contains `part` in its path, its text or its JSON value. Masked
 * values are excluded, because a search could reveal a secret letter by letter: those under a path with a secret word,
 * and those that contain one or a URL with credentials. The leaves of such a JSON value are separate rows and still
 * match.
 */
export function paramMatches(dialect: DatabaseDialect, part: string): RawBuilder<SqlBool> {
  const isSecretPath = holdsSecretWord(dialect, path);
  return sql<SqlBool>`(${dialect.containsText(path, part)}
    or (${dialect.containsText(paramText, part)} and not (${isSecretPath} or ${isMaskedText(dialect)}))
    or (${dialect.containsText(paramJson, part)} and not (${isSecretPath} or ${isMaskedJson(dialect)})))`;
}

/** Returns whether the text of a parameter `p` may be masked, whatever its path: a URL with credentials, or a pair. */
export function isMaskedText(dialect: DatabaseDialect): RawBuilder<SqlBool> {
  return sql<SqlBool>`(${holdsCredentials(dialect, paramText)}
    or ((${paramText} like '%=%' or ${paramText} like '%:%') and ${holdsSecretWord(dialect, paramText)}))`;
}

/** Returns whether a part of the JSON of a parameter `p` may be masked. */
export function isMaskedJson(dialect: DatabaseDialect): RawBuilder<SqlBool> {
  return sql<SqlBool>`(${holdsCredentials(dialect, paramJson)} or ${holdsSecretWord(dialect, paramJson)})`;
}

function holdsSecretWord(dialect: DatabaseDialect, value: Text): RawBuilder<SqlBool> {
  return containsAny(dialect, value, secretWords);
}

function holdsCredentials(dialect: DatabaseDialect, value: Text): RawBuilder<SqlBool> {
  return sql<SqlBool>`(${value} like '%:%//%@%' or ${containsAny(dialect, value, escapedLetters)})`;
}
