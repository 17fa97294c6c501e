import { expect, test } from 'vitest';
import { readCsvRecords, readJsonRecords } from '#server/import/tables/read-table.ts';

test.each([
  ['CSV', readCsvRecords, 'a,b\n'],
  ['JSON lines', readJsonRecords, '{"a":1}\n'],
])('%s that are not read to their end are closed', async (_format, readRecords, line) => {
  const state = { isClosed: false };
  async function* yieldLines() {
    try {
      for (;;) yield Buffer.from(line.repeat(10_000));
    } finally {
      state.isClosed = true;
    }
  }
  const records = readRecords(yieldLines());
  await records.next();
  await records.return(undefined);
  expect(state).toEqual({ isClosed: true });
});

test('JSON lines have the columns of all objects', async () => {
  const lines = ['no object', '{"best":5}', '{"best":4,"algorithm":"B"}', '{"param:size":2}'];
  async function* yieldLines() {
    for (const line of lines) yield Buffer.from(`${line}\n`);
  }
  const records: unknown[] = [];
  for await (const record of readJsonRecords(yieldLines())) records.push(record);
  expect(records).toEqual([
    ['best', 'algorithm', 'param:size'],
    null,
    ['5', '', ''],
    ['4', 'B', ''],
    ['', '', '2'],
  ]);
});

test('CSV that arrives in small parts is split at the delimiter of its first line', async () => {
  async function* yieldParts() {
    for (const part of ['eval', 'uations;best\n1;', '5\n']) yield Buffer.from(part);
  }
  const records: unknown[] = [];
  for await (const record of readCsvRecords(yieldParts())) records.push(record);
  expect(records).toEqual([
    ['evaluations', 'best'],
    ['1', '5'],
  ]);
});

test.each([
  { encoding: 'UTF-8', start: '', name: Buffer.from('Größe中') },
  { encoding: 'UTF-8', start: '\ufeff', name: Buffer.from('Größe中') },
  { encoding: 'Windows-1252', start: '', name: Buffer.from('Gr\xf6\xdfe\x96', 'latin1') },
  { encoding: 'Windows-1252', start: '\ufeff', name: Buffer.from('Gr\xf6\xdfe\x96', 'latin1') },
])(
  'CSV in $encoding after "$start" has the same names, however it is split',
  async ({ encoding, start, name }) => {
    const header = Buffer.from(`${start}algorithm,evaluations,best\n`);
    const bytes = Buffer.concat([header, name, Buffer.from(',1,5\n')]);
    for (const size of [1, 2, 3, 1_000]) {
      async function* yieldParts() {
        for (let from = 0; from < bytes.length; from += size)
          yield bytes.subarray(from, from + size);
      }
      const records: unknown[] = [];
      for await (const record of readCsvRecords(yieldParts())) records.push(record);
      expect(records).toEqual([
        ['algorithm', 'evaluations', 'best'],
        [encoding === 'UTF-8' ? 'Größe中' : 'Größe–', '1', '5'],
      ]);
    }
  },
);
