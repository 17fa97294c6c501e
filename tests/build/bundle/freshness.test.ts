import { mkdirSync, mkdtempSync, renameSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import {
  buildAndRecord,
  buildIfStale,
  computeFingerprint,
  type Product,
} from '#build/bundle/freshness.ts';

let directory = '';
let product: Product = { output: '', inputs: [] };
let builds = 0;

const build = () => {
  builds += 1;
  mkdirSync(product.output, { recursive: true });
  return Promise.resolve();
};
const source = (name: string, text: string) => writeFileSync(join(directory, 'src', name), text);

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'evoscope-freshness-'));
  mkdirSync(join(directory, 'src', 'deep'), { recursive: true });
  product = { output: join(directory, 'dist', 'pages'), inputs: [join(directory, 'src')] };
  builds = 0;
  source('main.ts', 'one');
  source('deep/part.ts', 'two');
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

test('a missing product is built once', async () => {
  expect(await buildIfStale(product, build)).toBe(true);
  expect(await buildIfStale(product, build)).toBe(false);
  expect(builds).toBe(1);
});

test.each<[string, () => void]>([
  ['a changed file', () => source('deep/part.ts', 'three')],
  ['a new file', () => source('deep/new.ts', '')],
  ['a removed file', () => rmSync(join(directory, 'src', 'main.ts'))],
  [
    'a renamed file',
    () => renameSync(join(directory, 'src', 'main.ts'), join(directory, 'src', 'start.ts')),
  ],
  [
    'text that moved to another file',
    () => (source('main.ts', 'onetwo'), source('deep/part.ts', '')),
  ],
  ['a removed output', () => rmSync(product.output, { recursive: true })],
])('%s causes a new build', async (_what, change) => {
  await buildIfStale(product, build);
  change();
  expect(await buildIfStale(product, build)).toBe(true);
  expect(await buildIfStale(product, build)).toBe(false);
});

test('a newer time without a change does not cause a new build', async () => {
  await buildIfStale(product, build);
  utimesSync(join(directory, 'src', 'main.ts'), new Date(), new Date(Date.now() + 60_000));
  expect(await buildIfStale(product, build)).toBe(false);
});

test('after a failed build the previous product is out of date', async () => {
  await buildIfStale(product, build);
  const failBuild = () => Promise.reject(new Error('disk full'));
  await expect(buildAndRecord(product, failBuild)).rejects.toThrow('disk full');
  expect(await buildIfStale(product, build)).toBe(true);
});

test('sources that change during a build are built again', async () => {
  await buildIfStale(product, () => {
    source('main.ts', 'changed meanwhile');
    return build();
  });
  expect(await buildIfStale(product, build)).toBe(true);
});

test('buildAndRecord builds even if nothing changed', async () => {
  await buildAndRecord(product, build);
  await buildAndRecord(product, build);
  expect(builds).toBe(2);
  expect(await buildIfStale(product, build)).toBe(false);
});

test('a missing input differs from an empty one', () => {
  const missingFile = join(directory, 'none');
  const fingerprint = computeFingerprint([missingFile]);
  writeFileSync(missingFile, '');
  expect(computeFingerprint([missingFile])).not.toBe(fingerprint);
});
