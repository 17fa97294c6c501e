/**
 * Returns a name that is a valid part of a path on every system. The name consists of ASCII letters, digits and
 * `+-_.()`, with one `_` for each sequence of other characters. It has 1 to 61 characters, and neither leading nor
 * final dots. It is never the name of a device.
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
 * Returns a path, followed by `-2`, `-3` and so on if `usedPaths` contains the path, and adds the result in lower case
 * to `usedPaths`. Paths that differ only in case are equal, because some systems ignore case.
 */
export function findUnusedPath(usedPaths: Set<string>, path: string): string {
  let candidate = path;
  for (let number = 2; usedPaths.has(candidate.toLowerCase()); number += 1)
    candidate = `${path}-${number}`;
  usedPaths.add(candidate.toLowerCase());
  return candidate;
}
