import { readFileSync, statSync } from 'node:fs';

/** The first byte that SQLite locks for reading: 510 bytes follow the first gigabyte and the two bytes of writers. */
const firstSharedByte = 0x40000002;

/**
 * Returns whether a process has SQLite's SHARED lock on a database file. Without the lock, another program that closes
 * the database removes its log, because it is the last one with a lock. Linux only.
 */
export function hasSharedLock(pid: number | undefined, file: string): boolean {
  const { ino } = statSync(file);
  return readFileSync('/proc/locks', 'utf8')
    .split('\n')
    .map((line) => line.trim().split(/\s+/))
    .some(
      ([, , , kind, owner, filePosition, firstByte]) =>
        kind === 'READ' &&
        owner === String(pid) &&
        filePosition?.endsWith(`:${ino}`) === true &&
        firstByte === String(firstSharedByte),
    );
}
