import { createInterface } from 'node:readline';
import SqliteDatabase from 'better-sqlite3';
import { openDatabase } from '#server/db/open.ts';
import { parseDatabaseUrl } from '#server/db/url.ts';

const unprivilegedId = 65_534;

/**
 * Continues as a user who owns nothing. Loads all code first, because that user may be unable to enter the folder of
 * the project.
 */
function dropPrivileges(): void {
  new SqliteDatabase(':memory:').close();
  process.setgroups?.([]);
  process.setgid?.(unprivilegedId);
  process.setuid?.(unprivilegedId);
}

/**
 * Opens the database of the first argument and prints its properties as JSON. Then prints the number of runs for every
 * line `runs` of the input, and closes the database at the end of the input. Prints `failed:` and the error if it
 * cannot open the database.
 */
async function main(url: string, privileges: string | undefined): Promise<void> {
  if (privileges === 'drop-privileges') dropPrivileges();
  const database = await openDatabase(parseDatabaseUrl(url, { workingDirectory: '/' }));
  const { isReadOnly, ertColumn, name } = database;
  process.stdout.write(`${JSON.stringify({ isReadOnly, ertColumn, name })}\n`);
  for await (const line of createInterface(process.stdin)) {
    if (line !== 'runs') throw new Error(`unknown line ${line}`);
    const runs = await database.kysely.selectFrom('runs').select('run_id').execute();
    process.stdout.write(`${runs.length}\n`);
  }
  await database.close();
}

await main(process.argv[2] ?? '', process.argv[3]).catch((error: unknown) => {
  process.stdout.write(`failed: ${error instanceof Error ? error.message : String(error)}\n`);
});
