import { createHash } from 'node:crypto';
import { existsSync, globSync, mkdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import SqliteDatabase from 'better-sqlite3';
import { insertRow, openAndClose } from './analysis-workload.ts';
import { fetchText, computeQuantile, measureResponse, type Timings } from './measure.ts';
import { isSelected, print, printTimings } from './report.ts';
import { startFloor, startService, stopProcess, type ServingProcess } from './serving-process.ts';

const firstTitle = 'ECDF of 8,640 trials × 50, cold';
const changedTitle = 'other targets and budgets of 8,640 trials';

const maximumFirstRatio = 2.5;
const maximumChangedMillis = 100;
const rounds = 5;

const functions = 24;
const dimensions = [2, 3, 5, 10, 20, 40];
const instances = 15;
const iterations = 50;

const folder = fileURLToPath(new URL('../../.cache/bench-coco', import.meta.url));

/** Measures the ECDF of a whole campaign. Returns the number of exceeded limits. */
export async function compareCampaigns(): Promise<number> {
  if (![firstTitle, changedTitle].some(isSelected)) return 0;
  const file = await ensureDatabase();
  const floor = await startFloor(file);
  try {
    const results: boolean[] = [];
    if (isSelected(firstTitle)) results.push(await isFirstTooSlow(file, floor));
    if (isSelected(changedTitle)) results.push(await isChangedTooSlow(file));
    return results.filter(Boolean).length;
  } finally {
    await stopProcess(floor);
  }
}

const getEcdf = (campaign: string, { origin }: ServingProcess) =>
  `${origin}/api/coco/campaigns/${campaign}/ecdf`;

/** Measures a service that has responded for another campaign, so that the times exclude compilation. */
async function isFirstTooSlow(file: string, floor: ServingProcess): Promise<boolean> {
  const timings: Timings = { service: [], floor: [] };
  for (let round = 0; round < rounds; round++) {
    const service = await startService(file);
    try {
      for (let warmUp = 0; warmUp < 40; warmUp++) {
        await fetchText(`${getEcdf('small', service)}?budget=${warmUp + 1}`);
      }
      timings.floor.push(await measureResponse(`${floor.origin}/scan-campaign`));
      timings.service.push(await measureResponse(getEcdf('whole', service)));
    } finally {
      await stopProcess(service);
    }
  }
  const ratio = printTimings(firstTitle, timings);
  if (ratio > maximumFirstRatio) process.stderr.write(`The first ECDF takes ${ratio} times\n`);
  return ratio > maximumFirstRatio;
}

async function isChangedTooSlow(file: string): Promise<boolean> {
  const service = await startService(file);
  const times: number[] = [];
  try {
    for (let round = -10; round < 30; round++) {
      const firstExponent = (2 - round / 100).toFixed(2);
      const url = `${getEcdf('whole', service)}?targets=${firstExponent}..-8:51&budget=${round + 1000}`;
      const millis = await measureResponse(url);
      if (round >= 0) times.push(millis);
    }
  } finally {
    await stopProcess(service);
  }
  const millis = computeQuantile(times, 0.5);
  print([changedTitle, `${millis.toFixed(2)} ms`, `${computeQuantile(times, 0.99).toFixed(2)} ms`]);
  if (millis > maximumChangedMillis) process.stderr.write('Other targets take too long\n');
  return millis > maximumChangedMillis;
}

/** Returns the path of the database with the campaigns. Creates it if it does not exist. */
async function ensureDatabase(): Promise<string> {
  const source = readFileSync(fileURLToPath(import.meta.url));
  const version = createHash('sha256').update(source).digest('hex').slice(0, 12);
  const file = join(folder, `${version}.db`);
  if (existsSync(file)) return file;
  mkdirSync(folder, { recursive: true });
  for (const oldFile of globSync(join(folder, '*.db*'))) rmSync(oldFile);
  const temporaryFile = `${file}.part`;
  await openAndClose(temporaryFile);
  const database = new SqliteDatabase(temporaryFile);
  database.transaction(() => {
    insertCampaign(database, 'small', ['a'], [2]);
    insertCampaign(database, 'whole', ['a', 'b', 'c', 'd'], dimensions);
  })();
  database.close();
  await openAndClose(temporaryFile);
  renameSync(temporaryFile, file);
  return file;
}

const created_at = '2026-01-01T00:00:00Z';

function insertCampaign(
  database: SqliteDatabase.Database,
  campaign_id: string,
  optimizers: readonly string[],
  campaignDimensions: readonly number[],
): void {
  insertRow(database, 'coco_campaigns', {
    campaign_id,
    name: campaign_id,
    suite: 'bbob',
    dimensions_json: JSON.stringify(campaignDimensions),
    instances_json: JSON.stringify(Array.from({ length: instances }, (_, index) => index + 1)),
    functions_json: JSON.stringify(Array.from({ length: functions }, (_, index) => index + 1)),
    status: 'COMPLETED',
    created_at,
  });
  for (const [speed, optimizer_id] of optimizers.entries()) {
    for (const dimension of campaignDimensions) {
      for (let function_id = 1; function_id <= functions; function_id++) {
        insertCell(database, { campaign_id, optimizer_id, dimension, function_id }, speed);
      }
    }
  }
}

type Cell = Record<'campaign_id' | 'optimizer_id', string> &
  Record<'dimension' | 'function_id', number>;

function insertCell(database: SqliteDatabase.Database, cell: Cell, speed: number): void {
  const experiment_id = Object.values(cell).join('-');
  const types = ['algorithm', 'model', 'problem', 'representation', 'selection', 'replacement'];
  insertRow(database, 'experiments', {
    experiment_id,
    config_hash: experiment_id,
    schema_version: '3.0',
    ...Object.fromEntries([...types, 'stopping'].map((type) => [`${type}_type`, 'x'])),
    config_yaml: '',
    config_json: '{}',
    created_at,
  });
  for (let instance_id = 1; instance_id <= instances; instance_id++) {
    insertTrial(database, { ...cell, experiment_id, instance_id }, speed);
  }
}

function insertTrial(
  database: SqliteDatabase.Database,
  { experiment_id, ...trial }: Cell & { experiment_id: string; instance_id: number },
  speed: number,
): void {
  const run_id = `${experiment_id}-i${trial.instance_id}`;
  const step = 20 * trial.dimension;
  const rate = (0.2 + 0.15 * speed) * (1 + ((trial.instance_id * 7 + trial.function_id) % 11) / 8);
  const getFitness = (index: number) => 100 * Math.exp(-rate * index) * (1 + 0.1 * Math.sin(index));
  const lastValues = { evaluations: iterations * step, best_fitness: getFitness(iterations - 1) };
  insertRow(database, 'runs', {
    run_id,
    experiment_id,
    seed: trial.instance_id,
    status: 'COMPLETED',
    start_time: created_at,
    end_time: created_at,
    iterations,
    ...lastValues,
  });
  insertRow(database, 'coco_trials', {
    ...trial,
    run_id,
    repetition: 1,
    budget_evals: lastValues.evaluations,
    ...lastValues,
    status: 'COMPLETED',
    reached_target: 0,
    target_value: 1e-8,
    created_at,
  });
  for (let iteration = 0; iteration < iterations; iteration++) {
    insertRow(database, 'iterations', {
      run_id,
      iteration,
      evaluations: (iteration + 1) * step + ((trial.instance_id * iteration) % 13),
      best_fitness: getFitness(iteration),
      mean_fitness: 1,
      std_fitness: 1,
      metrics_json: '{"best":1.0}',
      diagnostics_json: '{"populationSize":60,"eliteSize":24,"adaptiveActions":[]}',
      created_at,
    });
  }
}
