import { createHash } from 'node:crypto';
import { existsSync, globSync, mkdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import SqliteDatabase from 'better-sqlite3';
import { createExperimentRecord, toDoubles, formatJavaJson } from '#server/recording/recorder.ts';
import { createConfig } from '#server/sample/config.ts';
import { sampleExperiments } from '#server/sample/experiments.ts';
import {
  makeGenerationDiagnostics,
  measureGeneration,
  createSearch,
} from '#server/sample/search.ts';
import { openDatabase } from '#server/db/open.ts';
import { createAuxiliaryIndexes } from '#server/db/auxiliary-indexes.ts';
import { countIterations, runCount, getRunId, workload } from './workload.ts';

const folder = fileURLToPath(new URL('../../.cache/bench', import.meta.url));

/** The sources that determine the contents of the database. */
const sources = ['./generate.ts', './workload.ts'].map((path) => new URL(path, import.meta.url));

const firstStart = Date.parse('2026-01-01T00:00:00Z');
const runSpacingMillis = 97_000;
const iterationMillis = 250;
const poolSize = 50;

/** Returns the path of the database with the workload. Creates it, which takes a minute, if it does not exist. */
export async function ensureDatabase(notify: (message: string) => void): Promise<string> {
  const version = createHash('sha256');
  for (const source of sources) version.update(readFileSync(source));
  const file = join(folder, `${version.digest('hex').slice(0, 12)}.db`);
  if (existsSync(file)) return file;
  mkdirSync(folder, { recursive: true });
  for (const oldFile of globSync(join(folder, '*.db*'))) rmSync(oldFile);
  notify(`Creating ${file} (once)`);
  const temporaryFile = `${file}.part`;
  await makeTables(temporaryFile);
  fillDatabase(temporaryFile);
  await makeTables(temporaryFile);
  renameSync(temporaryFile, file);
  return file;
}

/** Creates tables and indexes with the code of the service. */
async function makeTables(file: string): Promise<void> {
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
    const experimentIds = insertExperiments(database);
    insertRuns(database, experimentIds);
    insertIterations(database);
  })();
  database.close();
}

function insertExperiments(database: SqliteDatabase.Database): string[] {
  const insertExperiment = createInserter(database, 'experiments');
  const insertParam = createInserter(database, 'experiment_params');
  return Array.from({ length: workload.experiments }, (_, index) => {
    const plan = sampleExperiments[index % sampleExperiments.length]!;
    const word = index % workload.searchTextEvery === 0 ? ` ${workload.searchText}` : '';
    const title = `${plan.title}, variant ${index}${word}`;
    const { experimentId, columns, params } = createExperimentRecord(
      createConfig(
        { ...plan, title },
        { url: 'jdbc:sqlite:bench.db', user: 'runner', password: 'not-a-secret' },
      ),
    );
    const ids = { experiment_id: experimentId, config_hash: experimentId };
    insertExperiment({ ...ids, ...columns, created_at: formatTime(firstStart) });
    for (const param of params) insertParam({ experiment_id: experimentId, ...param });
    return experimentId;
  });
}

function insertRuns(database: SqliteDatabase.Database, experimentIds: readonly string[]): void {
  const insertRun = createInserter(database, 'runs');
  const insertEvent = createInserter(database, 'events');
  const insertObjective = createInserter(database, 'run_objectives');
  for (let index = 0; index < runCount; index++) {
    const run_id = getRunId(index);
    const iterations = countIterations(index);
    const start = getStart(index);
    const end = start + iterations * iterationMillis;
    const best = getFitness(index, iterations);
    insertRun({
      run_id,
      experiment_id: experimentIds[index % workload.experiments]!,
      seed: 1001 + Math.floor(index / workload.experiments),
      status: 'COMPLETED',
      start_time: formatTime(start),
      end_time: formatTime(end),
      iterations: iterations - 1,
      evaluations: iterations * 60,
      best_fitness: best,
      best_summary: '1'.repeat(40),
      runtime_millis: end - start,
      artifacts_json: `{"database":"jdbc:sqlite:bench.db","bestGenotype":"${'1'.repeat(40)}"}`,
    });
    insertObjective({ run_id, objective_name: 'best_obj_0', objective_value: best });
    for (const [event_type, time] of [
      ['run_started', start],
      ['run_completed', end],
    ] as const) {
      const payload_json = `{"runId":"${run_id}","timestamp":${time / 1000}}`;
      insertEvent({ run_id, event_type, payload_json, created_at: formatTime(time) });
    }
  }
}

