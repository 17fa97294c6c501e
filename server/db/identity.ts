import { createHash } from 'node:crypto';
import { replacedDetail } from '#shared/words.ts';
import { missingDatabase, ProblemError } from '#server/errors.ts';
import type { Database } from './database.ts';

/** The identity of a database whose file is not there; see {@link DatabaseDialect.identity}. */
export const missingIdentity = 'missing';

/** An identity made from what only one database has. */
export function identityFrom(parts: readonly unknown[]): string {
  return createHash('sha256').update(parts.map(String).join('\n')).digest('hex').slice(0, 16);
}

/** The error of a database that took the place of the one that a user was asked about. */
export function replacedProblem(): ProblemError {
  return new ProblemError(
    'DATABASE_CHANGED',
    'The database that the question was about was replaced or removed, so nothing was changed. Open it again',
  );
}

/**
 * The database, limited to the one with this identity: its write transactions compare before their first statement and
 * before the commit, where nothing that took the place of the database can be written any more. Rejects, as they do, with
 * DATABASE_CHANGED when another database has taken its place, and with DATABASE_UNAVAILABLE when its file is missing.
 */
export async function limitedTo(database: Database, identity: string): Promise<Database> {
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
  { dialect, source, isCurrent }: Database,
  expected: string,
  kysely?: Database['kysely'],
): Promise<void> {
  const identity = await dialect.identity(kysely);
  if (identity === missingIdentity)
    throw missingDatabase(source.dialect === 'sqlite' ? source.file : '');
  // What is open may be another file than the one at the path.
  if (identity === expected && isCurrent()) return;
  throw new ProblemError('DATABASE_CHANGED', replacedDetail);
}
