import { setTimeout as delay } from 'node:timers/promises';
import { Client } from 'pg';
import Sqlite from 'better-sqlite3';

/**
 * A runner with a shorter timeout than the real one. Adds an iteration to its run every 100 ms; a write that waits
 * longer than 5 s fails. Ends with the standard input and prints `{ "written": 48, "failed": 0, "longestMillis": 3 }`.
 * Arguments: the SQLite file or the URL of a PostgreSQL database, and the id of its run, which must exist.
 */
const [location = '', runId = ''] = process.argv.slice(2);
const timeoutMillis = 5_000;
const report = { written: 0, failed: 0, longestMillis: 0 };
const endController = new AbortController();
process.stdin.on('end', () => endController.abort()).resume();

const write = location.startsWith('postgres') ? await openPostgres() : openSqlite();
process.stdout.write('writing\n');
for (let iteration = 1; !endController.signal.aborted; iteration += 1) {
  const startMillis = performance.now();
  try {
    await write(iteration);
    report.written += 1;
  } catch (error) {
    report.failed += 1;
    process.stderr.write(`${String(error)}\n`);
  }
  report.longestMillis = Math.max(report.longestMillis, performance.now() - startMillis);
  await delay(100);
}
process.stdout.write(`${JSON.stringify(report)}\n`);
process.exit();

function makeStatement(iteration: number): string {
  const now = new Date().toISOString();
  return `insert into iterations (run_id, iteration, evaluations, best_fitness, mean_fitness, std_fitness, metrics_json, diagnostics_json, created_at)
    values ('${runId}', ${iteration}, ${iteration}, 1, 1, 0, '{}', '{}', '${now}')`;
}

function openSqlite(): (iteration: number) => Promise<void> {
  const database = new Sqlite(location, { timeout: timeoutMillis });
  return async (iteration) => void database.exec(makeStatement(iteration));
}

async function openPostgres(): Promise<(iteration: number) => Promise<void>> {
  const client = new Client({ connectionString: location, statement_timeout: timeoutMillis });
  await client.connect();
  return async (iteration) => void (await client.query(makeStatement(iteration)));
}
