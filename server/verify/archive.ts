import { parseValue } from '#server/errors.ts';
import { parse } from 'csv-parse/sync';
import { NoteBook } from '#server/import/notes.ts';
import { ImportRefusal } from '#server/import/refusal.ts';
import { defaultLimits, Meter, readAll } from '#server/import/source/entry.ts';
import { openSource } from '#server/import/source/read-source.ts';
import { archiveContent, type ArchiveContent } from '#shared/schemas/archive.ts';
import { archiveVersion } from '#shared/words.ts';

/** The archive of a page. */
export interface PageArchive extends ArchiveContent {
  /** Texts of the files by path. */
  files: ReadonlyMap<string, string>;
}

/** Error of an archive that the program cannot read or verify. The message is for the user. */
export class ArchiveRefusal extends Error {}

/** Paths of the files with data in an archive, in addition to `query.json`. */
export const dataFiles = {
  runs: 'data/runs.csv',
  traces: 'data/traces.csv',
  trials: 'data/trials.csv',
};

const queryFile = 'query.json';

/** Maximum size of a file to read from an archive, in bytes. */
const maximumFileBytes = 2 ** 29;

/**
 * Reads an archive of a page, or a folder with its files. Skips files above 512 MiB. Throws {@link ArchiveRefusal} if
 * the archive is missing, unreadable or too large, is not an archive of a page, lacks data, has another version, or has
 * an invalid `query.json`. Throws {@link UnreadableEntry} for a file in a damaged archive inside this archive, and the
 * error of the system for a file or folder that the program cannot read.
 */
export async function readPageArchive(path: string): Promise<PageArchive> {
  const files = await readFiles(path);
  const text = files.get(queryFile);
  if (text === undefined)
    throw new ArchiveRefusal(
      `${path} has no ${queryFile}: it is not an archive of a page, or an earlier version of Evoscope saved it. Save the archive again`,
    );
  const content = parseContent(path, text);
  const { runs, traces, trials } = dataFiles;
  const hasCampaigns = content.data.campaigns.length > 0;
  for (const file of hasCampaigns ? [runs, traces, trials] : [runs, traces]) {
    if (!files.has(file))
      throw new ArchiveRefusal(
        `${path} has no ${file}, so the program cannot recompute its numbers. Save the archive again`,
      );
  }
  return { ...content, files };
}

async function readFiles(path: string): Promise<Map<string, string>> {
  const { signal } = new AbortController();
  const context = {
    meter: new Meter(defaultLimits),
    notes: new NoteBook(),
    onBytes: () => {},
    signal,
  };
  const files = new Map<string, string>();
  try {
    const { entries } = await openSource({ path }, context);
    for await (const entry of entries) {
      const bytes = await readAll(entry.bytes, maximumFileBytes);
      if (bytes !== null) files.set(entry.path, bytes.toString('utf8'));
    }
  } catch (error) {
    if (error instanceof ImportRefusal) throw new ArchiveRefusal(error.message);
    throw error;
  }
  return files;
}

function parseContent(path: string, text: string): ArchiveContent {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new ArchiveRefusal(`${path}: ${queryFile} is not JSON. Save the archive again`);
  }
  const { format, version } = Object(value) as Record<string, unknown>;
  if (format !== 'evoscope-archive')
    throw new ArchiveRefusal(
      `${path} is not an archive of a page: its ${queryFile} has another format. Choose an archive that a page saved`,
    );
  if (version !== archiveVersion)
    throw new ArchiveRefusal(
      `${path} has version ${String(version)}, and this program verifies version ${archiveVersion}. ` +
        'Use the version of Evoscope that saved it',
    );
  const content = parseValue(archiveContent, value);
  if ('data' in content) return content.data;
  const [issue] = content.issues;
  throw new ArchiveRefusal(
    `${path}: ${queryFile} is invalid at ${issue?.path.join('.')}. Save the archive again`,
  );
}

/**
 * Returns the rows of a CSV text, in their order, with unquoted cells; empty for an empty text. Throws {@link
 * ArchiveRefusal} for a text that is not CSV.
 */
export function parseTable(file: string, text: string): string[][] {
  try {
    return parse(text, { relax_column_count: true, record_delimiter: ['\r\n', '\n'] });
  } catch {
    throw new ArchiveRefusal(`${file} is not CSV. Save the archive again`);
  }
}

/**
 * Returns the rows of a table after its headings, as objects with texts by column; a missing cell is an empty text.
 * Removes an apostrophe at the start of a cell if the rest would be a formula in a spreadsheet: if it begins with a tab
 * or a line end, or with `=`, `+`, `-` or `@`, also in full width or after whitespace or NUL. Throws the errors of
 * {@link parseTable}.
 */
export function parseRecords(file: string, text: string): Record<string, string>[] {
  const [headings = [], ...rows] = parseTable(file, text);
  return rows.map((row) =>
    Object.fromEntries(
      headings.map((name, index) => [
        name,
        (row[index] ?? '').replace(/^'(?=[\s\0]*[=+\-@＝＋－＠]|[\t\r\n])/, ''),
      ]),
    ),
  );
}
