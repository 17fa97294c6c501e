import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { readSettings, writeSettings } from '#electron/settings.ts';

let directory = '';

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'evoscope-settings-'));
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

const bounds = { x: -10, y: 20, width: 1200, height: 800 };

test('what was written is read again, and nothing else is left in the folder', () => {
  const file = join(directory, 'new folder', 'window.json');
  writeSettings(file, { port: 40_123, bounds });
  writeSettings(file, { port: 40_124, bounds });
  expect(readSettings(file)).toEqual({ port: 40_124, bounds });
  expect(readdirSync(join(directory, 'new folder'))).toEqual(['window.json']);
});

test('a missing file has no settings', () => {
  expect(readSettings(join(directory, 'none.json'))).toEqual({});
});

test.each([
  ['cut off', '{"port": 40'],
  ['not ours', '[]'],
  ['with a port for the privileged', '{"port": 80}'],
  ['with a port beyond all', '{"port": 70000}'],
  ['with half a window', '{"bounds": {"x": 1, "y": 2}}'],
  ['with a window without width', '{"bounds": {"x": 1, "y": 2, "width": 0, "height": 5}}'],
])('a file %s has no settings and is left as it is', (_what, text) => {
  const file = join(directory, 'window.json');
  writeFileSync(file, text);
  expect(readSettings(file)).toEqual({});
  expect(readFileSync(file, 'utf8')).toBe(text);
});
