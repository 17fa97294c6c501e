import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { getDesktopSettings, openSettings } from '#electron/settings.ts';

let directory = '';
let errors: string[] = [];

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'evoscope-settings-'));
  errors = [];
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

const bounds = { x: -10, y: 20, width: 1200, height: 800 };
const open = (file: string) => openSettings(file, (text) => errors.push(text));

test('changed settings are stored together with the previous ones', () => {
  const file = join(directory, 'new folder', 'window.json');
  const store = open(file);
  store.change({ port: 40_123, bounds, isMaximized: true });
  store.change({ port: 40_124, theme: 'dark', zoomLevel: -0.5 });
  const storedSettings = {
    port: 40_124,
    bounds,
    isMaximized: true,
    theme: 'dark',
    zoomLevel: -0.5,
  };
  expect(store.read()).toEqual(storedSettings);
  expect(open(file).read()).toEqual(storedSettings);
  expect(readdirSync(join(directory, 'new folder'))).toEqual(['window.json']);
  expect(errors).toEqual([]);
});

test('a value that the file must not contain is not stored, but the other changes are', () => {
  const file = join(directory, 'window.json');
  const store = open(file);
  store.change({ port: 40_123 });
  store.change({ port: 977, theme: 'dark' });
  expect(store.read()).toEqual({ port: 40_123, theme: 'dark' });
  expect(open(file).read()).toEqual({ port: 40_123, theme: 'dark' });
  expect(errors).toEqual([]);
});

test('without a file the settings are empty, and no error is reported', () => {
  expect(open(join(directory, 'none.json')).read()).toEqual({});
  expect(errors).toEqual([]);
});

test('settings that were not chosen have their defaults', () => {
  expect(getDesktopSettings({ port: 40_123 })).toEqual({
    theme: 'system',
    notifies: false,
    fixedPort: null,
    isRecording: false,
  });
  const chosenSettings = {
    theme: 'dark',
    notifies: true,
    fixedPort: 7070,
    isRecording: true,
  } as const;
  expect(getDesktopSettings(chosenSettings)).toEqual(chosenSettings);
});

test.each([
  ['truncated', '{"port": 40', 'JSON'],
  ['not ours', '[]', 'settings: '],
  ['with a port for the privileged', '{"port": 80}', 'port: '],
  ['with a port beyond all', '{"fixedPort": 70000}', 'fixedPort: '],
  ['with half a window', '{"bounds": {"x": 1, "y": 2}}', 'bounds.height: '],
  [
    'with a window without width',
    '{"bounds": {"x": 1, "y": 2, "width": 0, "height": 5}}',
    'bounds.width: ',
  ],
  ['with a theme that is none', '{"theme": "pink"}', 'theme: '],
  ['with a zoom that shows nothing', '{"zoomLevel": 400}', 'zoomLevel: '],
])('a file %s gives the defaults and is renamed', (_what, text, reason) => {
  const file = join(directory, 'window.json');
  writeFileSync(file, text);
  const store = open(file);
  expect(store.read()).toEqual({});
  expect(readFileSync(`${file}.broken`, 'utf8')).toBe(text);
  expect(errors).toEqual([
    expect.stringMatching(
      /^Evoscope cannot read the settings and uses the defaults: .+\. To restore the previous settings, /,
    ),
  ]);
  expect(errors[0]).toContain(reason);
  expect(errors[0]).toContain(
    `To restore the previous settings, correct ${file}.broken and rename it to ${file}`,
  );
  store.change({ port: 40_123 });
  expect(open(file).read()).toEqual({ port: 40_123 });
});

test('a file that cannot be read is reported and renamed', () => {
  const file = join(directory, 'window.json');
  mkdirSync(file);
  const store = open(file);
  expect(store.read()).toEqual({});
  expect(errors).toEqual([
    expect.stringContaining(`correct ${file}.broken and rename it to ${file}`),
  ]);
  store.change({ port: 40_123 });
  expect(open(file).read()).toEqual({ port: 40_123 });
});

test('settings that cannot be written are reported, and apply until the end', () => {
  const file = join(directory, 'window.json');
  mkdirSync(`${file}.new`);
  const store = open(file);
  store.change({ theme: 'light' });
  expect(store.read()).toEqual({ theme: 'light' });
  expect(errors).toEqual([
    expect.stringMatching(
      /^Evoscope cannot store the settings: EISDIR.*\. Check .*window\.json and its folder, then change the settings again$/,
    ),
  ]);
});
