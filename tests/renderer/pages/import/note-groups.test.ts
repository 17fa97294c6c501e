import { describe, expect, test } from 'vitest';
import type { ImportNote } from '#shared/schemas/import.ts';
import { groupNotes } from '#renderer/pages/import/note-groups.ts';

function note(code: string, file: string | null, more: Partial<ImportNote> = {}): ImportNote {
  return { code, file, line: null, count: 1, message: `About ${code}`, ...more };
}

describe('groupNotes', () => {
  test('makes one entry of a thousand identical notes, with the number of files and the sum of the counts', () => {
    const notes = Array.from({ length: 1001 }, (_, index) =>
      note('UNLISTED_DATA_FILE', `f${index}.dat`, { count: 2 }),
    );
    expect(groupNotes([...notes, note('EMPTY_FILE', 'a')])).toEqual([
      { ...notes[0], files: 1001, count: 2002 },
      { ...note('EMPTY_FILE', 'a'), files: 1 },
    ]);
  });

  test('omits details that differ, and keeps those that are equal', () => {
    const two = ['x', 'y'].map((detail) => note('A', detail, { message: `Skipped (${detail})` }));
    const same = note('B', null, { message: 'Assumed (minimisation)' });
    expect(groupNotes([...two, same, same]).map(({ message, files }) => [message, files])).toEqual([
      ['Skipped', 2],
      ['Assumed (minimisation)', 0],
    ]);
  });
});
