import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { ensureDatabase } from './generate.ts';
import { fetchText, measure, quantile, type Timings } from './measure.ts';
import type { StatementName } from './statements.ts';
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

/** A process that serves, and where. */
interface Served {
  process: ChildProcess;
  origin: string;
}

async function main(): Promise<number> {
  const file = await ensureDatabase((message) => process.stderr.write(`${message}\n`));
  const served = await Promise.all([startService(file), startFloor(file)]);
  try {
    return await compareAll(...served);
  } finally {
    await Promise.all(served.map(stop));
  }
}

async function startService(file: string): Promise<Served> {
  const flags = ['--db', file, '--port', '0', '--log-level', 'error'];
  const { process: child, line } = await start('../../server/main.ts', flags);
  const origin = /http:\/\/[^/ ]+/.exec(line)?.[0];
  if (origin === undefined) throw new Error(`The service does not say where it is: ${line}`);
  return { process: child, origin };
}

async function startFloor(file: string): Promise<Served> {
  const { process: child, line } = await start('./floor.ts', [file]);
  return { process: child, origin: `http://127.0.0.1:${line}` };
}

/** Starts a program and waits for its first line. */
async function start(
  program: string,
  flags: string[],
): Promise<{ process: ChildProcess; line: string }> {
  const path = fileURLToPath(new URL(program, import.meta.url));
  const child = spawn(process.execPath, [path, ...flags], { stdio: ['ignore', 'pipe', 'inherit'] });
  const lines = createInterface({ input: child.stdout });
  const [line] = (await Promise.race([once(lines, 'line'), once(lines, 'close')])) as [string?];
  if (line === undefined) throw new Error(`${program} ended before it was ready`);
  return { process: child, line };
}

async function stop({ process: child }: Served): Promise<void> {
  const ended = once(child, 'exit');
  child.kill('SIGTERM');
  await ended;
}

async function compareAll(service: Served, floor: Served): Promise<number> {
  const ratios: number[] = [];
  print(['', 'service median', 'p99', 'floor median', 'p99', 'ratio']);
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

function printTimings(title: string, { service, floor }: Timings): number {
  const ratio = quantile(service, 0.5) / quantile(floor, 0.5);
  const figures = [service, floor].flatMap((values) => [
    quantile(values, 0.5),
    quantile(values, 0.99),
  ]);
  print([title, ...figures.map((millis) => `${millis.toFixed(2)} ms`), ratio.toFixed(2)]);
  return ratio;
}

function print([title = '', ...cells]: string[]): void {
  process.stdout.write(`${title.padEnd(28)}${cells.map((cell) => cell.padStart(16)).join('')}\n`);
}

process.exitCode = await main();
