import { createHash } from 'node:crypto';
import { existsSync, globSync, mkdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import SqliteDatabase from 'better-sqlite3';
import { createExperimentRecord } from '#server/recording/recorder.ts';
import { createConfig } from '#server/sample/config.ts';
import { sampleExperiments } from '#server/sample/experiments.ts';
import { openDatabase } from '#server/db/open.ts';
import { createAuxiliaryIndexes } from '#server/db/auxiliary-indexes.ts';

/**
 * The analysed data: the numbers of algorithms of one problem, of runs of each algorithm, and of iterations of each
 * run. Each algorithm is faster than the previous one by `gain`.
 */
export const analysisWorkloads = {
  small: { problemType: 'bench-small', algorithms: 1, runs: 50, iterations: 200, gain: 0 },
  large: { problemType: 'bench-large', algorithms: 1, runs: 1_000, iterations: 1_000, gain: 0 },
  groups: { problemType: 'bench-groups', algorithms: 5, runs: 50, iterations: 200, gain: 0 },
  crowd: { problemType: 'bench-crowd', algorithms: 550, runs: 20, iterations: 100, gain: 0 },
  eight: { problemType: 'bench-eight', algorithms: 8, runs: 30, iterations: 200, gain: 0.08 },
  thirty: { problemType: 'bench-thirty', algorithms: 30, runs: 30, iterations: 200, gain: 0.02 },
} as const;

export type AnalysisWorkload = (typeof analysisWorkloads)[keyof typeof analysisWorkloads];

const folder = fileURLToPath(new URL('../../.cache/bench-analysis', import.meta.url));

const evaluationsPerIteration = 60;
const startMillis = Date.parse('2026-01-01T00:00:00Z');

/** Returns the id of the experiment of an algorithm. It has the length of the runner's ids. */
export function getExperimentId({ problemType }: AnalysisWorkload, algorithm: number): string {
  return createHash('sha256').update(`${problemType} ${algorithm}`).digest('hex');
}

/** Returns the path of the database with the workloads. Creates it, which takes a minute, if it does not exist. */
export async function ensureAnalysisDatabase(notify: (message: string) => void): Promise<string> {
  const source = readFileSync(fileURLToPath(import.meta.url));
  const version = createHash('sha256').update(source).digest('hex').slice(0, 12);
  const file = join(folder, `${version}.db`);
  if (existsSync(file)) return file;
  mkdirSync(folder, { recursive: true });
  for (const oldFile of globSync(join(folder, '*.db*'))) rmSync(oldFile);
  notify(`Creating ${file} (once)`);
  const temporaryFile = `${file}.part`;
  await openAndClose(temporaryFile);
  fillDatabase(temporaryFile);
  await openAndClose(temporaryFile);
  renameSync(temporaryFile, file);
  return file;
}

/** Creates tables and indexes with the code of the service. */
export async function openAndClose(file: string): Promise<void> {
  const database = await openDatabase({ dialect: 'sqlite', file, mode: 'rwc', isImmutable: false });
  await createAuxiliaryIndexes(database);
  await database.close();
}

function fillDatabase(file: string): void {
  const database = new SqliteDatabase(file);
  for (const pragma of ['journal_mode = off', 'synchronous = off', 'cache_size = -200000']) {
    database.pragma(pragma);
  }
  database.transaction(() => {
    for (const workload of Object.values(analysisWorkloads)) insertWorkload(database, workload);
  })();
  database.close();
}

function insertWorkload(database: SqliteDatabase.Database, workload: AnalysisWorkload): void {
  const plan = sampleExperiments[0]!;
  const source = { url: 'jdbc:sqlite:bench.db', user: 'runner', password: 'not-a-secret' };
  const { columns } = createExperimentRecord(createConfig(plan, source));
  for (let algorithm = 0; algorithm < workload.algorithms; algorithm++) {
    const experiment_id = getExperimentId(workload, algorithm);
    insertRow(database, 'experiments', {
      experiment_id,
      config_hash: experiment_id,
      ...columns,
      algorithm_type: `algorithm-${algorithm}`,
      problem_type: workload.problemType,
      created_at: new Date(startMillis).toISOString(),
    });
    for (let run = 0; run < workload.runs; run++) {
      insertRun(database, workload, experiment_id, algorithm, run);
    }
  }
}

function insertRun(
  database: SqliteDatabase.Database,
  { problemType, iterations, gain }: AnalysisWorkload,
  experiment_id: string,
  algorithm: number,
  run: number,
): void {
  const getRunFitness = (iteration: number) =>
    getFitness(algorithm, run, iteration * (1 + gain * algorithm));
  const run_id = `${problemType}-a${algorithm}-r${String(run).padStart(4, '0')}`;
  insertRow(database, 'runs', {
    run_id,
    experiment_id,
    seed: 1001 + run,
    status: 'COMPLETED',
    start_time: new Date(startMillis + run * 1_000).toISOString(),
    iterations,
    evaluations: iterations * evaluationsPerIteration,
    best_fitness: getRunFitness(iterations),
    runtime_millis: 1_000 + run,
  });
  for (let iteration = 0; iteration < iterations; iteration++) {
    insertRow(database, 'iterations', {
      run_id,
      iteration,
      evaluations: (iteration + 1) * evaluationsPerIteration,
      best_fitness: getRunFitness(iteration),
      mean_fitness: 1,
      std_fitness: 1,
      metrics_json: '{"best":1.0}',
      diagnostics_json: '{"populationSize":60,"eliteSize":24,"adaptiveActions":[]}',
      created_at: new Date(startMillis).toISOString(),
    });
  }
}

/** Returns a fitness that falls to zero at a speed that differs between runs. It sometimes rises a little. */
function getFitness(algorithm: number, run: number, iteration: number): number {
  const speed = 0.005 * (1 + ((run * 7 + algorithm * 3) % 23) / 10);
  return 100 * Math.exp(-speed * iteration) * (1 + 0.05 * Math.sin(iteration * 1.7 + run));
}

const statements = new WeakMap<SqliteDatabase.Database, Map<string, SqliteDatabase.Statement>>();

/** Inserts a row with a statement that is prepared once per table. */
export function insertRow(
  database: SqliteDatabase.Database,
  table: string,
  row: Record<string, string | number | null>,
): void {
  const tableStatements = statements.get(database) ?? new Map<string, SqliteDatabase.Statement>();
  statements.set(database, tableStatements);
  const columns = Object.keys(row);
  const placeholders = columns.map((column) => `@${column}`).join();
  const insertStatement =
    tableStatements.get(table) ??
    database.prepare(`insert into ${table} (${columns.join()}) values (${placeholders})`);
  tableStatements.set(table, insertStatement);
  insertStatement.run(row);
}
