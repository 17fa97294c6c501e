/**
 * Returns a name as part of a path on every system: ASCII letters, digits and `+-_.()`, with `_` for other characters;
 * at most 61 characters, no leading or final dots, no names of devices, never empty.
 */
export function toFileName(name: string): string {
  const plainName = name
    .replaceAll(/[^\w+\-.()]+/g, '_')
    .slice(0, 60)
    .replaceAll(/^\.+|\.+$/g, '');
  const isDevice = /^(con|prn|aux|nul|com\d|lpt\d)(\.|$)/i.test(plainName);
  return isDevice || plainName === '' ? `_${plainName}` : plainName;
}

/**
 * Returns a path, followed by `-2`, `-3` and so on if `usedPaths` contains it, and adds the result in lower case to
 * `usedPaths`. Paths that differ only in case are equal, as on systems that ignore case.
 */
export function findUnusedPath(usedPaths: Set<string>, path: string): string {
  let candidate = path;
  for (let number = 2; usedPaths.has(candidate.toLowerCase()); number += 1)
    candidate = `${path}-${number}`;
  usedPaths.add(candidate.toLowerCase());
  return candidate;
}
