import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import SqliteDatabase from 'better-sqlite3';
import { openDatabase } from '#server/db/open.ts';

/** Content of the database in which long turns are measured. */
export const turns = {
  /** Number of rounds. Each deletes a separate large experiment. */
  rounds: 3,
  runs: 60_000,
  runsPerExperiment: 20,
  heavyIterations: 60_000,
  configBytes: 5_000_000,
  getHeavyExperimentId: (index: number) => `heavy-${index}`,
  getHeavyRunId: (index: number) => `heavy-run-${index}`,
  longConfigId: 'long-config',
} as const;

const iterationJson = JSON.stringify({ populationSize: 50, eliteSize: 8, x: 'x'.repeat(10_000) });

/** Creates a database of this workload. Takes half a minute and 2 GB. */
export async function makeTurnsDatabase(): Promise<{ file: string; remove: () => void }> {
  const folder = mkdtempSync(join(tmpdir(), 'evoscope-turns-'));
  const file = join(folder, 'turns.db');
  const remove = () => rmSync(folder, { recursive: true, force: true });
  try {
    const tables = await openDatabase({ dialect: 'sqlite', file, mode: 'rwc', isImmutable: false });
    await tables.close();
    fillDatabase(file);
    return { file, remove };
  } catch (error) {
    remove();
    throw error;
  }
}

function fillDatabase(file: string): void {
  const database = new SqliteDatabase(file);
  database.pragma('synchronous = off');
  const insertExperiment = database.prepare(
    `insert into experiments select @id, @id, '3.0', 'plain', 'umda', 'umda-bernoulli', 'onemax', 'bitstring',
       'truncation', 'elitist', 'max-iterations', 10, @config, @config, '2026-01-01T00:00:00Z'`,
  );
  const insertRuns = database.prepare(
    `insert into runs (run_id, experiment_id, seed, status, start_time, best_fitness)
     with recursive n(n) as (select 1 union all select n + 1 from n where n < @count)
     select @id || '-' || n, @id, n, 'COMPLETED', '2026-01-01T00:00:00Z', n from n`,
  );
  const insertIterations = database.prepare(
    `insert into iterations (run_id, iteration, evaluations, best_fitness, mean_fitness, std_fitness,
       metrics_json, diagnostics_json, created_at)
     with recursive n(n) as (select 0 union all select n + 1 from n where n + 1 < @count)
     select @id, n, n * 50, n, n, 1, '{}', @json, '2026-01-01T00:00:00Z' from n`,
  );
  database.transaction(() => {
    for (let index = 0; index < turns.runs / turns.runsPerExperiment; index++) {
      insertExperiment.run({ id: `plain-${index}`, config: '{}' });
      insertRuns.run({ id: `plain-${index}`, count: turns.runsPerExperiment });
    }
    const config = JSON.stringify({
      password: 'x',
      list: 'secret=1 '.repeat(turns.configBytes / 9),
    });
    insertExperiment.run({ id: turns.longConfigId, config });
    for (let index = 0; index < turns.rounds; index++) {
      const id = turns.getHeavyExperimentId(index);
      insertExperiment.run({ id, config: '{}' });
      insertRuns.run({ id, count: 1 });
      database
        .prepare(`update runs set run_id = ? where experiment_id = ?`)
        .run(turns.getHeavyRunId(index), id);
      insertIterations.run({
        id: turns.getHeavyRunId(index),
        count: turns.heavyIterations,
        json: iterationJson,
      });
    }
  })();
  database.close();
}
