import { on } from 'node:events';
import { readFileSync, rmSync, mkdtempSync } from 'node:fs';
import { Agent, get } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import SqliteDatabase from 'better-sqlite3';
import { sql } from 'kysely';
import { openDatabase } from '#server/db/open.ts';
import { parseDatabaseUrl } from '#server/db/url.ts';
import { writeSampleFile } from '#tests/support/sample-file.ts';
import { fetchText, computeQuantile, measureResponse } from './measure.ts';
import { print } from './report.ts';
import { campaignPlan, countTrials, listCampaignStatements } from './scale-campaign-data.ts';
import { computeVersion, type DatabaseLocation } from './scale-locations.ts';
import {
  getResidentMegabytes,
  startService,
  stopProcess,
  type ServingProcess,
} from './serving-process.ts';
import type { LongestTurn } from './turn-watch.ts';

/** Words that select the lines of this file. */
const campaignTitle = 'campaign';
const memoryTitle = 'memory';

/** Trials per cell. The number is smaller on PostgreSQL, whose server is removed after each measurement. */
const trialsPerCell = { sqlite: 30, postgres: 5 } as const;

/** Times from the start of a service, and from its last request, after which it counts as idle. */
const settledMillis = 30_000;
/** Time until threads return the memory of their heaps: they do so a second after their last job. */
const trimMillis = 5_000;
const idleMillis = 130_000;

const getPath = (path: string) => `/api/coco/campaigns/${campaignPlan.campaignId}${path}`;

/** A request to the campaign with its limit. A cold one is the first of a service. */
interface Subject {
  title: string;
  paths: string[];
  limitMillis: number;
  isCold?: boolean;
}

const subjects: Subject[] = [
  { title: 'campaign head', paths: repeatPath(getPath('')), limitMillis: 300 },
  {
    title: 'campaign completeness',
    paths: repeatPath(getPath('/completeness')),
    limitMillis: 1_000,
  },
  {
    title: 'campaign ERTs of one dimension, cold',
    paths: [getPath('/erts?dimension=5')],
    limitMillis: 2_000,
    isCold: true,
  },
  {
    title: 'campaign ERTs to another target, cold',
    paths: [getPath('/erts?dimension=5&targets=0.01')],
    limitMillis: 5_000,
    isCold: true,
  },
  {
    title: 'campaign ECDF of one dimension, cold',
    paths: [getPath('/ecdf?dimension=5')],
    limitMillis: 5_000,
    isCold: true,
  },
  {
    title: 'campaign ECDF, other targets',
    paths: Array.from({ length: 5 }, (_, round) =>
      getPath(`/ecdf?dimension=5&targets=1.${round}..-8:51`),
    ),
    limitMillis: 100,
  },
];

function repeatPath(path: string): string[] {
  return [path, path, path];
}

/** Paths of the requests of the pages of a large campaign, without and with a selected part. */
const campaignPaths = [
  '',
  '/completeness',
  '/optimizers',
  '/aggregates',
  '/trials?size=200',
  '/erts',
  '/erts?dimension=5',
  '/erts?dimension=10&targets=0.01',
  '/tests?dimension=5',
  '/ecdf?dimension=5',
  '/ecdf',
].map(getPath);

const healthLimitMillis = 50;

/**
 * Measures a campaign of 432,000 trials (72,000 on PostgreSQL): its pages, each against a limit, how long the health
 * check waits meanwhile, and the resident memory of the service after all pages of several databases and after two
 * minutes without requests. `pages` are the paths of all pages of a database of 100,000 runs; `words` select lines by
 * their titles. A limit holds if either the time or the processor time of the service is within it, so that other
 * programs of the machine do not count. Returns the number of limits that do not hold.
 */
