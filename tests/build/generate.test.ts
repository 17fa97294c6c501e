import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { listStaleFiles, generateAll } from '#build/generate.ts';

let files: Awaited<ReturnType<typeof generateAll>>;
beforeAll(async () => {
  files = await generateAll();
});

test('the committed OpenAPI document and SQL are up to date', () => {
  expect(listStaleFiles(files)).toEqual([]);
});

test('the generated files are equal each time', async () => {
  expect(await generateAll()).toEqual(files);
});

test('the SQL of each method is generated for both databases', () => {
  const getSql = (name: string) => files.find(({ path }) => path.endsWith(name))?.text ?? '';
  expect(getSql('sqlite.sql')).toContain('-- runs.listRunIds: first page\nselect');
  expect(getSql('postgres.sql')).toContain('("r"."start_time") collate "C" desc nulls last');
});

test('findStale reports missing files, and the first line that differs in outdated ones', () => {
  const base = mkdtempSync(join(tmpdir(), 'evoscope-generated-'));
  const file = join(base, 'a/stale.sql');
  mkdirSync(dirname(file));
  writeFileSync(file, 'one\ntwo\nthree\n');
  const currentFiles = [
    { path: 'a/stale.sql', text: 'one\n2\nthree\n' },
    { path: 'a/missing.sql', text: '' },
  ];
  expect(listStaleFiles(currentFiles, base)).toEqual([
    'a/stale.sql is out of date from line 2',
    'a/missing.sql is missing',
  ]);
  rmSync(base, { recursive: true });
});
