import { Agent } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { sql } from 'kysely';
import type { Database } from '#server/db/database.ts';
import { openDatabase } from '#server/db/open.ts';
import { parseDatabaseUrl } from '#server/db/url.ts';
import { formatCsvLine, type CsvValue } from '#shared/csv.ts';
import { inspectPlan, listQueries } from '#tests/support/list-plans.ts';
import { fetchText, quantile, timed } from './measure.ts';
import { print } from './report.ts';
import { measureCampaign } from './scale-campaign.ts';
import { folder, postgresPlace, sqlitePlace } from './scale-places.ts';
import { residentMegabytes, startService, stop, type Served } from './served.ts';

/** The least work that gives a response. */
type Floor = (database: Database) => Promise<unknown>;

/**
 * What a response may take. `page`: from the smallest to the largest size at most twice as long, plus the floor, which is
 * one count by an index; and at most 1 s at 1,000,000 runs. `second`: only the latter. `search`: 2 s. `table`: twice the
 * floor at 100,000 runs. A number for each database: at most so many milliseconds at 100,000 runs, and 1 s at 1,000,000.
 */
type Limit = 'page' | 'second' | 'search' | 'table' | Readonly<Record<string, number>>;

interface Subject {
  title: string;
  path: (runs: number) => string;
  floor: Floor;
  limit?: Limit;
  /** Whether a row is written before each request. */
  afterChange?: boolean;
}

const count = (source: string): Floor => {
  const query = sql`select count(*) from ${sql.raw(source)}`;
  return ({ kysely }) => query.execute(kysely);
};

const countRuns = count('runs');
const countExperiments = count('experiments');

/** Analyses of more runs have no goal, and may take longer than the deadline of a request. */
const maximumAnalysedRuns = 100_000;

/** The last page of a list of so many runs. */
const lastPage = (runs: number) => Math.max(0, Math.ceil(runs / 25) - 1);

