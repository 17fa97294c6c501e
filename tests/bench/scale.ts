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

interface Subject {
  title: string;
  path: (runs: number) => string;
  floor: Floor;
}

const count = (source: string): Floor => {
  const query = sql`select count(*) from ${sql.raw(source)}`;
  return ({ kysely }) => query.execute(kysely);
};

const countRuns = count('runs');
const countExperiments = count('experiments');

/** The last page of a list of so many runs. */
const lastPage = (runs: number) => Math.max(0, Math.ceil(runs / 25) - 1);

const subjects: Subject[] = [
  { title: 'runs, first page', path: () => '/api/runs', floor: countRuns },
  {
    title: 'runs by start, oldest first',
    path: () => '/api/runs?sortBy=start_time&sortDir=asc',
    floor: countRuns,
  },
  {
    title: 'runs by best fitness, lowest first',
    path: () => '/api/runs?sortBy=best_fitness&sortDir=asc',
    floor: countRuns,
  },
  {
    title: 'runs by best fitness, highest first',
    path: () => '/api/runs?sortBy=best_fitness&sortDir=desc',
    floor: countRuns,
  },
  {
    title: 'runs, page in the middle',
    path: (runs) => `/api/runs?page=${Math.floor(lastPage(runs) / 2)}`,
    floor: countRuns,
  },
  {
    title: 'runs, last page',
    path: (runs) => `/api/runs?page=${lastPage(runs)}`,
    floor: countRuns,
  },
  {
    title: 'runs by best fitness, page in the middle',
    path: (runs) => `/api/runs?sortBy=best_fitness&page=${Math.floor(lastPage(runs) / 2)}`,
    floor: countRuns,
  },
  {
    title: 'runs with status FAILED',
    path: () => '/api/runs?status=FAILED',
    floor: count("runs where status = 'FAILED'"),
  },
  { title: 'runs, text without match', path: () => '/api/runs?q=zzzznothing', floor: countRuns },
  { title: 'experiments, first page', path: () => '/api/experiments', floor: countExperiments },
  {
    title: 'experiments by best fitness',
    path: () => '/api/experiments?sortBy=best_fitness',
    floor: countExperiments,
  },
  {
    title: 'experiments by number of runs',
    path: () => '/api/experiments?sortBy=total_runs',
    floor: countExperiments,
  },
  {
    title: 'experiments, text without match',
    path: () => '/api/experiments?q=zzzznothing',
    floor: countExperiments,
  },
  { title: 'facets', path: () => '/api/facets', floor: countRuns },
  { title: 'summary', path: () => '/api/dashboard/summary', floor: countRuns },
  { title: 'problems', path: () => '/api/analysis/problems', floor: countRuns },
  { title: 'across, nothing chosen', path: () => '/api/analysis/across', floor: countRuns },
  {
    title: 'one problem',
    path: () => '/api/analysis/problem/onemax',
    floor: countRuns,
  },
  { title: 'runs as CSV', path: () => '/api/runs?format=csv', floor: writeRuns },
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
 * median, the floor and the ratio of the two; for each subject the ratio of the largest to the smallest size; and the
 * resident memory after all of them. `--runs 1000,30000` changes the sizes, `--million` adds 1,000,000 runs,
 * `--database sqlite` restricts the databases; other words select subjects by their titles. `--explain` prints the plans
 * of all queries of lists at the largest size instead, and fails if one reads more than it needs. Then measures a large
 * campaign and the memory, see {@link measureCampaign}. Returns 0, or 1 for such a plan or an exceeded limit; of lists
 * no time is checked, because the machine decides.
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
      for (const runs of wanted.length > 0 ? sizes : [])
        columns.push(await measureSize(await place.ensure(runs), runs, wanted));
      if (wanted.length > 0) printGrowth(name, sizes, wanted, columns);
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
    for (const { title, path, floor } of wanted) {
      const [first = NaN, ...later] = await rounds(() => timed(service.origin + path(runs)));
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
    print(['resident memory', '', `${residentMegabytes(service).toFixed(0)} MB`]);
    await requireRunning(service);
  } finally {
    await stop(service);
    await database.close();
  }
  return measured;
}

/** A service that failed would answer quickly. */
async function requireRunning({ origin }: Served): Promise<void> {
  await fetchText(`${origin}/api/health`);
}

function printGrowth(
  name: string,
  sizes: readonly number[],
  wanted: readonly Subject[],
  columns: readonly Map<string, Measured>[],
): void {
  if (sizes.length < 2) return;
  print([`${name}: largest / smallest`, 'response', 'floor']);
  for (const { title } of wanted) {
    const [smallest, largest] = [columns[0]?.get(title), columns.at(-1)?.get(title)];
    if (!smallest || !largest) continue;
    const ratios = [largest.median / smallest.median, largest.floor / smallest.floor];
    print([title, ...ratios.map(shown)]);
  }
}

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
