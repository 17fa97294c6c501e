import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { expect } from 'vitest';
import { readGrowth, replayWrites } from './growth.ts';

interface RunList {
  total: number;
  items: { status: string; progress: { evaluations: number | null } | null }[];
}

/** Number of writes of the logger before its first index. They contain rows of its first run. */
const firstWrites = 3;

/**
 * Writes the files of ioh into a folder that `child`, a program `evoscope import --watch`, watches. Expects the service
 * at `address`, which has the same database, to show the first run while it grows, and all runs as ended afterwards.
 * Ends the program like Ctrl+C, and returns the number of runs that it printed.
 */
export async function growWatchedFolder(
  folder: string,
  address: string,
  child: ChildProcess,
): Promise<number> {
  let output = '';
  child.stdout?.on('data', (data) => (output += String(data)));
  const listRuns = async () =>
    (await (await fetch(`${address}/api/runs?size=100`)).json()) as RunList;
  const pollOptions = { timeout: 30_000 };
  const writes = readGrowth('ioh');
  Array.from(replayWrites(folder, writes.slice(0, firstWrites)));
  const runningRun = { status: 'RUNNING', progress: { evaluations: expect.any(Number) } };
  await expect.poll(listRuns, pollOptions).toMatchObject({ total: 1, items: [runningRun] });
  Array.from(replayWrites(folder, writes.slice(firstWrites)));
  const listStatuses = async () => new Set((await listRuns()).items.map(({ status }) => status));
  await expect.poll(listStatuses, pollOptions).toEqual(new Set(['COMPLETED']));
  const exit = once(child, 'close');
  process.kill(-Number(child.pid), 'SIGINT');
  await exit;
  const result = JSON.parse(output) as { campaigns: { runs: number }[] };
  const runs = result.campaigns.reduce((sum, campaign) => sum + campaign.runs, 0);
  expect((await listRuns()).total).toBe(runs);
  return runs;
}
