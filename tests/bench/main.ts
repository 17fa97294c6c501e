import { isDeepStrictEqual } from 'node:util';
import { compareAnalyses } from './analysis.ts';
import { compareCampaigns } from './coco.ts';
import { ensureDatabase } from './generate.ts';
import { fetchText, measure } from './measure.ts';
import { isWanted, print, printTimings } from './report.ts';
import { startFloor, startService, stop, type Served } from './served.ts';
import { measureScale } from './scale.ts';
import { measureStart } from './start.ts';
import type { StatementName } from './statements.ts';
import { compareTurns } from './turns.ts';
import { ordinaryRunIndex, getRunId, workload } from './workload.ts';

interface Subject {
  title: string;
  path: string;
  statement: StatementName;
  rounds: number;
  /** The service may take so many times as long as the floor, by the median. */
  limit: number;
}

const getScalars = (index: number) => `/api/runs/${getRunId(index)}/iterations?fields=scalars`;

const subjects: Subject[] = [
  {
    title: 'first page of runs',
    path: '/api/runs',
    statement: 'first-page',
    rounds: 400,
    limit: 3,
  },
  {
    title: 'first page of experiments',
    path: '/api/experiments',
    statement: 'experiments-page',
    rounds: 200,
    limit: 2,
  },
  {
    title: 'one experiment',
    path: '/api/experiments/{experimentId}',
    statement: 'experiment',
    rounds: 300,
    limit: 2,
  },
  { title: 'facets', path: '/api/facets', statement: 'facets', rounds: 200, limit: 3 },
  {
    title: `search for "${workload.searchText}"`,
    path: `/api/runs?q=${workload.searchText}`,
    statement: 'search',
    rounds: 200,
    limit: 3,
  },
  {
    title: 'scalars of 200 iterations',
    path: getScalars(ordinaryRunIndex),
    statement: 'scalars-short',
    rounds: 300,
    limit: 3,
  },
  {
    title: `scalars of ${workload.longRun.iterations} iterations`,
    path: getScalars(workload.longRun.index),
    statement: 'scalars-long',
    rounds: 60,
    limit: 3,
  },
  {
    title: 'iterations with big JSON',
    path: `/api/runs/${getRunId(workload.bigJson.index)}/iterations`,
    statement: 'big-json',
    rounds: 20,
    limit: 2,
  },
];

/**
 * Measures everything, or what the words of the command line name: `npm run bench -- facets cold`. The costs that grow
 * with the database are separate: `npm run bench -- scale`, see {@link measureScale}.
 */
async function main(): Promise<number> {
  const slowStart = await measureStart();
  if (process.argv.slice(2).join() === 'start') return slowStart;
  const file = await ensureDatabase((message) => process.stderr.write(`${message}\n`));
  print(['', 'service median', 'p99', 'floor median', 'p99', 'ratio']);
  const served = await Promise.all([startService(file), startFloor(file)]);
  const slow = await compareAll(...served).finally(() => Promise.all(served.map(stop)));
  return (
    slowStart +
    slow +
    (await compareAnalyses()) +
    (await compareCampaigns()) +
    (await compareTurns())
  );
}

async function compareAll(service: Served, floor: Served): Promise<number> {
  const slow: string[] = [];
  const experimentId = await findExperimentId(service);
  for (const { title, path, statement, rounds, limit } of subjects) {
    if (!isWanted(title)) continue;
    const address = path.replace('{experimentId}', experimentId);
    const urls = { service: service.origin + address, floor: `${floor.origin}/${statement}` };
    await assertSameAnswer(title, urls);
    const ratio = printTimings(title, await measure(urls, rounds));
    if (ratio > limit) slow.push(`${title}: ${ratio.toFixed(2)} is above ${limit}`);
  }
  for (const sentence of slow) process.stderr.write(`${sentence}\n`);
  return slow.length > 0 ? 1 : 0;
}

/** The experiment of the first run. */
async function findExperimentId(service: Served): Promise<string> {
  const run = await fetchText(`${service.origin}/api/runs/${getRunId(0)}`);
  return (JSON.parse(run) as { experimentId: string }).experimentId;
}

/** A floor with another response would measure nothing; it may omit fields that follow from the others. */
async function assertSameAnswer(
  title: string,
  urls: { service: string; floor: string },
): Promise<void> {
  const [own, bare] = await Promise.all([getRows(urls.service), getRows(urls.floor)]);
  const isSame =
    own.length > 0 &&
    own.length === bare.length &&
    bare.every((row, index) =>
      isDeepStrictEqual(masked(row), masked(pick(own[index] ?? {}, Object.keys(row)))),
    );
  if (!isSame) {
    throw new Error(`${title}: service and floor differ: ${JSON.stringify([own[0], bare[0]])}`);
  }
}

type Row = Record<string, unknown>;

function pick(row: Row, keys: readonly string[]): Row {
  return Object.fromEntries(keys.map((key) => [key, row[key]]));
}

/** With the one secret of the workload hidden, in either format. */
function masked(row: Row): Row {
  const hide = (value: unknown) =>
    typeof value === 'string' ? value.replaceAll(/"?(not-a-secret|\*{3})"?/g, '***') : value;
  return Object.fromEntries(Object.entries(row).map(([key, value]) => [key, hide(value)]));
}

async function getRows(url: string): Promise<Row[]> {
  const answer = JSON.parse(await fetchText(url)) as Row[] | { items: Row[]; total: number } | Row;
  if (Array.isArray(answer)) return answer;
  return Array.isArray(answer['items'])
    ? [...(answer['items'] as Row[]), { total: answer['total'] }]
    : [answer];
}

const [subject, ...words] = process.argv.slice(2);
process.exitCode = Math.min(1, await (subject === 'scale' ? measureScale(words) : main()));
