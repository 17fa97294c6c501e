import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { writeSampleFile } from '#tests/support/sample-file.ts';
import { fetchText, measureResponse } from './measure.ts';
import { isSelected, print } from './report.ts';
import {
  getResidentMegabytes,
  startService,
  stopProcess,
  type ServingProcess,
} from './serving-process.ts';

const pauseMillis = 3_000;
const settledMillis = 30_000;

/** Limits in milliseconds and megabytes. `factor` and `surplus` limit the analysis after a pause relative to a later one. */
const limits = { atReady: 300, factor: 1.5, surplus: 80, megabytes: 300 };

/**
 * Measures new processes on the sample database: the time until one is ready, its first analysis immediately and after
 * a pause, a later analysis of another problem, and its memory when all threads are ready. Returns 1 if a value exceeds
 * its limit.
 */
export async function measureStart(): Promise<number> {
  if (!isSelected('start')) return 0;
  const folder = mkdtempSync(join(tmpdir(), 'evoscope-start-'));
  const file = join(folder, 'sample.db');
  writeSampleFile(file);
  try {
    // Fills the compile cache, as a previous start does.
    await stopProcess(await startService(file));
    const early = await measureProcess(file, 0);
    const late = await measureProcess(file, pauseMillis);
    const cells: [string, number, string][] = [
      ['start: ready', late.ready, 'ms'],
      ['start: first analysis at ready', early.first, 'ms'],
      [`start: first analysis after ${pauseMillis / 1_000} s`, late.first, 'ms'],
      ['start: later analysis', late.later, 'ms'],
      [`start: memory after ${settledMillis / 1_000} s`, late.megabytes, 'MB'],
    ];
    for (const [title, value, unit] of cells) print([title, `${value.toFixed(0)} ${unit}`]);
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

interface StartTimes {
  ready: number;
  first: number;
  later: number;
  /** Resident memory of the process; NaN if the system does not report it. */
  megabytes: number;
}

async function measureProcess(file: string, pause: number): Promise<StartTimes> {
  const start = performance.now();
  const service = await startService(file);
  const readyAt = performance.now();
  try {
    await delay(pause);
    const [firstType = '', secondType = ''] = await listProblemTypes(service);
    const first = await measureResponse(getAnalysis(service, firstType));
    const later = await measureResponse(getAnalysis(service, secondType));
    if (pause > 0) await delay(settledMillis - (performance.now() - readyAt));
    return { ready: readyAt - start, first, later, megabytes: getResidentMegabytes(service) };
  } finally {
    await stopProcess(service);
  }
}

/** Returns the types of problems in the database, read by a thread that does not analyse. */
async function listProblemTypes({ origin }: ServingProcess): Promise<string[]> {
  const text = await fetchText(`${origin}/api/experiments?size=200`);
  const { items } = JSON.parse(text) as { items: { problemType: string }[] };
  return [...new Set(items.map(({ problemType }) => problemType))];
}

function getAnalysis({ origin }: ServingProcess, problemType: string): string {
  return `${origin}/api/analysis/problem/${encodeURIComponent(problemType)}`;
}
