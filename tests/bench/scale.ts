import { Agent } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { sql } from 'kysely';
import type { Database } from '#server/db/database.ts';
import { openDatabase } from '#server/db/open.ts';
import { parseDatabaseUrl } from '#server/db/url.ts';
import { formatCsvLine, type CsvValue } from '#shared/csv.ts';
import { inspectPlan, listQueries } from '#tests/support/list-plans.ts';
import { fetchText, computeQuantile, measureResponse } from './measure.ts';
import { print } from './report.ts';
import { measureCampaign } from './scale-campaign.ts';
import { folder, createPostgresLocation, createSqliteLocation } from './scale-locations.ts';
import {
  getResidentMegabytes,
  startService,
  stopProcess,
  type ServingProcess,
} from './serving-process.ts';

/** The minimum work for a response. */
type Floor = (database: Database) => Promise<unknown>;

/**
 * Maximum time of a response. `page`: at the largest size, twice the time at the smallest one plus the floor, which is
 * one count by an index; and 1 s at 1,000,000 runs. `second`: only the latter. `search`: 2 s. `table`: twice the floor
 * at 100,000 runs. A number for each database: milliseconds at 100,000 runs, and 1 s at 1,000,000.
 */
type Limit = 'page' | 'second' | 'search' | 'table' | Readonly<Record<string, number>>;

interface Subject {
  title: string;
  getPath: (runs: number) => string;
  runFloor: Floor;
  limit?: Limit;
  /** Whether each request follows a write. */
  isAfterChange?: boolean;
}

const makeCount = (source: string): Floor => {
  const query = sql`select count(*) from ${sql.raw(source)}`;
  return ({ kysely }) => query.execute(kysely);
};

const countRuns = makeCount('runs');
const countExperiments = makeCount('experiments');

/** Analyses of more runs have no goal, and may take longer than the deadline of a request. */
const maximumAnalysedRuns = 100_000;

/** Returns the number of the last page of a list of runs. */
const getLastPage = (runs: number) => Math.max(0, Math.ceil(runs / 25) - 1);

const subjects: Subject[] = [
  { title: 'runs, first page', getPath: () => '/api/runs', runFloor: countRuns, limit: 'page' },
  {
    title: 'runs by start, oldest first',
    getPath: () => '/api/runs?sortBy=start_time&sortDir=asc',
    runFloor: countRuns,
    limit: 'page',
  },
  {
    title: 'runs by best fitness, lowest first',
    getPath: () => '/api/runs?sortBy=best_fitness&sortDir=asc',
    runFloor: countRuns,
    limit: 'page',
  },
  {
    title: 'runs by best fitness, highest first',
    getPath: () => '/api/runs?sortBy=best_fitness&sortDir=desc',
    runFloor: countRuns,
    limit: 'page',
  },
  {
    title: 'runs, page in the middle',
    getPath: (runs) => `/api/runs?page=${Math.floor(getLastPage(runs) / 2)}`,
    runFloor: countRuns,
    limit: 'second',
  },
  {
    title: 'runs, last page',
    getPath: (runs) => `/api/runs?page=${getLastPage(runs)}`,
    runFloor: countRuns,
    limit: 'second',
  },
  {
    title: 'runs by best fitness, page in the middle',
    getPath: (runs) => `/api/runs?sortBy=best_fitness&page=${Math.floor(getLastPage(runs) / 2)}`,
    runFloor: countRuns,
    limit: 'second',
  },
  {
    title: 'runs with status FAILED',
    getPath: () => '/api/runs?status=FAILED',
    runFloor: makeCount("runs where status = 'FAILED'"),
    limit: 'page',
  },
  {
    title: 'runs with a status that no run has',
    getPath: () => '/api/runs?status=UNKNOWN',
    runFloor: makeCount("runs where status = 'UNKNOWN'"),
    limit: 'page',
  },
  {
    title: 'runs of one algorithm',
    getPath: () => '/api/runs?algorithm=umda',
    runFloor: makeCount(
      "runs where experiment_id in (select experiment_id from experiments where algorithm_type = 'umda')",
    ),
    limit: 'page',
  },
  {
    title: 'runs without trials',
    getPath: () => '/api/runs?trials=exclude',
    runFloor: makeCount('runs where run_id not in (select run_id from coco_trials)'),
    limit: 'page',
  },
  {
    title: 'runs by runtime',
    getPath: () => '/api/runs?sortBy=runtime_millis',
    runFloor: countRuns,
    limit: 'second',
  },
  {
    title: 'runs, text without match',
    getPath: () => '/api/runs?q=zzzznothing',
    runFloor: countRuns,
    limit: 'search',
  },
  {
    title: 'experiments, first page',
    // The smallest database has only 10 experiments.
    getPath: () => '/api/experiments?size=10',
    runFloor: countExperiments,
    limit: 'page',
  },
  {
    title: 'experiments by best fitness',
    getPath: () => '/api/experiments?sortBy=best_fitness',
    runFloor: countExperiments,
    limit: { sqlite: 100, postgres: 150 },
  },
  {
    title: 'experiments by number of runs',
    getPath: () => '/api/experiments?sortBy=total_runs',
    runFloor: countExperiments,
    limit: 'second',
  },
  {
    title: 'experiments, text without match',
    getPath: () => '/api/experiments?q=zzzznothing',
    runFloor: countExperiments,
    limit: 'search',
  },
  { title: 'facets', getPath: () => '/api/facets', runFloor: countRuns, limit: 'page' },
  { title: 'summary', getPath: () => '/api/dashboard/summary', runFloor: countRuns, limit: 'page' },
  {
    title: 'problems',
    getPath: () => '/api/analysis/problems',
    runFloor: countRuns,
    limit: 'page',
  },
  ...['facets', 'dashboard/summary', 'analysis/problems'].map((path): Subject => ({
    title: `${path.split('/').at(-1)}, after a change`,
    getPath: () => `/api/${path}`,
    runFloor: countRuns,
    limit: 'second',
    isAfterChange: true,
  })),
  {
    title: 'across, no instance selected',
    getPath: () => '/api/analysis/across',
    runFloor: countRuns,
  },
  {
    title: 'one problem',
    getPath: () => '/api/analysis/problem/onemax',
    runFloor: countRuns,
  },
  {
    title: 'runs as CSV',
    getPath: () => '/api/runs?format=csv',
    runFloor: writeRuns,
    limit: 'table',
  },
  {
    title: 'experiments as CSV',
    getPath: () => '/api/experiments?format=csv',
    runFloor: writeExperiments,
  },
];

