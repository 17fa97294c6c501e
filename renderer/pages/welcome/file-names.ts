import type { DatabaseChoices } from '#shared/schemas/databases.ts';

/** Returns the name with `.db` appended, unless it has an extension. */
export function addExtension(name: string): string {
  const trimmed = name.trim();
  return /\.\w+$/.test(trimmed) ? trimmed : `${trimmed}.db`;
}

/** Returns a name for a new file that is free in the folder: `sample.db`, `sample-2.db` and so on. */
export function getFreeName(stem: string, { files }: Pick<DatabaseChoices, 'files'>): string {
  const usedNames = new Set(files.map(({ file }) => file.toLowerCase()));
  let name = `${stem}.db`;
  for (let number = 2; usedNames.has(name); number += 1) name = `${stem}-${number}.db`;
  return name;
}

/** Returns the error of the name of a new file; undefined if the name is valid. */
export function getFileNameFault(
  name: string,
  { files }: Pick<DatabaseChoices, 'files'>,
): string | undefined {
  if (name.trim() === '') return 'Enter a name.';
  const file = addExtension(name).toLowerCase();
  return files.some((one) => one.file.toLowerCase() === file)
    ? 'A file of this name already exists. Open it from the list or choose another name.'
    : undefined;
}
