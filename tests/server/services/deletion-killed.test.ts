import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { beforeAll, expect, test } from 'vitest';
import { describeOnEachDatabase } from '#tests/support/databases.ts';
import { countRows, insertExperiment, insertIterations, insertRun } from '#tests/support/rows.ts';

const root = join(import.meta.dirname, '../../..');
const rows = 100_000;
const kills = 20;

/** Starts the real service over a database and waits for its ready line. */
async function startProcess(url: string): Promise<{ child: ChildProcess; address: string }> {
  const child = spawn(process.execPath, ['server/main.ts', '--db', url, '--port', '0'], {
    cwd: root,
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  for await (const line of createInterface({ input: child.stdout })) {
    const address = /ready at (\S+?)\/ /.exec(line)?.[1];
    if (address) return { child, address };
  }
  throw new Error('the service ended before it was ready');
}

describeOnEachDatabase('a service killed in the middle of a deletion', (database) => {
  const experiment = async () => {
    await insertExperiment(database(), 'large');
    await insertRun(database(), 'large', 'run');
    await insertIterations(database(), 'run', rows);
  };
  const deleteIn = (address: string) =>
    fetch(`${address}/api/experiments/large`, { method: 'DELETE' }).then(
      ({ status }) => status,
      () => 'cut off' as const,
    );
  let deletionMillis: number;

  beforeAll(async () => {
    await experiment();
    const { child, address } = await startProcess(database().url);
    const before = performance.now();
    expect(await deleteIn(address)).toBe(200);
    deletionMillis = performance.now() - before;
    child.kill('SIGKILL');
    await once(child, 'exit');
    await experiment();
  });

  test(
    `leaves all ${rows} rows or none, ${kills} times at random moments`,
    { timeout: 300_000 },
    async () => {
      const outcomes = { all: 0, none: 0 };
      for (let kill = 0; kill < kills; kill++) {
        const { child, address } = await startProcess(database().url);
        const answer = deleteIn(address);
        await new Promise((resolve) => setTimeout(resolve, Math.random() * deletionMillis * 1.2));
        child.kill('SIGKILL');
        await once(child, 'exit');
        await answer;
        const counts = await settledCounts();
        const isWhole = counts['experiments'] === 1;
        expect(counts).toMatchObject({
          experiments: isWhole ? 1 : 0,
          runs: isWhole ? 1 : 0,
          iterations: isWhole ? rows : 0,
        });
        outcomes[isWhole ? 'all' : 'none'] += 1;
        if (!isWhole) await experiment();
      }
      // A kill that never comes in time, or always does, would not have tried the middle.
      expect(outcomes.all).toBeGreaterThan(0);
    },
  );

  /** PostgreSQL may still be ending the transaction of the connection that was lost. */
  async function settledCounts(): Promise<Record<string, number>> {
    const first = await countRows(database());
    await new Promise((resolve) => setTimeout(resolve, 100));
    const second = await countRows(database());
    return JSON.stringify(first) === JSON.stringify(second) ? second : settledCounts();
  }
});