/** Writes the columns of the list of runs as CSV, as a plain SELECT returns them. */
async function writeRuns({ kysely }: Database): Promise<number> {
  const { rows } = await sql<Record<string, CsvValue>>`
    select r.run_id, r.experiment_id, e.run_name, e.algorithm_type, e.model_type, e.problem_type,
      e.representation_type, r.status, r.start_time, r.end_time, r.iterations, r.evaluations,
      r.best_fitness, r.runtime_millis, e.config_hash, r.seed, r.error_message
    from runs r left join experiments e on e.experiment_id = r.experiment_id
    order by r.start_time desc, r.run_id desc`.execute(kysely);
  return countCharacters(rows);
}

/** Writes experiments with the numbers of their runs as CSV, as a plain SELECT returns them. */
async function writeExperiments({ kysely }: Database): Promise<number> {
  const { rows } = await sql<Record<string, CsvValue>>`
    select e.experiment_id, e.run_name, e.algorithm_type, e.model_type, e.problem_type, e.config_hash, e.created_at,
      c.total, c.latest, c.best
    from experiments e left join (select r.experiment_id, count(*) as total, max(r.start_time) as latest,
      max(r.best_fitness) as best from runs r group by r.experiment_id) c on c.experiment_id = e.experiment_id
    order by c.latest desc, e.experiment_id desc`.execute(kysely);
  return countCharacters(rows);
}

/** Returns the length of these rows as CSV. */
function countCharacters(rows: readonly Record<string, CsvValue>[]): number {
  return rows.reduce((length, row) => length + formatCsvLine(Object.values(row)).length, 0);
}

/** A measured subject: milliseconds of the first request, and of the median of all; the floor in the same way. */
interface Measurement {
  first: number;
  median: number;
  floor: number;
}

/**
 * Measures the costs that grow with the number of runs. For each database and size it prints the first response, the
 * median, the floor and the ratio of the two; for each subject the ratio of the largest to the smallest size and PASS,
 * or the limit that it misses; the longest wait for health meanwhile; and the resident memory after all of them.
 * `--runs 1000,30000` changes the sizes, `--million` adds 1,000,000 runs, `--database sqlite` restricts the databases;
 * other words select subjects by their titles. `--explain` prints the plans of all queries of lists at the largest size
 * instead, and fails if one reads more than it needs. Then measures a large campaign and the memory, see {@link
 * measureCampaign}. Returns 0, or 1 for such a plan or a missed limit. The limits are for an idle machine.
 */
