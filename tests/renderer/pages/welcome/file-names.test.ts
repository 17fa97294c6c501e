import { expect, test } from 'vitest';
import { getFileNameFault, getFreeName, addExtension } from '#renderer/pages/welcome/file-names.ts';

const file = (name: string) => ({ file: name, sizeBytes: 1, changedAt: '2026-11-22T10:00:00Z' });

test('a name without an ending gets one, another stays as it is', () => {
  expect(addExtension(' mine ')).toBe('mine.db');
  expect(addExtension('mine.sqlite')).toBe('mine.sqlite');
  expect(addExtension('v1.2 runs')).toBe('v1.2 runs.db');
});

test('a free name is the first that no file has, whatever its case', () => {
  expect(getFreeName('sample', { files: [] })).toBe('sample.db');
  expect(getFreeName('sample', { files: [file('Sample.db'), file('sample-2.db')] })).toBe(
    'sample-3.db',
  );
});

test('a name that is empty or taken is a fault, in words', () => {
  const choices = { files: [file('taken.db')] };
  expect(getFileNameFault(' ', choices)).toBe('Enter a name.');
  expect(getFileNameFault('Taken', choices)).toMatch(
    /^A file of this name already exists. Open it from/,
  );
  expect(getFileNameFault('free', choices)).toBeUndefined();
});
