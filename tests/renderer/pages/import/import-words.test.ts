import { describe, expect, test } from 'vitest';
import type { ImportResult } from '#shared/schemas/import.ts';
import {
  cleanPath,
  getDataSetName,
  describeEffect,
  getAlgorithmNames,
  getImportAction,
  makeRenameQuery,
  describeProgress,
  describeSending,
} from '#renderer/pages/import/import-words.ts';

test('a data set has the name of its folder or file without the ending of an archive', () => {
  const paths = [
    '/a/DIRECT.tar.gz',
    '/x/RS_on_bbob/',
    'C:\\data\\run.zip',
    '/t/table.csv',
    '/v2.2',
  ];
  expect(paths.map((path) => getDataSetName({ path }))).toEqual([
    'DIRECT',
    'RS_on_bbob',
    'run',
    'table',
    'v2.2',
  ]);
});

test('a path is read without the quotes and spaces around a copied one', () => {
  expect([' "/a b/c" ', "'/d'", '/e"f'].map(cleanPath)).toEqual(['/a b/c', '/d', '/e"f']);
});

describe('describeProgress', () => {
  const nothing = { bytes: 0, totalBytes: 100, runs: 0, totalRuns: 0, rows: 0, totalRows: 0 };
  const written = { runs: 1, totalRuns: 2, rows: 30, totalRows: 40 };

  test('shows reading as the first half of the bar, and writing as the second', () => {
    const isUploaded = false;
    const reading = describeProgress({ ...nothing, phase: 'reading', bytes: 50 }, { isUploaded });
    expect(reading).toEqual({ share: 0.25, text: 'Reading: 50 B of 100 B' });
    const unknown = { ...nothing, phase: 'reading', bytes: 50, totalBytes: null } as const;
    expect(describeProgress(unknown, { isUploaded })).toEqual({
      share: null,
      text: 'Reading: 50 B',
    });
    expect(describeProgress({ ...nothing, ...written, phase: 'writing' }, { isUploaded })).toEqual({
      share: 0.875,
      text: 'Writing: 1 of 2 runs, 30 iterations',
    });
  });

  test('never moves the bar back after an upload', () => {
    const isUploaded = true;
    const sent = describeSending(1).share;
    expect(describeProgress({ ...nothing, phase: 'reading' }, { isUploaded }).share).toBe(sent);
    const end = { ...nothing, ...written, rows: 40, phase: 'writing' } as const;
    expect(describeProgress(end, { isUploaded }).share).toBeCloseTo(1);
  });
});

test('a sentence describes the content of a data set', () => {
  const of = (runs: number, skipped: number, extended: number) =>
    ({ campaigns: [{ runs }], skipped, extended }) as ImportResult;
  expect(describeEffect(of(50, 10, 3), false)).toBe(
    '37 runs to add · 3 runs to extend · 10 runs already imported',
  );
  expect(describeEffect(of(1, 0, 0), true)).toBe('1 run added');
  expect(describeEffect({ ...of(0, 0, 0), campaigns: [] }, true)).toBe('No run');
});

describe('getImportAction', () => {
  const of = (runs: number, skipped: number) =>
    ({ campaigns: [{ runs }], skipped, extended: 0 }) as ImportResult;
  const usual = { isRenamed: false, hasEqualNames: false, replaces: false, isReference: false };

  test('is disabled with the reason if every run is already stored', () => {
    expect(getImportAction(of(270, 270), usual)).toEqual({
      label: 'Import',
      reason: 'All these runs are already imported, nothing to add.',
    });
    expect(describeEffect(of(270, 270), false)).toBe('270 runs already imported, nothing to add');
    expect(getImportAction(of(271, 270), usual)).toEqual({ label: 'Import' });
  });

  test('is disabled while two algorithms have the same name', () => {
    expect(getImportAction(of(9, 0), { ...usual, isRenamed: true, hasEqualNames: true })).toEqual({
      label: 'Check again',
      reason: 'Two algorithms have the same name.',
    });
  });

  test('has the label of the action of its button', () => {
    expect(getImportAction(of(9, 9), { ...usual, isRenamed: true }).label).toBe('Check again');
    expect(getImportAction(of(9, 9), { ...usual, isReference: true })).toEqual({
      label: 'Store as reference',
    });
    expect(getImportAction(of(9, 0), { ...usual, replaces: true }).label).toBe(
      'Replace and import',
    );
  });
});

describe('the names of algorithms', () => {
  const algorithms = [
    { source: 'alg', name: 'my runs' },
    { source: 'B', name: 'B' },
  ];

  test('are those of the check where nothing is typed', () => {
    expect(getAlgorithmNames({ algorithms }, { alg: ' ' })).toEqual([
      { source: 'alg', name: 'my runs', isChanged: false, isTaken: false },
      { source: 'B', name: 'B', isChanged: false, isTaken: false },
    ]);
  });

  test('are changed by typing, and taken where two are equal', () => {
    expect(getAlgorithmNames({ algorithms }, { alg: 'B ' })).toEqual([
      { source: 'alg', name: 'B', isChanged: true, isTaken: true },
      { source: 'B', name: 'B', isChanged: false, isTaken: true },
    ]);
  });

  test('are sent as a JSON object, without empty ones', () => {
    expect(makeRenameQuery({ alg: 'CMA-ES', B: ' ' })).toBe('{"alg":"CMA-ES"}');
    expect(makeRenameQuery({ B: '' })).toBeUndefined();
  });
});