function insertIterations(database: SqliteDatabase.Database): void {
  const insertIteration = createInserter(database, 'iterations');
  const fullJson = makeRealisticJson();
  const smallJson = {
    metrics_json: '{"best":1.0,"mean":0.5,"std":0.1}',
    diagnostics_json: '{"populationSize":60,"eliteSize":24,"adaptiveActions":[]}',
  };
  for (let index = 0; index < runCount; index++) {
    const run_id = getRunId(index);
    const hasFullJson = index % workload.fullJsonEvery === 0;
    for (let iteration = 0; iteration < countIterations(index); iteration++) {
      const best_fitness = getFitness(index, iteration);
      insertIteration({
        run_id,
        iteration,
        evaluations: (iteration + 1) * 60,
        best_fitness,
        mean_fitness: best_fitness * 0.8,
        std_fitness: best_fitness * 0.07,
        ...(hasFullJson ? fullJson[iteration % fullJson.length]! : smallJson),
        ...(index === workload.largeJson.index && makeLargeJson(iteration)),
        created_at: formatTime(getStart(index) + iteration * iterationMillis),
      });
    }
  }
}

/** Returns JSON with the sizes and a model of some thousand probabilities, between the minimum and the maximum bytes. */
function makeLargeJson(iteration: number): { diagnostics_json: string } {
  const { minimumBytes, maximumBytes } = workload.largeJson;
  const bytes = minimumBytes + ((iteration * 7_919) % (maximumBytes - minimumBytes));
  const makeEntry = (index: number) => `"x${index}":${((index * 0.618) % 1).toFixed(12)}`;
  const entries = Array.from({ length: Math.floor(bytes / 22) }, (_, index) => makeEntry(index));
  const sizes = '"populationSize":60,"eliteSize":24';
  return {
    diagnostics_json: `{${sizes},"model":{${entries.join()}},"adaptiveActions":[]}`,
  };
}

/** Returns JSON of the first generations of a real search over 60 bits. */
function makeRealisticJson(): { metrics_json: string; diagnostics_json: string }[] {
  const plan = sampleExperiments.find(({ key }) => key === 'onemax60-stopped')!;
  const search = createSearch(plan, 1n);
  let generation = search.start();
  return Array.from({ length: poolSize }, () => {
    generation = search.advance(generation);
    return {
      metrics_json: formatJavaJson(toDoubles(measureGeneration(generation))),
      diagnostics_json: formatJavaJson(makeGenerationDiagnostics(generation)),
    };
  });
}

/** Returns a fitness that rises towards 40, at a speed and to a height that differ between runs. */
function getFitness(index: number, iteration: number): number {
  const height = 38 + (index % 5) / 2;
  return height - 20 / (1 + iteration / (10 + (index % 17)));
}

function getStart(index: number): number {
  return firstStart + index * runSpacingMillis;
}

function formatTime(millis: number): string {
  return `${new Date(millis).toISOString().slice(0, -1)}000000Z`;
}

type Row = Record<string, string | number | null>;

/** Returns a function that inserts rows. All rows must have the columns of the first one. */
function createInserter(database: SqliteDatabase.Database, table: string): (row: Row) => void {
  let statement: SqliteDatabase.Statement | undefined;
  return (row) => {
    statement ??= database.prepare(
      `insert into ${table} (${Object.keys(row).join()})
       values (${Object.keys(row)
         .map((column) => `@${column}`)
         .join()})`,
    );
    statement.run(row);
  };
}
