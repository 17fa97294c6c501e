import { isDeepStrictEqual } from 'node:util';
import { compareAnalyses } from './analysis.ts';
import { compareCampaigns } from './coco.ts';
import { ensureDatabase } from './generate.ts';
import { fetchText, measure } from './measure.ts';
import { isSelected, print, printTimings } from './report.ts';
import { startFloor, startService, stopProcess, type ServingProcess } from './serving-process.ts';
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
  /** Maximum ratio of the median time of the service to that of the floor. */
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
    path: `/api/runs/${getRunId(workload.largeJson.index)}/iterations`,
    statement: 'big-json',
    rounds: 20,
    limit: 2,
  },
];

/**
 * Measures everything, or only the titles with a word of the command line: `npm run bench -- facets cold`. The costs
 * that grow with the database are separate: `npm run bench -- scale`, see {@link measureScale}.
 */
async function main(): Promise<number> {
  const slowStart = await measureStart();
  if (process.argv.slice(2).join() === 'start') return slowStart;
  const file = await ensureDatabase((message) => process.stderr.write(`${message}\n`));
  print(['', 'service median', 'p99', 'floor median', 'p99', 'ratio']);
  const processes = await Promise.all([startService(file), startFloor(file)]);
  const slowResponses = await compareAll(...processes).finally(() =>
    Promise.all(processes.map(stopProcess)),
  );
  return (
    slowStart +
    slowResponses +
    (await compareAnalyses()) +
    (await compareCampaigns()) +
    (await compareTurns())
  );
}

async function compareAll(service: ServingProcess, floor: ServingProcess): Promise<number> {
  const faults: string[] = [];
  const experimentId = await findExperimentId(service);
  for (const { title, path, statement, rounds, limit } of subjects) {
    if (!isSelected(title)) continue;
    const address = path.replace('{experimentId}', experimentId);
    const urls = { service: service.origin + address, floor: `${floor.origin}/${statement}` };
    await requireSameRows(title, urls);
    const ratio = printTimings(title, await measure(urls, rounds));
    if (ratio > limit) faults.push(`${title}: ${ratio.toFixed(2)} is above ${limit}`);
  }
  for (const sentence of faults) process.stderr.write(`${sentence}\n`);
  return faults.length > 0 ? 1 : 0;
}

/** Returns the id of the experiment of the first run. */
async function findExperimentId(service: ServingProcess): Promise<string> {
  const run = await fetchText(`${service.origin}/api/runs/${getRunId(0)}`);
  return (JSON.parse(run) as { experimentId: string }).experimentId;
}

/** Throws if the rows of service and floor differ. The floor may omit fields that follow from others. */
async function requireSameRows(
  title: string,
  urls: { service: string; floor: string },
): Promise<void> {
  const [serviceRows, floorRows] = await Promise.all([getRows(urls.service), getRows(urls.floor)]);
  const isSame =
    serviceRows.length > 0 &&
    serviceRows.length === floorRows.length &&
    floorRows.every((row, index) =>
      isDeepStrictEqual(
        hideSecret(row),
        hideSecret(pick(serviceRows[index] ?? {}, Object.keys(row))),
      ),
    );
  if (!isSame) {
    throw new Error(
      `${title}: service and floor differ: ${JSON.stringify([serviceRows[0], floorRows[0]])}`,
    );
  }
}

type Row = Record<string, unknown>;

function pick(row: Row, keys: readonly string[]): Row {
  return Object.fromEntries(keys.map((key) => [key, row[key]]));
}

/** Returns a row whose one secret is hidden, in either format. */
function hideSecret(row: Row): Row {
  const hideInText = (value: unknown) =>
    typeof value === 'string' ? value.replaceAll(/"?(not-a-secret|\*{3})"?/g, '***') : value;
  return Object.fromEntries(Object.entries(row).map(([key, value]) => [key, hideInText(value)]));
}

async function getRows(url: string): Promise<Row[]> {
  const response = JSON.parse(await fetchText(url)) as
    Row[] | { items: Row[]; total: number } | Row;
  if (Array.isArray(response)) return response;
  return Array.isArray(response['items'])
    ? [...(response['items'] as Row[]), { total: response['total'] }]
    : [response];
}

const [subject, ...words] = process.argv.slice(2);
process.exitCode = Math.min(1, await (subject === 'scale' ? measureScale(words) : main()));
