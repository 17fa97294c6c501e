import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import {
  decideWindow,
  hasFailedToOpen,
  findElectron,
  type WindowConditions,
} from '#build/start/window.ts';

describe('the path of Electron', () => {
  let root = '';
  let electron = '';

  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), 'evoscope-electron-'));
    electron = join(root, 'node_modules', 'electron');
    mkdirSync(join(electron, 'dist'), { recursive: true });
  });
  afterEach(() => rmSync(root, { recursive: true, force: true }));

  test('is found at the path that its package recorded', () => {
    writeFileSync(join(electron, 'path.txt'), 'electron\n');
    writeFileSync(join(electron, 'dist', 'electron'), '');
    expect(findElectron(root, {})).toBe(join(electron, 'dist', 'electron'));
  });

  test('is null if Electron was never downloaded', () => {
    expect(findElectron(root, {})).toBeNull();
  });

  test('is null if Electron was deleted again', () => {
    writeFileSync(join(electron, 'path.txt'), 'electron');
    expect(findElectron(root, {})).toBeNull();
  });

  test('is found only in the folder of the user if there is one', () => {
    const userFolder = join(root, 'own');
    const environment = { ELECTRON_OVERRIDE_DIST_PATH: userFolder };
    expect(findElectron(root, environment)).toBeNull();
    mkdirSync(userFolder);
    writeFileSync(join(userFolder, 'electron'), '');
    expect(findElectron(root, environment)).toBe(join(userFolder, 'electron'));
  });

  test('is null without any packages', () => {
    expect(findElectron(join(root, 'elsewhere'), {})).toBeNull();
  });
});

describe('the window', () => {
  const desktop: WindowConditions = {
    isServiceOnly: false,
    platform: 'linux',
    environment: { DISPLAY: ':0' },
    isRoot: false,
  };

  test.each<[string, Partial<WindowConditions>]>([
    ['on X11', {}],
    ['on Wayland', { environment: { WAYLAND_DISPLAY: 'wayland-0' } }],
    ['on macOS', { platform: 'darwin', environment: {} }],
    ['on Windows', { platform: 'win32', environment: {} }],
  ])('opens %s', (_where, conditions) => {
    expect(decideWindow({ ...desktop, ...conditions })).toEqual({ canOpen: true });
  });

  test.each<[string, Partial<WindowConditions>, string | null]>([
    ['if not requested', { isServiceOnly: true }, null],
    ['if not requested and not possible either', { isServiceOnly: true, isRoot: true }, null],
    ['without a display', { environment: { DISPLAY: '' } }, 'there is no display'],
    ['as root', { isRoot: true }, 'Electron does not run as root'],
  ])('does not open %s', (_when, conditions, reason) => {
    expect(decideWindow({ ...desktop, ...conditions })).toEqual({ canOpen: false, reason });
  });
});

test.each<[number | null, NodeJS.Signals | null, boolean]>([
  [0, null, false],
  [1, null, false],
  [2, null, false],
  [133, null, true],
  [null, 'SIGTRAP', true],
  [null, 'SIGABRT', true],
  [null, 'SIGTERM', false],
  [null, 'SIGINT', false],
])('a window that ended with code %s, signal %s failed to open: %s', (code, signal, expected) => {
  expect(hasFailedToOpen({ code, signal })).toBe(expected);
});
