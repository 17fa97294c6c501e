import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { startRecorded } from './walk.ts';

const quoteSharedUrl = (file: string) =>
  JSON.stringify(pathToFileURL(join(import.meta.dirname, '../../shared', file)).href);

/** Calls one file on start, and when it gets a request another one, and a third in a thread that it starts. */
const program = `
import { Worker } from 'node:worker_threads';
import { formatCsvLine } from ${quoteSharedUrl('csv.ts')};
import { parseParamFilter } from ${quoteSharedUrl('syntax.ts')};
import ${quoteSharedUrl('schemas/run.ts')};
formatCsvLine(['at the start']);
setInterval(() => {}, 1000);
console.log('ready');
process.on('message', (text) => {
  if (text !== 'request') return;
  parseParamFilter('a = 1');
  new Worker(new URL('./thread.mjs', import.meta.url)).once('exit', () => process.send('response'));
});
`;
const thread = `
import { isSilent } from ${quoteSharedUrl('silence.ts')};
import ${quoteSharedUrl('schemas/run.ts')};
isSilent({ status: 'RUNNING' }, 0);
`;

test('a walk lists the files of which a function runs during a request, in all threads, without files that are only loaded', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'evoscope-walk-test-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  writeFileSync(join(folder, 'program.mjs'), program);
  writeFileSync(join(folder, 'thread.mjs'), thread);
  const recordedProgram = startRecorded(join(folder, 'program.mjs'), []);
  onTestFinished(() => recordedProgram.end());
  expect(await recordedProgram.firstLine).toBe('ready');
  expect(await recordedProgram.files()).toContain('shared/csv.ts');
  recordedProgram.child.send('request');
  await new Promise((resolve) => void recordedProgram.child.once('message', resolve));
  const files = await recordedProgram.files();
  expect(files).toEqual(expect.arrayContaining(['shared/syntax.ts', 'shared/silence.ts']));
  expect(files).not.toContain('shared/csv.ts');
  expect(files.filter((file) => file.startsWith('shared/schemas/'))).toEqual([]);
  expect(await recordedProgram.files()).toEqual([]);
});
