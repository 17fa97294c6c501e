import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { expect } from 'vitest';
import { readGrowth, replay } from './growth.ts';

interface RunList {
  total: number;
  items: { status: string; progress: { evaluations: number | null } | null }[];
}

/** Number of writes of the logger before its first index: rows of its first run. */
const firstWrites = 3;

/**
 * Writes the files of ioh into a folder that `child`, a program `evoscope import --watch`, watches. Expects the service at
 * `address`, which has the same database, to show the first run while it grows, and all runs as ended afterwards. Ends the
 * program like Ctrl+C, and returns the number of runs that it printed.
 */
export async function growWatchedFolder(
  folder: string,
  address: string,
  child: ChildProcess,
): Promise<number> {
  let output = '';
  child.stdout?.on('data', (data) => (output += String(data)));
  const list = async () => (await (await fetch(`${address}/api/runs?size=100`)).json()) as RunList;
  const patience = { timeout: 30_000 };
  const writes = readGrowth('ioh');
  Array.from(replay(folder, writes.slice(0, firstWrites)));
  const running = { status: 'RUNNING', progress: { evaluations: expect.any(Number) } };
  await expect.poll(list, patience).toMatchObject({ total: 1, items: [running] });
  Array.from(replay(folder, writes.slice(firstWrites)));
  const statuses = async () => new Set((await list()).items.map(({ status }) => status));
  await expect.poll(statuses, patience).toEqual(new Set(['COMPLETED']));
  const exit = once(child, 'close');
  process.kill(-Number(child.pid), 'SIGINT');
  await exit;
  const result = JSON.parse(output) as { campaigns: { runs: number }[] };
  const runs = result.campaigns.reduce((sum, campaign) => sum + campaign.runs, 0);
  expect((await list()).total).toBe(runs);
  return runs;
}
