import { createInterface } from 'node:readline';
import SqliteDatabase from 'better-sqlite3';
import { openDatabase } from '#server/db/open.ts';
import { parseDatabaseUrl } from '#server/db/url.ts';

const nobody = 65_534;

/**
 * Goes on as a user who owns nothing. By then all that it is made of is loaded, as that user may be unable to enter
 * the project's folder.
 */
function dropPrivileges(): void {
  new SqliteDatabase(':memory:').close();
  process.setgroups?.([]);
  process.setgid?.(nobody);
  process.setuid?.(nobody);
}

/**
 * A separate program that opens the database of its first argument, prints what it opened as JSON, then
 * the number of runs for every line `runs` that it reads, and closes it at the end of its input. Prints `failed:` and
 * the sentence when it cannot open it.
 */
async function main(url: string, privileges: string | undefined): Promise<void> {
  if (privileges === 'drop-privileges') dropPrivileges();
  const database = await openDatabase(parseDatabaseUrl(url, { workingDirectory: '/' }));
  const { readOnly, ertColumn, name } = database;
  process.stdout.write(`${JSON.stringify({ readOnly, ertColumn, name })}\n`);
  for await (const question of createInterface(process.stdin)) {
    if (question !== 'runs') throw new Error(`unknown question ${question}`);
    const runs = await database.kysely.selectFrom('runs').select('run_id').execute();
    process.stdout.write(`${runs.length}\n`);
  }
  await database.close();
}

await main(process.argv[2] ?? '', process.argv[3]).catch((error: unknown) => {
  process.stdout.write(`failed: ${error instanceof Error ? error.message : String(error)}\n`);
});
