import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { findElectron } from '#build/electron-binary.ts';

let root = '';
let electron = '';

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'evoscope-electron-'));
  electron = join(root, 'node_modules', 'electron');
  mkdirSync(join(electron, 'dist'), { recursive: true });
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

test('Electron is found where its package says it put it', () => {
  writeFileSync(join(electron, 'path.txt'), 'electron\n');
  writeFileSync(join(electron, 'dist', 'electron'), '');
  expect(findElectron(root, {})).toBe(join(electron, 'dist', 'electron'));
});

test('Electron that was never fetched is not there', () => {
  expect(findElectron(root, {})).toBeNull();
});

test('Electron that was removed again is not there', () => {
  writeFileSync(join(electron, 'path.txt'), 'electron');
  expect(findElectron(root, {})).toBeNull();
});

test('Electron in a folder of the user is found there, and only there', () => {
  const own = join(root, 'own');
  const environment = { ELECTRON_OVERRIDE_DIST_PATH: own };
  expect(findElectron(root, environment)).toBeNull();
  mkdirSync(own);
  writeFileSync(join(own, 'electron'), '');
  expect(findElectron(root, environment)).toBe(join(own, 'electron'));
});

test('without any packages there is no Electron', () => {
  expect(findElectron(join(root, 'elsewhere'), {})).toBeNull();
});
