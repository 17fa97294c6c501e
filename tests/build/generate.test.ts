import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { listStaleFiles, generateAll } from '#build/generate.ts';

test('the committed OpenAPI document and SQL are up to date', async () => {
  expect(listStaleFiles(await generateAll())).toEqual([]);
});

test('the generated files are equal each time', async () => {
  expect(await generateAll()).toEqual(await generateAll());
});

test('the SQL of each method is generated for both databases', async () => {
  const files = await generateAll();
  const getSql = (name: string) => files.find(({ path }) => path.endsWith(name))?.text ?? '';
  expect(getSql('sqlite.sql')).toContain('-- runs.listRunIds: first page\nselect');
  expect(getSql('postgres.sql')).toContain('("r"."start_time") collate "C" desc nulls last');
});

test('findStale reports missing files, and the first line that differs in outdated ones', () => {
  const base = mkdtempSync(join(tmpdir(), 'evoscope-generated-'));
  const file = join(base, 'a/stale.sql');
  mkdirSync(dirname(file));
  writeFileSync(file, 'one\ntwo\nthree\n');
  const files = [
    { path: 'a/stale.sql', text: 'one\n2\nthree\n' },
    { path: 'a/missing.sql', text: '' },
  ];
  expect(listStaleFiles(files, base)).toEqual([
    'a/stale.sql is out of date from line 2',
    'a/missing.sql is missing',
  ]);
  rmSync(base, { recursive: true });
});
