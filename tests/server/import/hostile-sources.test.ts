import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { zipSync } from 'fflate';
import { afterAll, expect, test } from 'vitest';
import type { ProblemError } from '#server/errors.ts';
import { NoteBook } from '#server/import/notes.ts';
import { parseInfoIndex, parseJsonIndex } from '#server/import/formats/indexes.ts';
import { readDataSet } from '#server/import/read-data-set.ts';
import { defaultLimits, Meter } from '#server/import/source/entry.ts';
import { openSource } from '#server/import/source/read-source.ts';
import { serialiseFailure } from '#server/runtime/import-failure.ts';
import { deserialiseError } from '#server/runtime/tasks.ts';

const folder = mkdtempSync(join(tmpdir(), 'evoscope-hostile-'));
afterAll(() => rmSync(folder, { recursive: true }));

const read = (name: string, bytes: string | Uint8Array) => {
  const { signal } = new AbortController();
  const path = join(folder, name);
  writeFileSync(path, bytes);
  return readDataSet({ path }, { direction: 'min' }, () => {}, signal);
};

test('An index with a header of 20 MB is read except for that header', () => {
  for (const filling of ['x', "'", ' ', "a='", '=', 'a,']) {
    const header = `funcId = 1, DIM = 2, algId = '${filling.repeat(20_000_000 / filling.length)}`;
    const notes = new NoteBook();
    const text = `${header}\n%\nf1_DIM2.dat, 1:5|1\nfuncId = 1, DIM = 2, algId = 'A'\n%\nf1_DIM2.dat, 1:5|1\n`;
    expect(parseInfoIndex('x.info', text, notes)).toMatchObject([{ algorithm: 'A' }]);
    expect(notes.list().map(({ code }) => code)).toContain('BAD_INDEX');
  }
}, 60_000);

test('A line of 130,000 data files is read completely', () => {
  const files = Array.from({ length: 130_000 }, (_, i) => `f${i}.dat, 1:5|1`).join(', ');
  const notes = new NoteBook();
  const text = `funcId = 1, DIM = 2, algId = 'A'\n%\n${files}\n`;
  expect(parseInfoIndex('x.info', text, notes)).toHaveLength(130_000);
});

test('Attributes that are nested deeply are omitted', async () => {
  const deep = `${'['.repeat(100_000)}${']'.repeat(100_000)}`;
  const index = `{"function_id":1,"scenarios":[],"attributes":[${deep}],"experiment_attributes":[{"a":${deep}}]}`;
  expect(parseJsonIndex('IOHprofiler_f1.json', index, new NoteBook())).toEqual([]);
  const line = `{"evaluations":1,"best":2,"seed":${deep}}\n`;
  const { campaigns } = await read('deep.jsonl', line);
  expect(campaigns).toHaveLength(1);
});

/** A zip whose directory names the first of its entries twice. */
function overlappingZip(): Uint8Array {
  const bytes = Buffer.from(
    zipSync({ 'a.csv': Buffer.from('evaluations,best\n1,2\n'), 'b.csv': Buffer.from('x') }),
  );
  const secondOffset = bytes.lastIndexOf(Buffer.from('PK\u0001\u0002', 'latin1'));
  bytes.writeUInt32LE(0, secondOffset + 42);
  return bytes;
}

test('A zip with entries that overlap is refused', async () => {
  await expect(read('overlap.zip', overlappingZip())).rejects.toMatchObject({
    code: 'ARCHIVE_UNREADABLE',
    message: 'The zip archive has entries that overlap. Create or download it again',
  });
});

test('A cancelled import ends with the next chunk of an entry of an archive', async () => {
  const table = Buffer.from(`evaluations,best\n${'1,2\n'.repeat(500_000)}`);
  const path = join(folder, 'large.zip');
  writeFileSync(path, zipSync({ 'large.csv': table }, { level: 0 }));
  const controller = new AbortController();
  const notes = new NoteBook();
  const meter = new Meter(defaultLimits);
  const readOptions = { meter, notes, onBytes: () => {}, signal: controller.signal };
  let chunks = 0;
  const readAll = async () => {
    const { entries } = await openSource({ path }, readOptions);
    for await (const { bytes } of entries) {
      for await (const _ of bytes) {
        chunks += 1;
        controller.abort(new Error('cancelled'));
      }
    }
  };
  await expect(readAll()).rejects.toThrow('cancelled');
  expect(chunks).toBe(1);
});

test.each([
  [
    'SQLITE_FULL',
    'DATABASE_UNAVAILABLE',
    /^The disk of the database or of temporary files is full\. Free some space and import again$/,
  ],
  ['53100', 'DATABASE_UNAVAILABLE', /^The disk of the database or of temporary files is full/],
  ['ENOSPC', 'DATABASE_UNAVAILABLE', /^The disk of the database or of temporary files is full/],
  [
    'ERR_WORKER_OUT_OF_MEMORY',
    'PAYLOAD_TOO_LARGE',
    /^The source needs more memory than an import may take \(1 GB\)\. Import it in parts$/,
  ],
])('A failure with the code %s is reported as %s', (code, problem, message) => {
  const error = Object.assign(new Error('failed'), { code });
  const received = deserialiseError(serialiseFailure(error, () => 'other').error) as ProblemError;
  expect(received).toMatchObject({
    code: problem,
    message: expect.stringMatching(message) as string,
  });
});

test('A failure to connect to a missing socket of PostgreSQL is no failure to read the source', () => {
  const error = Object.assign(new Error('connect ENOENT /run/postgresql/.s.PGSQL.5432'), {
    code: 'ENOENT',
    syscall: 'connect',
  });
  const received = deserialiseError(serialiseFailure(error, () => 'other').error) as ProblemError;
  expect(received).toMatchObject({
    code: 'DATABASE_UNAVAILABLE',
    message: expect.stringMatching(
      /^The database does not respond; try again in a moment$/,
    ) as string,
  });
});
