import { setTimeout as delay } from 'node:timers/promises';
import { openStore } from './store.ts';

/**
 * Writes runs one after another as the runner does, each row in a separate transaction, until it is requested to
 * end; every second it prints what it wrote: `{ "rows": 48, "failed": 0, "millis": [0.4, …] }`.
 * Arguments: the SQLite file or the URL of a PostgreSQL database, a name for its experiments, rows per second, rows per run.
 */
const [place = '', name = '', ...numbers] = process.argv.slice(2);
const [rowsPerSecond = NaN, rowsPerRun = NaN] = numbers.map(Number);

const store = await openStore(place);

const json = JSON.stringify({ populationSize: 50, trace: Array.from({ length: 400 }, Math.sqrt) });
const experiment = {
  schema_version: '3.0',
  algorithm_type: 'umda',
  model_type: 'umda-bernoulli',
  problem_type: 'onemax',
  representation_type: 'bitstring',
  selection_type: 'truncation',
  replacement_type: 'elitist',
  stopping_type: 'max-iterations',
  max_iterations: rowsPerRun,
  config_yaml: 'schema: "3.0"\n',
  config_json: '{"schema":"3.0"}',
};
const now = () => new Date().toISOString();
let report = { rows: 0, failed: 0, millis: [] as number[] };
const ending = new AbortController();
process.on('SIGTERM', () => ending.abort());
setInterval(say, 1_000).unref();

/** Time of the next row in milliseconds. Rows that a lock delays are not written faster afterwards. */
let due = performance.now();
for (let run = 0; !ending.signal.aborted; run += 1) await writeRun(`${name}-${run}`);
say();
await store.close();

async function writeRun(id: string): Promise<void> {
  await write(() =>
    store.insert('experiments', {
      ...experiment,
      experiment_id: id,
      config_hash: id,
      created_at: now(),
    }),
  );
  await write(() =>
    store.insert('runs', {
      run_id: id,
      experiment_id: id,
      seed: 1,
      status: 'RUNNING',
      start_time: now(),
    }),
  );
  for (let iteration = 1; iteration <= rowsPerRun && !ending.signal.aborted; iteration += 1) {
    const isWritten = await write(() =>
      store.insert('iterations', {
        run_id: id,
        iteration,
        evaluations: iteration * 50,
        best_fitness: 1 / iteration,
        mean_fitness: 2 / iteration,
        std_fitness: 0,
        metrics_json: json,
        diagnostics_json: json,
        created_at: now(),
      }),
    );
    if (isWritten) report.rows += 1;
    due = Math.max(due + 1_000 / rowsPerSecond, performance.now());
    await delay(Math.max(0, due - performance.now()));
  }
  await write(() =>
    store.run(
      `update runs set status = 'COMPLETED', end_time = '${now()}', best_fitness = 0 where run_id = '${id}'`,
    ),
  );
}

/** Whether the write succeeded; its time is reported either way. */
async function write(work: () => Promise<void>): Promise<boolean> {
  const started = performance.now();
  try {
    await work();
    return true;
  } catch (error) {
    report.failed += 1;
    process.stderr.write(`${name}: ${String(error)}\n`);
    return false;
  } finally {
    report.millis.push(performance.now() - started);
  }
}

function say(): void {
  process.stdout.write(`${JSON.stringify(report)}\n`);
  report = { rows: 0, failed: 0, millis: [] };
}