export async function measureCampaign(
  name: string,
  location: DatabaseLocation,
  { pages, words }: { pages: string[]; words: readonly string[] },
): Promise<number> {
  const isSelected = (title: string) =>
    words.length === 0 || words.some((word) => title.includes(word) || word === campaignTitle);
  const selectedSubjects = subjects.filter(({ title }) => isSelected(title));
  const includesMemory = words.length === 0 || words.includes(memoryTitle);
  if (selectedSubjects.length === 0 && !includesMemory) return 0;
  const trialCount = trialsPerCell[name === 'sqlite' ? 'sqlite' : 'postgres'];
  const version = computeVersion('./scale-campaign-data.ts');
  const url = await location.ensureFilled(`${version}_campaign_${trialCount}`, (target) =>
    createCampaign(target, trialCount),
  );
  print(['', `${name}, ${countTrials(trialCount)} trials`, 'processor', 'limit']);
  let exceededLimits =
    selectedSubjects.length === 0 ? 0 : await measureSubjects(url, selectedSubjects);
  if (includesMemory)
    exceededLimits += await measureMemory(url, await location.ensureRuns(100_000), pages);
  return exceededLimits;
}

async function createCampaign(url: string, trialCount: number): Promise<void> {
  process.stderr.write(`Creating a campaign of ${countTrials(trialCount)} trials (once)\n`);
  const source = parseDatabaseUrl(url, { workingDirectory: tmpdir() });
  const database = await openDatabase(source);
  const statements = [...listCampaignStatements(trialCount), 'analyze'];
  if (source.dialect === 'postgres') {
    // A write transaction has no statement timeout, which the iterations would exceed.
    await database.dialect.withWriteTransaction(async (transaction) => {
      for (const statement of statements) await sql.raw(statement).execute(transaction);
    });
    await database.close();
    return;
  }
  await database.close();
  const file = new SqliteDatabase(source.file);
  for (const pragma of [
    'journal_mode = delete',
    'journal_mode = off',
    'synchronous = off',
    'cache_size = -2000000',
  ])
    file.pragma(pragma);
  for (const statement of statements) file.exec(statement);
  file.close();
}

async function measureSubjects(url: string, selectedSubjects: readonly Subject[]): Promise<number> {
  let exceededLimits = 0;
  let service = await startWarmService(url);
  const allWaits: number[] = [];
  const turns: number[] = [];
  try {
    for (const { title, paths, limitMillis, isCold } of selectedSubjects) {
      if (isCold) {
        await stopProcess(service);
        service = await startWarmService(url);
      }
      await readLongestTurn(service);
      const endController = new AbortController();
      const healthWaits = watchHealth(service.origin, endController.signal);
      const rounds: { millis: number; processor: number }[] = [];
      for (const path of paths) {
        const processorBefore = readProcessorMillis(service);
        const millis = await measureResponse(service.origin + path);
        rounds.push({ millis, processor: readProcessorMillis(service) - processorBefore });
      }
      endController.abort();
      allWaits.push(...(await healthWaits));
      const turn = await readLongestTurn(service);
      turns.push(turn);
      const millis = computeQuantile(
        rounds.map((round) => round.millis),
        0.5,
      );
      const processor = computeQuantile(
        rounds.map((round) => round.processor),
        0.5,
      );
      exceededLimits += report(title, Math.min(millis, processor), limitMillis, [
        `${millis.toFixed(0)} ms`,
        `${processor.toFixed(0)} ms`,
        `${limitMillis} ms`,
        `turn ${turn.toFixed(0)} ms`,
      ]);
    }
  } finally {
    await stopProcess(service);
  }
  exceededLimits += report('campaign: health waits', computeQuantile(turns, 1), healthLimitMillis, [
    `${computeQuantile(allWaits, 1).toFixed(0)} ms`,
    `${computeQuantile(turns, 1).toFixed(0)} ms`,
    `${healthLimitMillis} ms`,
  ]);
  return exceededLimits;
}

/** Prints a line with its verdict; returns 1 if the value exceeds the limit, else 0. */
function report(title: string, value: number, limit: number, cells: string[]): number {
  const isWithin = value <= limit;
  print([title, ...cells, isWithin ? 'PASS' : 'exceeded']);
  return isWithin ? 0 : 1;
}

/** Starts a service and waits until its threads are ready. */
async function startWarmService(url: string): Promise<ServingProcess> {
  const service = await startService(url, { preloadModule: './turn-watch.ts' });
  await fetchText(`${service.origin}/api/coco/campaigns`);
  await delay(3_000);
  return service;
}

