import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openLogFile } from '#electron/log-file.ts';

let directory = '';

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'evoscope-log-'));
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

test('a log file is continued, and only its user can read it', () => {
  const path = join(directory, 'logs', 'service.log');
  openLogFile(path).add('one\n');
  openLogFile(path).add('two\n');
  expect(readFileSync(path, 'utf8')).toBe('one\ntwo\n');
  expect(statSync(path).mode & 0o077).toBe(0);
});

test('a large log file is renamed, and replaces the previous file', () => {
  const path = join(directory, 'service.log');
  const log = openLogFile(path, 10);
  for (const line of ['the first line\n', 'the second line\n', 'the third line\n']) log.add(line);
  expect(readFileSync(`${path}.1`, 'utf8')).toBe('the second line\n');
  expect(readFileSync(path, 'utf8')).toBe('the third line\n');
});

test('write errors of a log file are ignored', () => {
  writeFileSync(join(directory, 'logs'), 'no folder');
  expect(() => openLogFile(join(directory, 'logs', 'service.log')).add('lost\n')).not.toThrow();
});