export async function measureScale(words: string[]): Promise<number> {
  const { values, positionals } = parseArgs({
    args: words,
    allowPositionals: true,
    options: {
      runs: { type: 'string', default: '1000,10000,100000' },
      million: { type: 'boolean', default: false },
      database: { type: 'string', multiple: true, default: ['sqlite', 'postgres'] },
      explain: { type: 'boolean', default: false },
    },
  });
  const sizes = [...values.runs.split(',').map(Number), ...(values.million ? [1_000_000] : [])];
  const selectedSubjects = subjects.filter(
    ({ title }) => positionals.length === 0 || positionals.some((word) => title.includes(word)),
  );
  let faults = 0;
  for (const name of values.database) {
    const location = name === 'sqlite' ? createSqliteLocation() : await createPostgresLocation();
    try {
      if (values.explain) {
        faults += await printPlans(await location.ensureRuns(sizes.at(-1) ?? 0), positionals);
        continue;
      }
      const columns: Map<string, Measurement>[] = [];
      for (const runs of selectedSubjects.length > 0 ? sizes : []) {
        const sizeSubjects = selectedSubjects.filter(
          ({ limit }) => limit || runs <= maximumAnalysedRuns,
        );
        columns.push(await measureSize(await location.ensureRuns(runs), runs, sizeSubjects));
      }
      if (selectedSubjects.length > 0)
        faults += printGrowth(name, sizes, selectedSubjects, columns);
      const pages = subjects.map(({ getPath }) => getPath(100_000));
      faults += await measureCampaign(name, location, { pages, words: positionals });
    } finally {
      await location.remove();
    }
  }
  return faults === 0 ? 0 : 1;
}

/**
 * Prints the plans and the faults of the queries of lists; `words` select queries by their titles. Returns the number
 * of faults.
 */
async function printPlans(url: string, words: readonly string[]): Promise<number> {
  const database = await openDatabase(parseDatabaseUrl(url, { workingDirectory: folder }));
  let faults = 0;
  try {
    const ids = { runId: 'run-1', experimentId: 'experiment-1', campaignId: 'campaign' };
    for (const query of listQueries(ids)) {
      if (words.length > 0 && !words.some((word) => query.title.includes(word))) continue;
      const verdict = await inspectPlan(database, query);
      faults += verdict.faults.length;
      const need = query.fullReadReason === undefined ? '' : ` (${query.fullReadReason})`;
      process.stdout.write(
        `${database.dialect.name}: ${query.title}${need}\n${verdict.plan}${verdict.faults.map((fault) => `FAULT: ${fault}\n`).join('')}\n`,
      );
    }
    process.stdout.write(`${database.dialect.name}: ${faults} faults\n\n`);
  } finally {
    await database.close();
  }
  return faults;
}

async function measureSize(
  url: string,
  runs: number,
  selectedSubjects: readonly Subject[],
): Promise<Map<string, Measurement>> {
  const measurements = new Map<string, Measurement>();
  const database = await openDatabase(parseDatabaseUrl(url, { workingDirectory: folder }));
  const service = await startService(url);
  try {
    print(['', `${database.dialect.name} ${runs}`, 'first', 'median', 'floor', 'ratio']);
    // Compiles the code, so that the times exclude compilation.
    await fetchText(`${service.origin}/api/runs?size=200`);
    for (const { title, getPath, runFloor, isAfterChange = false } of selectedSubjects) {
      const [first = NaN, ...laterMillis] = await repeatMeasurement(async () => {
        if (isAfterChange) await writeEvent(database);
        return measureResponse(service.origin + getPath(runs));
      });
      const floors = await repeatMeasurement(() => measureMillis(() => runFloor(database)));
      const result = {
        first,
        median: computeQuantile([first, ...laterMillis], 0.5),
        floor: computeQuantile(floors, 0.5),
      };
      measurements.set(title, result);
      const { median } = result;
      print([title, '', first, median, result.floor, median / result.floor].map(formatCell));
    }
    await removeEvents(database);
    measurements.set(healthTitle, await measureHealth(service, selectedSubjects, runs));
    print(['resident memory', '', `${getResidentMegabytes(service).toFixed(0)} MB`]);
    await requireRunning(service);
  } finally {
    await stopProcess(service);
    await database.close();
  }
  return measurements;
}

/** Throws if the service does not respond: errors are faster than results. */
async function requireRunning({ origin }: ServingProcess): Promise<void> {
  await fetchText(`${origin}/api/health`);
}

/** Prints the growth of each subject, and whether it is within its limit; returns the number of missed limits. */
function printGrowth(
  name: string,
  sizes: readonly number[],
  selectedSubjects: readonly Subject[],
  columns: readonly Map<string, Measurement>[],
): number {
  let missedLimits = 0;
  print([`${name}: largest / smallest`, 'response', 'floor', 'goal']);
  for (const { title, limit } of [...selectedSubjects, { title: healthTitle, limit: undefined }]) {
    const measurements = new Map(sizes.map((runs, index) => [runs, columns[index]?.get(title)]));
    const [smallest, largest] = [
      measurements.get(sizes[0] ?? 0),
      measurements.get(sizes.at(-1) ?? 0),
    ];
    if (!smallest || !largest) continue;
    const ratios = [largest.median / smallest.median, largest.floor / smallest.floor];
    const faults =
      title === healthTitle
        ? getHealthFaults(largest)
        : limit && getFaults(limit, name, smallest, largest, measurements);
    missedLimits += faults?.length ?? 0;
    const goal = faults?.join('; ') || (faults ? 'PASS' : '');
    print([title, ...ratios.map(formatCell), `  ${goal}`]);
  }
  return missedLimits;
}