/** Requests the health check every few milliseconds until the signal is aborted. Returns its times. */
async function watchHealth(origin: string, signal: AbortSignal): Promise<number[]> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const waits: number[] = [];
  while (!signal.aborted) {
    waits.push(await measureResponse(`${origin}/api/health`, agent));
    await delay(5);
  }
  agent.destroy();
  return waits;
}

/** Returns the longest time for which the request thread was busy since the last call; see turn-watch.ts. */
async function readLongestTurn({ process: child }: ServingProcess): Promise<number> {
  child.send('longest turn');
  for await (const [message] of on(child, 'message') as AsyncIterable<[object]>) {
    if ('millis' in message) return (message as LongestTurn).millis;
  }
  throw new Error('The service has ended');
}

/** Returns the processor time of a process, in milliseconds; NaN where the system does not report it. */
function readProcessorMillis({ process: { pid } }: ServingProcess): number {
  if (process.platform !== 'linux') return NaN;
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  const [user, system] = stat.slice(stat.lastIndexOf(')')).split(' ').slice(12, 14).map(Number);
  // A tick is 10 ms.
  return 10 * ((user ?? NaN) + (system ?? NaN));
}

/** A database whose pages are visited, and the limit of the resident memory after them, in megabytes. */
interface MemorySubject {
  title: string;
  url: string;
  paths: string[];
  limitMegabytes: number;
}

/**
 * Measures the resident memory of three services: on the sample, on 100,000 runs and on the campaign, each after all
 * its pages and two minutes later, with an open event stream.
 */
async function measureMemory(campaign: string, runs: string, pages: string[]): Promise<number> {
  const folder = mkdtempSync(join(tmpdir(), 'evoscope-memory-'));
  const sample = join(folder, 'sample.db');
  writeSampleFile(sample);
  const subjectsOfMemory: MemorySubject[] = [
    { title: 'memory: sample', url: sample, paths: [], limitMegabytes: 300 },
    { title: 'memory: 100,000 runs', url: runs, paths: pages, limitMegabytes: 450 },
    { title: 'memory: campaign', url: campaign, paths: campaignPaths, limitMegabytes: 900 },
  ];
  print(['', 'idle before', 'after all pages', 'limit', '', 'idle after', 'limit']);
  const results = [];
  try {
    for (const subject of subjectsOfMemory) results.push(await measureSubjectMemory(subject));
  } finally {
    rmSync(folder, { recursive: true });
  }
  return results.reduce((sum, count) => sum + count, 0);
}

async function measureSubjectMemory({
  title,
  url,
  paths,
  limitMegabytes,
}: MemorySubject): Promise<number> {
  const service = await startService(url);
  const stream = get(`${service.origin}/api/changes`, (response) => response.resume());
  stream.on('error', () => {});
  try {
    await delay(settledMillis);
    const idleBefore = getResidentMegabytes(service);
    let failedRequests = 0;
    for (const path of paths) {
      await fetchText(service.origin + path).catch((error: unknown) => {
        failedRequests += 1;
        process.stderr.write(`${String(error)}\n`);
      });
    }
    await delay(trimMillis);
    const memoryAfter = getResidentMegabytes(service);
    if (paths.length > 0) await delay(idleMillis);
    const idleAfter = getResidentMegabytes(service);
    const idleLimit = 1.2 * idleBefore;
    const isWithin = memoryAfter <= limitMegabytes && failedRequests === 0;
    const isIdle = idleAfter <= idleLimit;
    const formatMegabytes = (value: number) => `${value.toFixed(0)} MB`;
    print([
      title,
      formatMegabytes(idleBefore),
      formatMegabytes(memoryAfter),
      formatMegabytes(limitMegabytes),
      isWithin ? 'PASS' : 'exceeded',
      formatMegabytes(idleAfter),
      formatMegabytes(idleLimit),
      isIdle ? 'PASS' : 'exceeded',
    ]);
    return Number(!isWithin) + Number(!isIdle);
  } finally {
    stream.destroy();
    await stopProcess(service);
  }
}
