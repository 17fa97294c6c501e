import type { DatabaseChoices } from '#shared/schemas/databases.ts';

/** The name with `.db` at its end, unless it has an ending. */
export function withEnding(name: string): string {
  const trimmed = name.trim();
  return /\.\w+$/.test(trimmed) ? trimmed : `${trimmed}.db`;
}

/** A name for a new file that none in the folder has: `sample.db`, `sample-2.db` and so on. */
export function freeName(stem: string, { files }: Pick<DatabaseChoices, 'files'>): string {
  const taken = new Set(files.map(({ file }) => file.toLowerCase()));
  let name = `${stem}.db`;
  for (let number = 2; taken.has(name); number += 1) name = `${stem}-${number}.db`;
  return name;
}

/** What is wrong with the name of a new file; undefined when nothing is. */
export function fileNameFault(
  name: string,
  { files }: Pick<DatabaseChoices, 'files'>,
): string | undefined {
  if (name.trim() === '') return 'Enter a name.';
  const file = withEnding(name).toLowerCase();
  return files.some((one) => one.file.toLowerCase() === file)
    ? 'There is a file of this name: open it from the list, or choose another name.'
    : undefined;
}
