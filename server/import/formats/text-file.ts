import { readAll } from '../source/bytes.ts';
import type { Entry } from '../source/entry.ts';
import type { NoteBook } from '../notes.ts';

/** Index files are read as a whole; larger ones than this belong to no experiment. */
const largestText = 256 * 2 ** 20;

/**
 * The text of an index file: UTF-8, else Latin-1, without byte order mark and NUL bytes, lines ending in LF.
 * Null, with a note, where it is empty or larger than 256 MB.
 */
export async function readTextFile(entry: Entry, notes: NoteBook): Promise<string | null> {
  const bytes = await readAll(entry.bytes, largestText);
  if (bytes === null) notes.add('FILE_TOO_LARGE', { file: entry.path });
  else if (bytes.length === 0) notes.add('EMPTY_FILE', { file: entry.path });
  if (bytes === null || bytes.length === 0) return null;
  const text = decode(bytes);
  if (text.includes('\0')) notes.add('NUL_BYTES', { file: entry.path });
  return text.replaceAll('\0', '').replaceAll('\r\n', '\n').replaceAll('\r', '\n');
}

function decode(bytes: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return bytes.toString('latin1');
  }
}