const million = 1_000_000;
const hundredThousand = 100_000;

/** Returns the limits of a subject that its measurements miss; empty if they keep all that apply to the sizes. */
function getFaults(
  limit: Limit,
  name: string,
  smallest: Measurement,
  largest: Measurement,
  measurements: ReadonlyMap<number, Measurement | undefined>,
): string[] {
  const faults: string[] = [];
  const check = (value: number | undefined, maximum: number, reason: string) => {
    if (value !== undefined && value > maximum)
      faults.push(`MISSED: ${value.toFixed(1)} ms is above ${maximum.toFixed(1)} ms (${reason})`);
  };
  if (limit === 'page' && smallest !== largest)
    check(largest.median, 2 * smallest.median + largest.floor, 'twice the smallest and a count');
  const largeMeasurement = measurements.get(million);
  const slowest = largeMeasurement && Math.max(largeMeasurement.first, largeMeasurement.median);
  if (limit !== 'table') check(slowest, limit === 'search' ? 2_000 : 1_000, '1,000,000 runs');
  const measurement = measurements.get(hundredThousand);
  if (typeof limit === 'object')
    check(measurement?.median, limit[name] ?? Infinity, '100,000 runs');
  if (limit === 'table' && measurement)
    check(measurement.median, 2 * measurement.floor, 'twice a plain SELECT');
  return faults;
}

const healthTitle = 'longest wait for health';
const longestHealthMillis = 50;

function getHealthFaults({ median }: Measurement): string[] {
  if (median <= longestHealthMillis) return [];
  return [`MISSED: ${median.toFixed(1)} ms is above ${longestHealthMillis} ms`];
}

/**
 * Requests every subject once more, and the health check continuously. The first value is the median time of the health
 * check, the second the longest one, the floor the longest one without other requests.
 */
async function measureHealth(
  { origin }: ServingProcess,
  selectedSubjects: readonly Subject[],
  runs: number,
): Promise<Measurement> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const watch = async (work: Promise<unknown>) => {
    const waits: number[] = [];
    const state = { isDone: false };
    void work.finally(() => (state.isDone = true)).catch(() => {});
    while (!state.isDone) {
      waits.push(await measureMillis(() => fetchText(`${origin}/api/health`, agent)));
      await delay(5);
    }
    await work;
    return waits;
  };
  const idleWaits = await watch(delay(1_000));
  const waits = await watch(
    (async () => {
      for (const { getPath } of selectedSubjects) await measureResponse(origin + getPath(runs));
    })(),
  );
  agent.destroy();
  const result = {
    first: computeQuantile(waits, 0.5),
    median: Math.max(...waits),
    floor: Math.max(...idleWaits),
  };
  const { first, median, floor } = result;
  print([healthTitle, '', first, median, floor, median / floor].map(formatCell));
  return result;
}

/** Writes a row, as a runner does; see {@link removeEvents}. */
async function writeEvent({ kysely }: Database): Promise<void> {
  await sql`insert into events (run_id, event_type, created_at, payload_json)
    values ('run-0', ${benchEvent}, '2026-01-01T00:00:00Z', '{}')`.execute(kysely);
}

/** Deletes the rows of {@link writeEvent}. */
async function removeEvents({ kysely }: Database): Promise<void> {
  await sql`delete from events where run_id = 'run-0' and event_type = ${benchEvent}`.execute(
    kysely,
  );
}

const benchEvent = 'BENCH';

function formatCell(value: string | number): string {
  return typeof value === 'string' ? value : value.toFixed(2);
}

/** Repeats a measurement for half a second, at least five times; three times if it takes more than 0.4 s, once if it takes ten. */
async function repeatMeasurement(measureOnce: () => Promise<number>): Promise<number[]> {
  const times: number[] = [];
  let totalMillis = 0;
  const mayRepeat = () =>
    totalMillis < 500 ||
    (times.length < 5 && totalMillis < 2_000) ||
    (times.length < 3 && totalMillis < 10_000);
  while (mayRepeat()) {
    const millis = await measureOnce();
    times.push(millis);
    totalMillis += millis;
  }
  return times;
}

async function measureMillis(work: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await work();
  return performance.now() - start;
}
