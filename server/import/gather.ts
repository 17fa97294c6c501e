import type { ColumnChoice } from './tables/layout.ts';
import { type Entry, folderOf, isClutter } from './source/entry.ts';
import type { NoteBook } from './notes.ts';
import type { Scenario } from './formats/scenario.ts';
import { createHash, type Hash } from 'node:crypto';
import { parseInfoIndex } from './formats/info-index.ts';
import { parseJsonIndex } from './formats/json-index.ts';
import { readAll } from './source/bytes.ts';
import { readTable, type Table } from './tables/read-table.ts';
import { type DataFile, readDataFile } from './formats/data-file.ts';

/** Everything of a source that is known, before it is put together. */
export interface Gathered {
  tables: Table[];
  /** In reading order: indexes by the bytes of their paths, in each as it lists them. */
  scenarios: Scenario[];
  dataFiles: DataFile[];
  /** Bytes of the files that were read, unpacked. */
  bytes: number;
  /**
   * SHA-256 in hexadecimal of the paths and contents of those files: equal for a folder and its archive, in
   * whichever order they come.
   */
  sha256: string;
}

/** What is read of a source. */
export interface GatherOptions {
  /** Which formats are read. */
  kind?: 'auto' | 'coco' | 'iohprofiler' | 'table' | undefined;
  /** Columns of tables that are not matched by their names. */
  columns?: ColumnChoice | undefined;
}

/** Reads indexes, data files and tables as they come, and leaves all other files closed. */
export async function gather(
  entries: AsyncIterable<Entry>,
  notes: NoteBook,
  { kind = 'auto', columns }: GatherOptions = {},
): Promise<Gathered> {
  const tables: Table[] = [];
  // In a tar the last entry of a name is the file.
  const indexes = new Map<string, Scenario[]>();
  const dataFiles = new Map<string, DataFile>();
  const digests = new Map<string, Hash>();
  let bytes = 0;
  for await (const entry of entries) {
    const read = readerOf(entry.path);
    if (read) await read(watched(entry));
  }
  const paths = [...indexes.keys()].sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
  const scenarios = paths.flatMap((path) => indexes.get(path) ?? []);
  return {
    tables,
    scenarios,
    dataFiles: [...dataFiles.values()],
    bytes,
    sha256: digestOf(digests),
  };

  function watched(entry: Entry): Entry {
    const hash = createHash('sha256');
    digests.set(entry.path, hash);
    async function* hashed() {
      for await (const chunk of entry.bytes) {
        hash.update(chunk);
        bytes += chunk.length;
        yield chunk;
      }
    }
    return { ...entry, bytes: hashed() };
  }

  function readerOf(path: string): ((entry: Entry) => Promise<void>) | null {
    if (isClutter(path)) return null;
    if (/\.(csv|tsv|jsonl|ndjson)$/i.test(path))
      return kind === 'auto' || kind === 'table' ? readRows : null;
    if (kind === 'table') return null;
    if (/\.info$/i.test(path)) return readIndex(parseInfoIndex);
    if (/\.json$/i.test(path)) return readIndex(parseJsonIndex);
    if (!/\.[tic]?dat$/i.test(path)) return null;
    return async (entry) => void dataFiles.set(path, await readDataFile(entry));
  }

  async function readRows(entry: Entry): Promise<void> {
    const table = await readTable(entry, notes, columns);
    if (table) tables.push(table);
  }

  function readIndex(
    parse: (file: string, text: string, notes: NoteBook) => Scenario[] | null,
  ): (entry: Entry) => Promise<void> {
    return async (entry) => {
      const text = await readTextFile(entry, notes);
      const listed = text === null ? null : parse(entry.path, text, notes);
      if (listed) indexes.set(entry.path, listed);
    };
  }
}

/** Paths count from the deepest folder that holds all files, which an archive may have added. */
function digestOf(digests: ReadonlyMap<string, Hash>): string {
  const paths = [...digests.keys()].sort();
  const top = commonFolder(paths);
  const whole = createHash('sha256');
  for (const path of paths) {
    const own = digests.get(path)?.digest('hex') ?? '';
    whole.update(`${path.slice(top.length)}\0${own}\n`);
  }
  return whole.digest('hex');
}

function commonFolder(paths: readonly string[]): string {
  let folder = folderOf(paths[0] ?? '');
  while (!paths.every((path) => path.startsWith(folder))) folder = folderOf(folder.slice(0, -1));
  return folder;
}

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