const subjects: Subject[] = [
  { title: 'runs, first page', path: () => '/api/runs', floor: countRuns, limit: 'page' },
  {
    title: 'runs by start, oldest first',
    path: () => '/api/runs?sortBy=start_time&sortDir=asc',
    floor: countRuns,
    limit: 'page',
  },
  {
    title: 'runs by best fitness, lowest first',
    path: () => '/api/runs?sortBy=best_fitness&sortDir=asc',
    floor: countRuns,
    limit: 'page',
  },
  {
    title: 'runs by best fitness, highest first',
    path: () => '/api/runs?sortBy=best_fitness&sortDir=desc',
    floor: countRuns,
    limit: 'page',
  },
  {
    title: 'runs, page in the middle',
    path: (runs) => `/api/runs?page=${Math.floor(lastPage(runs) / 2)}`,
    floor: countRuns,
    limit: 'page',
  },
  {
    title: 'runs, last page',
    path: (runs) => `/api/runs?page=${lastPage(runs)}`,
    floor: countRuns,
    limit: 'page',
  },
  {
    title: 'runs by best fitness, page in the middle',
    path: (runs) => `/api/runs?sortBy=best_fitness&page=${Math.floor(lastPage(runs) / 2)}`,
    floor: countRuns,
    limit: 'page',
  },
  {
    title: 'runs with status FAILED',
    path: () => '/api/runs?status=FAILED',
    floor: count("runs where status = 'FAILED'"),
    limit: 'page',
  },
  {
    title: 'runs with a status that no run has',
    path: () => '/api/runs?status=UNKNOWN',
    floor: count("runs where status = 'UNKNOWN'"),
    limit: 'page',
  },
  {
    title: 'runs of one algorithm',
    path: () => '/api/runs?algorithm=umda',
    floor: count(
      "runs where experiment_id in (select experiment_id from experiments where algorithm_type = 'umda')",
    ),
    limit: 'page',
  },
  {
    title: 'runs without trials',
    path: () => '/api/runs?trials=exclude',
    floor: count('runs where run_id not in (select run_id from coco_trials)'),
    limit: 'page',
  },
  {
    title: 'runs by runtime',
    path: () => '/api/runs?sortBy=runtime_millis',
    floor: countRuns,
    limit: 'second',
  },
  {
    title: 'runs, text without match',
    path: () => '/api/runs?q=zzzznothing',
    floor: countRuns,
    limit: 'search',
  },
  {
    title: 'experiments, first page',
    path: () => '/api/experiments',
    floor: countExperiments,
    limit: 'page',
  },
  {
    title: 'experiments by best fitness',
    path: () => '/api/experiments?sortBy=best_fitness',
    floor: countExperiments,
    limit: { sqlite: 100, postgres: 150 },
  },
  {
    title: 'experiments by number of runs',
    path: () => '/api/experiments?sortBy=total_runs',
    floor: countExperiments,
    limit: 'second',
  },
  {
    title: 'experiments, text without match',
    path: () => '/api/experiments?q=zzzznothing',
    floor: countExperiments,
    limit: 'search',
  },
  { title: 'facets', path: () => '/api/facets', floor: countRuns, limit: 'page' },
  { title: 'summary', path: () => '/api/dashboard/summary', floor: countRuns, limit: 'page' },
  { title: 'problems', path: () => '/api/analysis/problems', floor: countRuns, limit: 'page' },
  ...['facets', 'dashboard/summary', 'analysis/problems'].map((path): Subject => ({
    title: `${path.split('/').at(-1)}, after a change`,
    path: () => `/api/${path}`,
    floor: countRuns,
    limit: 'second',
    afterChange: true,
  })),
  { title: 'across, nothing chosen', path: () => '/api/analysis/across', floor: countRuns },
  {
    title: 'one problem',
    path: () => '/api/analysis/problem/onemax',
    floor: countRuns,
  },
  { title: 'runs as CSV', path: () => '/api/runs?format=csv', floor: writeRuns, limit: 'table' },
  {
    title: 'experiments as CSV',
    path: () => '/api/experiments?format=csv',
    floor: writeExperiments,
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
  return getLines(rows);
}

/** Writes experiments with the numbers of their runs as CSV, as a plain SELECT returns them. */
async function writeExperiments({ kysely }: Database): Promise<number> {
  const { rows } = await sql<Record<string, CsvValue>>`
    select e.experiment_id, e.run_name, e.algorithm_type, e.model_type, e.problem_type, e.config_hash, e.created_at,
      c.total, c.latest, c.best
    from experiments e left join (select r.experiment_id, count(*) as total, max(r.start_time) as latest,
      max(r.best_fitness) as best from runs r group by r.experiment_id) c on c.experiment_id = e.experiment_id
    order by c.latest desc, e.experiment_id desc`.execute(kysely);
  return getLines(rows);
}

/** Returns the length of these rows as CSV. */
function getLines(rows: readonly Record<string, CsvValue>[]): number {
  return rows.reduce((length, row) => length + formatCsvLine(Object.values(row)).length, 0);
}

/** A measured subject: milliseconds of the first request, and of the median of all; the floor in the same way. */
interface Measured {
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
  const wanted = subjects.filter(
    ({ title }) => positionals.length === 0 || positionals.some((word) => title.includes(word)),
  );
  let faults = 0;
  for (const name of values.database) {
    const place = name === 'sqlite' ? sqlitePlace() : await postgresPlace();
    try {
      if (values.explain) {
        faults += await printPlans(await place.ensure(sizes.at(-1) ?? 0), positionals);
        continue;
      }
      const columns: Map<string, Measured>[] = [];
      for (const runs of wanted.length > 0 ? sizes : []) {
        const measured = wanted.filter(({ limit }) => limit || runs <= maximumAnalysedRuns);
        columns.push(await measureSize(await place.ensure(runs), runs, measured));
      }
      if (wanted.length > 0) faults += printGrowth(name, sizes, wanted, columns);
      const pages = subjects.map(({ path }) => path(100_000));
      faults += await measureCampaign(name, place, { pages, words: positionals });
    } finally {
      await place.remove();
    }
  }
  return faults === 0 ? 0 : 1;
}

/**
 * Prints the plans of the queries of lists, and what is wrong with them; `words` select queries by their titles. Returns
 * the number of faults.
 */
async function printPlans(url: string, words: readonly string[]): Promise<number> {
  const database = await openDatabase(parseDatabaseUrl(url, { workingDirectory: folder }));
  let faults = 0;
  try {
    const existing = { runId: 'run-1', experimentId: 'experiment-1', campaignId: 'campaign' };
    for (const query of listQueries(existing)) {
      if (words.length > 0 && !words.some((word) => query.title.includes(word))) continue;
      const judged = await inspectPlan(database, query);
      faults += judged.faults.length;
      const need = query.needsEveryRun === undefined ? '' : ` (${query.needsEveryRun})`;
      process.stdout.write(
        `${database.dialect.name}: ${query.title}${need}\n${judged.plan}${judged.faults.map((fault) => `FAULT: ${fault}\n`).join('')}\n`,
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
  wanted: readonly Subject[],
): Promise<Map<string, Measured>> {
  const measured = new Map<string, Measured>();
  const database = await openDatabase(parseDatabaseUrl(url, { workingDirectory: folder }));
  const service = await startService(url);
  try {
    print(['', `${database.dialect.name} ${runs}`, 'first', 'median', 'floor', 'ratio']);
    // Later responses need no compiling.
    await fetchText(`${service.origin}/api/runs?size=200`);
    for (const { title, path, floor, afterChange = false } of wanted) {
      const [first = NaN, ...later] = await rounds(async () => {
        if (afterChange) await writeEvent(database);
        return timed(service.origin + path(runs));
      });
      const floors = await rounds(() => getMillis(() => floor(database)));
      const result = {
        first,
        median: quantile([first, ...later], 0.5),
        floor: quantile(floors, 0.5),
      };
      measured.set(title, result);
      const { median } = result;
      print([title, '', first, median, result.floor, median / result.floor].map(shown));
    }
    await removeEvents(database);
    measured.set(healthTitle, await measureHealth(service, wanted, runs));
    print(['resident memory', '', `${residentMegabytes(service).toFixed(0)} MB`]);
    await requireRunning(service);
  } finally {
    await stop(service);
    await database.close();
  }
  return measured;
}

/** A service that failed would respond quickly. */
async function requireRunning({ origin }: Served): Promise<void> {
  await fetchText(`${origin}/api/health`);
}

/** Prints the growth of each subject, and whether it is within its limit; returns the number of missed limits. */
function printGrowth(
  name: string,
  sizes: readonly number[],
  wanted: readonly Subject[],
  columns: readonly Map<string, Measured>[],
): number {
  let missed = 0;
  print([`${name}: largest / smallest`, 'response', 'floor', 'goal']);
  for (const { title, limit } of [...wanted, { title: healthTitle, limit: undefined }]) {
    const measured = new Map(sizes.map((runs, index) => [runs, columns[index]?.get(title)]));
    const [smallest, largest] = [measured.get(sizes[0] ?? 0), measured.get(sizes.at(-1) ?? 0)];
    if (!smallest || !largest) continue;
    const ratios = [largest.median / smallest.median, largest.floor / smallest.floor];
    const faults =
      title === healthTitle
        ? getHealthFaults(largest)
        : limit && getFaults(limit, name, smallest, largest, measured);
    missed += faults?.length ?? 0;
    const goal = faults?.join('; ') || (faults ? 'PASS' : '');
    print([title, ...ratios.map(shown), `  ${goal}`]);
  }
  return missed;
}

const million = 1_000_000;
const hundredThousand = 100_000;

/** Returns the limits of a subject that its measurements miss; empty if they keep all that apply to the sizes. */
function getFaults(
  limit: Limit,
  name: string,
  smallest: Measured,
  largest: Measured,
  measured: ReadonlyMap<number, Measured | undefined>,
): string[] {
  const faults: string[] = [];
  const check = (value: number | undefined, most: number, what: string) => {
    if (value !== undefined && value > most)
      faults.push(`MISSED: ${value.toFixed(1)} ms is above ${most.toFixed(1)} ms (${what})`);
  };
  if (limit === 'page' && smallest !== largest)
    check(largest.median, 2 * smallest.median + largest.floor, 'twice the smallest and a count');
  const ofMillion = measured.get(million);
  const slowest = ofMillion && Math.max(ofMillion.first, ofMillion.median);
  if (limit !== 'table') check(slowest, limit === 'search' ? 2_000 : 1_000, '1,000,000 runs');
  const ofHundredThousand = measured.get(hundredThousand);
  if (typeof limit === 'object')
    check(ofHundredThousand?.median, limit[name] ?? Infinity, '100,000 runs');
  if (limit === 'table' && ofHundredThousand)
    check(ofHundredThousand.median, 2 * ofHundredThousand.floor, 'twice a plain SELECT');
  return faults;
}

const healthTitle = 'longest wait for health';
const longestHealthMillis = 50;

function getHealthFaults({ median }: Measured): string[] {
  if (median <= longestHealthMillis) return [];
  return [`MISSED: ${median.toFixed(1)} ms is above ${longestHealthMillis} ms`];
}

/**
 * Requests everything once more, and health all the time. The first value is the median wait for health, the second the
 * longest, the floor the longest while nothing else is requested.
 */
async function measureHealth(
  { origin }: Served,
  wanted: readonly Subject[],
  runs: number,
): Promise<Measured> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const watch = async (work: Promise<unknown>) => {
    const waits: number[] = [];
    const state = { isDone: false };
    void work.finally(() => (state.isDone = true)).catch(() => {});
    while (!state.isDone) {
      waits.push(await getMillis(() => fetchText(`${origin}/api/health`, agent)));
      await delay(5);
    }
    await work;
    return waits;
  };
  const idle = await watch(delay(1_000));
  const waits = await watch(
    (async () => {
      for (const { path } of wanted) await fetchText(origin + path(runs));
    })(),
  );
  agent.destroy();
  const result = {
    first: quantile(waits, 0.5),
    median: Math.max(...waits),
    floor: Math.max(...idle),
  };
  const { first, median, floor } = result;
  print([healthTitle, '', first, median, floor, median / floor].map(shown));
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

function shown(value: string | number): string {
  return typeof value === 'string' ? value : value.toFixed(2);
}

/** Repeats a measurement five times, or at least three times until it has taken two seconds; once if it takes ten. */
async function rounds(measureOnce: () => Promise<number>): Promise<number[]> {
  const times: number[] = [];
  let total = 0;
  while (times.length < 5 && (total < 2_000 || (times.length < 3 && total < 10_000))) {
    const millis = await measureOnce();
    times.push(millis);
    total += millis;
  }
  return times;
}

async function getMillis(work: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await work();
  return performance.now() - start;
}
