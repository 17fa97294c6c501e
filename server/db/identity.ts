import { createHash } from 'node:crypto';
import { replacedDetail } from '#shared/words.ts';
import { makeMissingDatabaseError, ProblemError } from '#server/errors.ts';
import type { Database } from './database.ts';

/** The identity of a database whose file is missing; see {@link DatabaseDialect.readIdentity}. */
export const missingIdentity = 'missing';

/** Returns an identity of 16 hexadecimal digits, a hash of properties that together only one database has. */
export function hashIdentity(parts: readonly unknown[]): string {
  return createHash('sha256').update(parts.map(String).join('\n')).digest('hex').slice(0, 16);
}

/** Returns DATABASE_CHANGED for a database that the user has not confirmed, or that another database has replaced. */
export function makeReplacedError(): ProblemError {
  return new ProblemError(
    'DATABASE_CHANGED',
    'Another program replaced or deleted the database to confirm, so the service changed nothing. Open it again',
  );
}

/**
 * Returns the database limited to this identity: its write transactions check the identity before their first statement
 * and before the commit, so they write nothing to a replacement. This function and the transactions reject with
 * DATABASE_CHANGED if another database has replaced this one. On SQLite, they also do so if another write-ahead log has
 * replaced the log of this database. They reject with DATABASE_UNAVAILABLE if the file of the database is missing. On
 * SQLite, a transaction may reject with a {@link LostLogError} instead.
 */
export async function limitToIdentity(database: Database, identity: string): Promise<Database> {
  const { dialect } = database;
  await requireIdentity(database, identity);
  return {
    ...database,
    dialect: {
      ...dialect,
      withWriteTransaction: (work) =>
        dialect.withWriteTransaction(async (transaction) => {
          await requireIdentity(database, identity, transaction);
          const result = await work(transaction);
          await requireIdentity(database, identity, transaction);
          return result;
        }),
    },
  };
}

async function requireIdentity(
  { dialect, location, isCurrent }: Database,
  expectedIdentity: string,
  kysely?: Database['kysely'],
): Promise<void> {
  const identity = await dialect.readIdentity(kysely);
  if (identity === missingIdentity)
    throw makeMissingDatabaseError(location.dialect === 'sqlite' ? location.file : '');
  // The open file may differ from the file at the path.
  if (identity === expectedIdentity && isCurrent()) return;
  throw new ProblemError('DATABASE_CHANGED', replacedDetail);
}
