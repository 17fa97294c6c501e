import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { writeSampleFile } from '#tests/support/sample-file.ts';
import { fetchText, timed } from './measure.ts';
import { isWanted, print } from './report.ts';
import { residentMegabytes, startService, stop, type Served } from './served.ts';

const pauseMillis = 3_000;
const settledMillis = 30_000;

/** Limits, in milliseconds and megabytes; of the analysis after a pause, how much longer than a later one it may take. */
const limits = { atReady: 300, factor: 1.5, surplus: 80, megabytes: 300 };

/**
 * Measures fresh processes on the sample database: how long until one is ready, its first analysis at once and after a pause,
 * a later analysis of another problem, and its memory when all threads are ready. Returns 1 if a figure exceeds its limit.
 */
export async function measureStart(): Promise<number> {
  if (!isWanted('start')) return 0;
  const folder = mkdtempSync(join(tmpdir(), 'evoscope-start-'));
  const file = join(folder, 'sample.db');
  writeSampleFile(file);
  try {
    // Fills the compile cache, as any earlier start has.
    await stop(await startService(file));
    const early = await measureProcess(file, 0);
    const late = await measureProcess(file, pauseMillis);
    const shown: [string, number, string][] = [
      ['start: ready', late.ready, 'ms'],
      ['start: first analysis at ready', early.first, 'ms'],
      [`start: first analysis after ${pauseMillis / 1_000} s`, late.first, 'ms'],
      ['start: later analysis', late.later, 'ms'],
      [`start: memory after ${settledMillis / 1_000} s`, late.megabytes, 'MB'],
    ];
    for (const [title, value, unit] of shown) print([title, `${value.toFixed(0)} ${unit}`]);
    const afterPause = Math.max(limits.factor * late.later, late.later + limits.surplus);
    const isSlow =
      early.first > limits.atReady || late.first > afterPause || late.megabytes > limits.megabytes;
    if (isSlow)
      process.stderr.write(
        `start: the limits are ${limits.atReady} ms at ready, ${afterPause.toFixed(0)} ms after a pause and ${limits.megabytes} MB\n`,
      );
    return isSlow ? 1 : 0;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

interface Figures {
  ready: number;
  first: number;
  later: number;
  /** Resident memory of the process; NaN where the system does not tell. */
  megabytes: number;
}

async function measureProcess(file: string, pause: number): Promise<Figures> {
  const start = performance.now();
  const service = await startService(file);
  const readyAt = performance.now();
  try {
    await delay(pause);
    const [one = '', other = ''] = await listProblemTypes(service);
    const first = await timed(getAnalysis(service, one));
    const later = await timed(getAnalysis(service, other));
    if (pause > 0) await delay(settledMillis - (performance.now() - readyAt));
    return { ready: readyAt - start, first, later, megabytes: residentMegabytes(service) };
  } finally {
    await stop(service);
  }
}

/** Returns the types of problems in the database, read by a thread that does not analyse. */
async function listProblemTypes({ origin }: Served): Promise<string[]> {
  const text = await fetchText(`${origin}/api/experiments?size=200`);
  const { items } = JSON.parse(text) as { items: { problemType: string }[] };
  return [...new Set(items.map(({ problemType }) => problemType))];
}

function getAnalysis({ origin }: Served, problemType: string): string {
  return `${origin}/api/analysis/problem/${encodeURIComponent(problemType)}`;
}
