import { readFileSync, statSync } from 'node:fs';

/** The bytes that SQLite locks for reading: 510 of them behind the first gigabyte and the two bytes of writers. */
const sharedFirst = 0x40000002;

/**
 * Whether a process holds SQLite's SHARED lock on a database file, without which other programs take themselves for the
 * last ones that have the database open, and remove its log. Linux only.
 */
export function holdsSharedLock(pid: number | undefined, file: string): boolean {
  const { ino } = statSync(file);
  return readFileSync('/proc/locks', 'utf8')
    .split('\n')
    .map((line) => line.trim().split(/\s+/))
    .some(
      ([, , , kind, owner, place, first]) =>
        kind === 'READ' &&
        owner === String(pid) &&
        place?.endsWith(`:${ino}`) === true &&
        first === String(sharedFirst),
    );
}
