/**
 * The path of an entry inside of its folder or archive, with `/` between its parts and without `.`; null where
 * it is absolute, climbs out with `..`, or is no path at all.
 */
export function insidePath(name: string): string | null {
  const path = name.replaceAll('\\', '/');
  if (path.startsWith('/') || /^[a-z]:/i.test(path) || path.includes('\0')) return null;
  const parts = path.split('/').filter((part) => part !== '' && part !== '.');
  return parts.length === 0 || parts.includes('..') ? null : parts.join('/');
}

/** The path of a file that another one names relative to its own folder; null as {@link insidePath} says. */
export function siblingPath(file: string, name: string): string | null {
  const path = insidePath(name);
  return path === null ? null : `${folderOf(file)}${path}`;
}

/** The folder of a path with a `/` at the end; empty at the top. */
export function folderOf(path: string): string {
  return path.slice(0, path.lastIndexOf('/') + 1);
}

/** The last part of a path. */
export function baseName(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

/** Whether operating systems, not people, put the file there: resource forks and folder settings. */
export function isClutter(path: string): boolean {
  return (
    path.split('/').includes('__MACOSX') || /^(\._.*|\.DS_Store|Thumbs\.db)$/i.test(baseName(path))
  );
}
