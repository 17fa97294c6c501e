import { compareAnalyses } from './analysis.ts';
import { ensureDatabase } from './generate.ts';
import { fetchText, measure } from './measure.ts';
import { print, printTimings } from './report.ts';
import { startFloor, startService, stop, type Served } from './served.ts';
import type { StatementName } from './statements.ts';
import { compareTurns } from './turns.ts';
import { ordinaryRunIndex, runIdOf, workload } from './workload.ts';

/** The service may take so many times as long as the floor, by the median. */
const largestRatio = 3;

interface Subject {
  title: string;
  path: string;
  statement: StatementName;
  rounds: number;
}

const scalarsOf = (index: number) => `/api/runs/${runIdOf(index)}/iterations?fields=scalars`;

const subjects: Subject[] = [
  { title: 'first page of runs', path: '/api/runs', statement: 'first-page', rounds: 400 },
  {
    title: `search for "${workload.searchText}"`,
    path: `/api/runs?q=${workload.searchText}`,
    statement: 'search',
    rounds: 200,
  },
  {
    title: 'scalars of 200 iterations',
    path: scalarsOf(ordinaryRunIndex),
    statement: 'scalars-short',
    rounds: 300,
  },
  {
    title: `scalars of ${workload.longRun.iterations} iterations`,
    path: scalarsOf(workload.longRun.index),
    statement: 'scalars-long',
    rounds: 60,
  },
];

async function main(): Promise<number> {
  const file = await ensureDatabase((message) => process.stderr.write(`${message}\n`));
  print(['', 'service median', 'p99', 'floor median', 'p99', 'ratio']);
  const served = await Promise.all([startService(file), startFloor(file)]);
  try {
    const isTooSlow = await compareAll(...served);
    return isTooSlow + (await compareAnalyses()) + (await compareTurns());
  } finally {
    await Promise.all(served.map(stop));
  }
}

async function compareAll(service: Served, floor: Served): Promise<number> {
  const ratios: number[] = [];
  for (const { title, path, statement, rounds } of subjects) {
    const urls = { service: service.origin + path, floor: `${floor.origin}/${statement}` };
    await assertSameAnswer(title, urls);
    ratios.push(printTimings(title, await measure(urls, rounds)));
  }
  const isTooSlow = ratios.some((ratio) => ratio > largestRatio);
  if (isTooSlow) process.stderr.write(`A ratio is above ${largestRatio}\n`);
  return isTooSlow ? 1 : 0;
}

/** A floor that answers something else would measure nothing. */
async function assertSameAnswer(
  title: string,
  urls: { service: string; floor: string },
): Promise<void> {
  const [own, bare] = await Promise.all([rowsOf(urls.service), rowsOf(urls.floor)]);
  if (own.length === 0 || JSON.stringify(own) !== JSON.stringify(bare)) {
    throw new Error(`${title}: service and floor differ: ${JSON.stringify([own[0], bare[0]])}`);
  }
}

async function rowsOf(url: string): Promise<[string, unknown][][]> {
  const answer = JSON.parse(await fetchText(url)) as object[] | { items: object[]; total: number };
  const rows = Array.isArray(answer) ? answer : [...answer.items, { total: answer.total }];
  return rows.map((row) => Object.entries(row).sort(([a], [b]) => (a < b ? -1 : 1)));
}

process.exitCode = Math.min(1, await main());
