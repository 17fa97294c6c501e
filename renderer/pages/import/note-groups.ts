import type { ImportNote } from '#shared/schemas/import.ts';

/** Notes of one kind: how many files they are about, and how often they were found. */
export interface NoteGroup extends ImportNote {
  /** Files of the notes; 0 for notes about the source as a whole. */
  files: number;
}

/**
 * Returns one entry per code, in the order of the first note of each. It has the file and line of that note, the sum of
 * the counts, and its message without the detail in parentheses where the messages differ.
 */
export function groupNotes(notes: readonly ImportNote[]): NoteGroup[] {
  return [...Map.groupBy(notes, ({ code }) => code).values()].flatMap((group) => {
    const [first] = group;
    if (!first) return [];
    const isSame = group.every(({ message }) => message === first.message);
    return [
      {
        ...first,
        message: isSame ? first.message : first.message.replace(/ \([^]*\)$/, ''),
        count: group.reduce((sum, { count }) => sum + count, 0),
        files: new Set(group.flatMap(({ file }) => file ?? [])).size,
      },
    ];
  });
}
