import type { Meter } from './bytes.ts';
import type { NoteBook } from '#server/import/notes.ts';

/** A file of a source. Its bytes must be read, or given up, before the next entry is requested. */
export interface Entry {
  /** Inside of the source, with `/` between its parts; an archive within counts as a folder. */
  path: string;
  modifiedAt: Date;
  bytes: AsyncIterable<Buffer>;
}

/** What every reader of a source counts with and notes in. */
export interface Reading {
  meter: Meter;
  notes: NoteBook;
  /** Called after every chunk with the number of bytes of the given source that are read. */
  onBytes: (bytes: number) => void;
  signal: AbortSignal;
}

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

/** Kinds of content by their first bytes; `other` is any that no archive begins with. */
export type ContentKind = 'zip' | 'gzip' | 'tar' | 'unreadable-archive' | 'other';

/** How many of the first bytes {@link contentKind} looks at. */
export const headLength = 512;

const signatures: [ContentKind, string][] = [
  ['zip', '504b0304'],
  ['zip', '504b0506'],
  ['gzip', '1f8b'],
  ['unreadable-archive', '377abcaf271c'],
  ['unreadable-archive', '526172211a07'],
  ['unreadable-archive', 'fd377a585a00'],
  ['unreadable-archive', '425a68'],
  ['unreadable-archive', '28b52ffd'],
];

/** What the content is by its first 512 bytes or more; `unreadable-archive`: 7z, rar, xz, bzip2 or zstandard. */
export function contentKind(head: Buffer): ContentKind {
  const begins = head.subarray(0, 8).toString('hex');
  const signed = signatures.find(([, signature]) => begins.startsWith(signature));
  if (signed) return signed[0];
  return isTarHeader(head) ? 'tar' : 'other';
}

/** Whether the checksum of a tar header fits, which tars without the `ustar` mark have too. */
function isTarHeader(head: Buffer): boolean {
  if (head.length < headLength) return false;
  const stated = parseInt(head.toString('latin1', 148, 156).replaceAll('\0', ' ').trim(), 8);
  const sum = head
    .subarray(0, headLength)
    .reduce((total, byte, index) => total + (index >= 148 && index < 156 ? 32 : byte), 0);
  return sum === stated && sum > 8 * 32;
}

/** Whether a file is an archive by its name. */
export function isArchiveName(name: string): boolean {
  return /\.(zip|tar|tgz|gz|7z|rar|xz|txz|bz2|tbz2?|zst)$/i.test(name);
}

/** The name of a data set or file without what says how it is packed: `DIRECT.tar.gz` is `DIRECT`. */
export function unpackedName(name: string): string {
  return name.replace(/\.(tgz|zip|tar|(tar\.)?(gz|bz2|xz|zst)|7z|rar)$/i, '') || name;
}
