import { setTimeout as delay } from 'node:timers/promises';
import { Client } from 'pg';
import Sqlite from 'better-sqlite3';

/**
 * A runner that is less patient than the real one: every 100 ms it adds an iteration to its run, and a write fails that
 * has to wait longer than 5 s. Ends with standard input and prints `{ "written": 48, "failed": 0, "longestMillis": 3 }`.
 * Arguments: the SQLite file or the URL of a PostgreSQL database, and the id of its run, which exists.
 */
const [place = '', runId = ''] = process.argv.slice(2);
const patienceMillis = 5_000;
const report = { written: 0, failed: 0, longestMillis: 0 };
const ending = new AbortController();
process.stdin.on('end', () => ending.abort()).resume();

const write = place.startsWith('postgres') ? await openPostgres() : openSqlite();
process.stdout.write('writing\n');
for (let iteration = 1; !ending.signal.aborted; iteration += 1) {
  const started = performance.now();
  try {
    await write(iteration);
    report.written += 1;
  } catch (error) {
    report.failed += 1;
    process.stderr.write(`${String(error)}\n`);
  }
  report.longestMillis = Math.max(report.longestMillis, performance.now() - started);
  await delay(100);
}
process.stdout.write(`${JSON.stringify(report)}\n`);
process.exit();

function statement(iteration: number): string {
  const now = new Date().toISOString();
  return `insert into iterations (run_id, iteration, evaluations, best_fitness, mean_fitness, std_fitness, metrics_json, diagnostics_json, created_at)
    values ('${runId}', ${iteration}, ${iteration}, 1, 1, 0, '{}', '{}', '${now}')`;
}

function openSqlite(): (iteration: number) => Promise<void> {
  const handle = new Sqlite(place, { timeout: patienceMillis });
  return async (iteration) => void handle.exec(statement(iteration));
}

async function openPostgres(): Promise<(iteration: number) => Promise<void>> {
  const client = new Client({ connectionString: place, statement_timeout: patienceMillis });
  await client.connect();
  return async (iteration) => void (await client.query(statement(iteration)));
}
