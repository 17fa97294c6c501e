import { createHash } from 'node:crypto';
import { existsSync, globSync, mkdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import SqliteDatabase from 'better-sqlite3';
import { insertRow, openAndClose } from './analysis-workload.ts';
import { fetchText, quantile, timed, type Timings } from './measure.ts';
import { isWanted, print, printTimings } from './report.ts';
import { startFloor, startService, stop, type Served } from './served.ts';

const firstTitle = 'ECDF of 8,640 trials × 50, cold';
const otherTitle = 'other targets and budgets of 8,640 trials';

const largestFirstRatio = 2.5;
const largestOtherMillis = 100;
const rounds = 5;

const functions = 24;
const dimensions = [2, 3, 5, 10, 20, 40];
const instances = 15;
const iterations = 50;

const folder = fileURLToPath(new URL('../../.cache/bench-coco', import.meta.url));

/** Measures the ECDF of a whole campaign. Returns how many of the limits were exceeded. */
export async function compareCampaigns(): Promise<number> {
  if (![firstTitle, otherTitle].some(isWanted)) return 0;
  const file = await ensureDatabase();
  const floor = await startFloor(file);
  try {
    const tooSlow: boolean[] = [];
    if (isWanted(firstTitle)) tooSlow.push(await isFirstTooSlow(file, floor));
    if (isWanted(otherTitle)) tooSlow.push(await isOtherTooSlow(file));
    return tooSlow.filter(Boolean).length;
  } finally {
    await stop(floor);
  }
}

const getEcdf = (campaign: string, { origin }: Served) =>
  `${origin}/api/coco/campaigns/${campaign}/ecdf`;

/** Of a service that has answered for another campaign, so that what is measured is no compiling. */
async function isFirstTooSlow(file: string, floor: Served): Promise<boolean> {
  const timings: Timings = { service: [], floor: [] };
  for (let round = 0; round < rounds; round++) {
    const service = await startService(file);
    try {
      for (let warmUp = 0; warmUp < 40; warmUp++) {
        await fetchText(`${getEcdf('small', service)}?budget=${warmUp + 1}`);
      }
      timings.floor.push(await timed(`${floor.origin}/scan-campaign`));
      timings.service.push(await timed(getEcdf('whole', service)));
    } finally {
      await stop(service);
    }
  }
  const ratio = printTimings(firstTitle, timings);
  if (ratio > largestFirstRatio) process.stderr.write(`The first ECDF takes ${ratio} times\n`);
  return ratio > largestFirstRatio;
}

async function isOtherTooSlow(file: string): Promise<boolean> {
  const service = await startService(file);
  const times: number[] = [];
  try {
    for (let round = -10; round < 30; round++) {
      const first = (2 - round / 100).toFixed(2);
      const url = `${getEcdf('whole', service)}?targets=${first}..-8:51&budget=${round + 1000}`;
      const millis = await timed(url);
      if (round >= 0) times.push(millis);
    }
  } finally {
    await stop(service);
  }
  const millis = quantile(times, 0.5);
  print([otherTitle, `${millis.toFixed(2)} ms`, `${quantile(times, 0.99).toFixed(2)} ms`]);
  if (millis > largestOtherMillis) process.stderr.write('Other targets take too long\n');
  return millis > largestOtherMillis;
}

/** Path of the database with the campaigns; made unless it is there already. */
async function ensureDatabase(): Promise<string> {
  const source = readFileSync(fileURLToPath(import.meta.url));
  const version = createHash('sha256').update(source).digest('hex').slice(0, 12);
  const file = join(folder, `${version}.db`);
  if (existsSync(file)) return file;
  mkdirSync(folder, { recursive: true });
  for (const old of globSync(join(folder, '*.db*'))) rmSync(old);
  const unfinished = `${file}.part`;
  await openAndClose(unfinished);
  const database = new SqliteDatabase(unfinished);
  database.transaction(() => {
    insertCampaign(database, 'small', ['a'], [2]);
    insertCampaign(database, 'whole', ['a', 'b', 'c', 'd'], dimensions);
  })();
  database.close();
  await openAndClose(unfinished);
  renameSync(unfinished, file);
  return file;
}

const created_at = '2026-01-01T00:00:00Z';

function insertCampaign(
  database: SqliteDatabase.Database,
  campaign_id: string,
  optimizers: readonly string[],
  dimensionsOfIt: readonly number[],
): void {
  insertRow(database, 'coco_campaigns', {
    campaign_id,
    name: campaign_id,
    suite: 'bbob',
    dimensions_json: JSON.stringify(dimensionsOfIt),
    instances_json: JSON.stringify(Array.from({ length: instances }, (_, index) => index + 1)),
    functions_json: JSON.stringify(Array.from({ length: functions }, (_, index) => index + 1)),
    status: 'COMPLETED',
    created_at,
  });
  for (const [speed, optimizer_id] of optimizers.entries()) {
    for (const dimension of dimensionsOfIt) {
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
  const fitnessAt = (index: number) => 100 * Math.exp(-rate * index) * (1 + 0.1 * Math.sin(index));
  const last = { evaluations: iterations * step, best_fitness: fitnessAt(iterations - 1) };
  insertRow(database, 'runs', {
    run_id,
    experiment_id,
    seed: trial.instance_id,
    status: 'COMPLETED',
    start_time: created_at,
    end_time: created_at,
    iterations,
    ...last,
  });
  insertRow(database, 'coco_trials', {
    ...trial,
    run_id,
    repetition: 1,
    budget_evals: last.evaluations,
    ...last,
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
      best_fitness: fitnessAt(iteration),
      mean_fitness: 1,
      std_fitness: 1,
      metrics_json: '{"best":1.0}',
      diagnostics_json: '{"populationSize":60,"eliteSize":24,"adaptiveActions":[]}',
      created_at,
    });
  }
}
