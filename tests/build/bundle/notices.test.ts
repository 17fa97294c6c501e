import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { getNotices } from '#build/bundle/notices.ts';

let root = '';

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'evoscope-notices-'));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

function addPackage(name: string, about: object, licence?: string): string {
  const folder = join(root, 'node_modules', name);
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ name, version: '1.2.3', ...about }));
  if (licence !== undefined) writeFileSync(join(folder, 'LICENSE.md'), `${licence}\n`);
  return join(folder, 'lib', 'index.js');
}

test('getNotices lists each package once, sorted by name, with shared licence texts only once', () => {
  const b = addPackage('b', { license: 'MIT' }, 'Do what you like.');
  const a = addPackage('@scope/a', { license: 'MIT' }, 'Do what you like.');
  const c = addPackage('c', {}, 'Ask first.');
  const innerPackage = addPackage('b/node_modules/d', { license: 'ISC' });
  const ownFile = join(root, 'server', 'main.ts');
  const line = '-'.repeat(80);
  expect(getNotices([b, a, `${b}?url`, ownFile, `\0${c}`, innerPackage])).toBe(`\
Evoscope contains these third-party packages, each under its licence.

${line}

@scope/a 1.2.3 (MIT)
b 1.2.3 (MIT)

Do what you like.

${line}

b/node_modules/d 1.2.3 (ISC)

${line}

c 1.2.3 (see below)

Ask first.
`);
});

test('getNotices throws for a package without a licence', () => {
  const file = addPackage('odd', {});
  expect(() => getNotices([file])).toThrow('odd 1.2.3 states no licence');
});
