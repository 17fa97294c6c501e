import { expect, test } from 'vitest';
import { getNotesAt } from '#renderer/features/analysis/note-places.ts';
import type { NoteCode } from '#shared/schemas/analysis-note.ts';

const note = (code: NoteCode) => ({ code, message: `about ${code}` });

test('a note is shown at its place, in order', () => {
  const notes = [note('SEEDS_AS_BLOCKS'), note('UNEQUAL_BUDGETS'), note('NO_BLOCKS')];
  expect(getNotesAt(notes, 'ranks')).toEqual(['about SEEDS_AS_BLOCKS', 'about NO_BLOCKS']);
  expect(getNotesAt(notes, 'pairs')).toEqual(['about UNEQUAL_BUDGETS']);
  expect(getNotesAt(notes, 'pairs', 'ranks')).toHaveLength(3);
});
