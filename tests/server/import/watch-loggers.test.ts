import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as pause } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { importDataSets } from '#server/import/import-data-sets.ts';
import { watchFolder } from '#server/import/watch/watch-folder.ts';
import { describeOnEachDatabase } from '#tests/support/databases.ts';
import { clearTables, readAllRows } from '#tests/support/growth.ts';
import { isLong } from '#tests/support/long.ts';

/** The virtual environment with ioh, coco-experiment and cma. */
const venv = process.env['EVOSCOPE_PYTHON_VENV'];
const python = join(venv ?? '', 'bin/python');
const script = join(import.meta.dirname, '../../fixtures/import/growth/grow.py');

/** About a minute. */
const evaluations = 1_200;
const longestDelayMillis = 2_000;
const pauseMillis = 50;

function getSkipReason(module: string): string {
  if (!isLong) return 'skipped, needs npm run test:long';
  if (venv === undefined) return 'skipped, EVOSCOPE_PYTHON_VENV names no virtual environment';
  const { status } = spawnSync(python, ['-c', `import ${module}`]);
  return status === 0 ? '' : `skipped, EVOSCOPE_PYTHON_VENV has no ${module}`;
}

describeOnEachDatabase('a folder that a real experiment writes while it is watched', (database) => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'evoscope-grow-'));
  });
  afterEach(async () => {
    rmSync(folder, { recursive: true });
    await clearTables(database());
  });

  /** The rows of all runs, each as its evaluations and its value. */
  const listRows = async () => {
    const rows = await database()
      .kysely.selectFrom('iterations')
      .select(['evaluations', 'best_fitness'])
      .execute();
    return new Set(rows.map((row) => `${row.evaluations} ${row.best_fitness}`));
  };

  test.for([
    ['ioh', 'ioh', getSkipReason('ioh')],
    ['coco', 'cocoex', getSkipReason('cocoex')],
    ['cma', 'cma', getSkipReason('cma')],
  ] as const)(
    'shows its rows within 2 s, and has the rows of a plain import in the end: %s %s %s',
    { timeout: 300_000 },
    async ([logger, _module, skipReason], { skip }) => {
      skip(skipReason !== '', skipReason);
      const stop = new AbortController();
      const problems: string[] = [];
      const watch = watchFolder(
        database(),
        folder,
        { name: 'set' },
        ({ problem }) => problem !== null && problems.push(problem),
        stop.signal,
      );
      const child = spawn(python, [script, logger, String(evaluations)], {
        cwd: folder,
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      const writeTimes = new Map<string, number>();
      const delays: number[] = [];
      let timerDelay = 0;
      createInterface(child.stdout).on('line', (line) => {
        const [count, value] = line.split(' ').map(Number);
        if (Number.isFinite(value)) writeTimes.set(`${count} ${value}`, performance.now());
      });
      const exit = once(child, 'exit');
      while (child.exitCode === null || writeTimes.size > 0) {
        const rows = await listRows();
        for (const [row, time] of writeTimes) {
          const delay = performance.now() - time;
          if (!rows.has(row) && delay < 5 * longestDelayMillis) continue;
          delays.push(delay);
          writeTimes.delete(row);
        }
        const startMillis = performance.now();
        await pause(pauseMillis);
        timerDelay = Math.max(timerDelay, performance.now() - startMillis - pauseMillis);
      }
      expect((await exit)[0]).toBe(0);
      stop.abort();
      const result = await watch;
      expect(problems).toEqual([]);
      expect(delays.length).toBeGreaterThan(20);
      // A busy machine delays the timers of this process, too.
      expect(Math.max(...delays)).toBeLessThan(longestDelayMillis + 2 * timerDelay);
      process.stdout.write(
        `${logger}: ${delays.length} rows, at most ${Math.round(Math.max(...delays))} ms late, timers ${Math.round(timerDelay)} ms\n`,
      );
      const rows = await readAllRows(database());
      await clearTables(database());
      expect(result).toEqual(await importDataSets(database(), { path: folder }, { name: 'set' }));
      expect(rows).toEqual(await readAllRows(database()));
    },
  );
});
