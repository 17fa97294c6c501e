import { setTimeout as delay } from 'node:timers/promises';
import { openStore } from './store.ts';

/**
 * Writes runs one after another like the runner, each row in a separate transaction, until SIGTERM. Prints a report
 * every second: `{ "rows": 48, "failedWrites": 0, "millis": [0.4, …] }`. Arguments: the SQLite file or the URL of a
 * PostgreSQL database, a name for its experiments, rows per second, rows per run, and `endless` for a run that returns
 * to its middle instead of its end, like one that is resumed from a checkpoint.
 */
const [location = '', name = '', rowsPerSecond = '', rows = '', mode] = process.argv.slice(2);
const rowMillis = 1_000 / Number(rowsPerSecond);
const rowsPerRun = Number(rows);
const isEndless = mode === 'endless';

const store = await openStore(location);

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
const formatNow = () => new Date().toISOString();
let report = { rows: 0, failedWrites: 0, millis: [] as number[] };
const endController = new AbortController();
process.on('SIGTERM', () => endController.abort());
setInterval(printReport, 1_000).unref();

/** Time of the next row in milliseconds. Rows that a lock delays are not written faster afterwards. */
let dueMillis = performance.now();
for (let run = 0; !endController.signal.aborted; run += 1) await writeRun(`${name}-${run}`);
printReport();
await store.close();

async function writeRun(id: string): Promise<void> {
  await write(() =>
    store.insert('experiments', {
      ...experiment,
      experiment_id: id,
      config_hash: id,
      created_at: formatNow(),
    }),
  );
  await write(() =>
    store.insert('runs', {
      run_id: id,
      experiment_id: id,
      seed: 1,
      status: 'RUNNING',
      start_time: formatNow(),
    }),
  );
  for (
    let iteration = 1;
    iteration <= rowsPerRun && !endController.signal.aborted;
    iteration += 1
  ) {
    const isStored = await write(() =>
      store.insert('iterations', {
        run_id: id,
        iteration,
        evaluations: iteration * 50,
        best_fitness: 1 / iteration,
        mean_fitness: 2 / iteration,
        std_fitness: 0,
        metrics_json: json,
        diagnostics_json: json,
        created_at: formatNow(),
      }),
    );
    if (isStored) report.rows += 1;
    dueMillis = Math.max(dueMillis + rowMillis, performance.now());
    await delay(Math.max(0, dueMillis - performance.now()));
    if (isEndless && iteration === rowsPerRun) iteration = await returnToMiddle(id);
  }
  await write(() =>
    store.run(
      `update runs set status = 'COMPLETED', end_time = '${formatNow()}', best_fitness = 0 where run_id = '${id}'`,
    ),
  );
}

/** Deletes the second half of the rows of a run; returns its last iteration. */
async function returnToMiddle(id: string): Promise<number> {
  const iteration = Math.floor(rowsPerRun / 2);
  await write(() =>
    store.run(`delete from iterations where run_id = '${id}' and iteration > ${iteration}`),
  );
  return iteration;
}

/** Returns whether the write succeeded. Reports its time in both cases. */
async function write(work: () => Promise<void>): Promise<boolean> {
  const startMillis = performance.now();
  try {
    await work();
    return true;
  } catch (error) {
    report.failedWrites += 1;
    process.stderr.write(`${name}: ${String(error)}\n`);
    return false;
  } finally {
    report.millis.push(performance.now() - startMillis);
  }
}

function printReport(): void {
  process.stdout.write(`${JSON.stringify(report)}\n`);
  report = { rows: 0, failedWrites: 0, millis: [] };
}
