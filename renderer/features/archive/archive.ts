import type { ArchiveContent } from '#shared/schemas/archive.ts';
import { archiveVersion } from '#shared/words.ts';
import { findUnusedPath, toFileName } from '#shared/file-name.ts';
import type { Exhibit } from '#renderer/state/exhibits.ts';

/** The page of an archive. */
export interface ArchivedPage {
  title: string;
  /** Its URL with all choices. */
  url: string;
  /** Time of saving, ISO 8601. */
  savedAt: string;
}

/** The data from which the tables of an archive can be recomputed. */
export interface ArchivedData {
  /** The tables as CSV. */
  runs: string;
  traces: string;
  /** The trials of campaigns; null on other pages. */
  trials: string | null;
  experiments: ArchiveContent['data']['experiments'];
  campaigns: ArchiveContent['data']['campaigns'];
  annotations: ArchiveContent['data']['annotations'];
}

/**
 * Returns the files of an archive by name: those of all exhibits, README.md with captions and the link, the data, and
 * query.json with the requests for the tables, and the checksums of the data and of the files of exhibits. `evoscope
 * verify` reads these.
 */
export async function makeArchiveFiles(
  page: ArchivedPage,
  exhibits: readonly Exhibit[],
  { experiments, campaigns, annotations, ...texts }: ArchivedData,
): Promise<Record<string, string>> {
  const files: Record<string, string> = {};
  const sections: string[] = [];
  const tables: unknown[] = [];
  const usedPaths = new Set<string>();
  for (const exhibit of exhibits) {
    // Ids contain keys and parameter paths from the database.
    const path = findUnusedPath(usedPaths, `${exhibit.kind}s/${toFileName(exhibit.id)}`);
    const names: string[] = [];
    for (const { ending, content } of await exhibit.files()) {
      const name = `${path}.${ending}`;
      files[name] = content;
      names.push(name);
      if (exhibit.request) tables.push({ file: name, ...exhibit.request });
    }
    sections.push(getSection(exhibit, names));
  }
  const dataFiles = {
    'data/runs.csv': texts.runs,
    'data/traces.csv': texts.traces,
    ...(texts.trials !== null && { 'data/trials.csv': texts.trials }),
  };
  const content = {
    format: 'evoscope-archive',
    version: archiveVersion,
    tables,
    checksums: await computeChecksums({ ...dataFiles, ...files }),
    data: { experiments, campaigns, annotations },
  };
  return {
    'README.md': [getHead(page), ...sections].join('\n'),
    'query.json': `${JSON.stringify(content, null, 2)}\n`,
    ...dataFiles,
    ...files,
  };
}

async function computeChecksums(
  files: Readonly<Record<string, string>>,
): Promise<ArchiveContent['checksums']> {
  const checksums: ArchiveContent['checksums'] = {};
  for (const [name, text] of Object.entries(files)) checksums[name] = await computeChecksum(text);
  return checksums;
}

/** Returns the SHA-256 of a text in hexadecimal; null on a page from another machine without HTTPS. */
async function computeChecksum(text: string): Promise<string | null> {
  // Browsers hide it from such pages.
  const subtle = globalThis.crypto.subtle as SubtleCrypto | undefined;
  const hash = await subtle?.digest('SHA-256', new TextEncoder().encode(text));
  const toHex = (byte: number) => byte.toString(16).padStart(2, '0');
  return hash ? Array.from(new Uint8Array(hash), toHex).join('') : null;
}

function getHead({ title, url, savedAt }: ArchivedPage): string {
  return [
    `# ${makeLine(title)}`,
    '',
    `Saved ${savedAt}. The same view, where the service runs: <${url}>`,
    '',
    'Figures are SVG with their fonts inside, LaTeX for pgfplots with its data inside, both 85 mm wide, and CSV of all',
    'their numbers. Tables are LaTeX (`booktabs`, `longtable`, `graphicx`) and CSV. Numbers have all digits; `Inf` is infinite, an',
    'empty field has no value. `data/` contains the runs and all points of their traces, and `query.json` how the tables',
    'were requested: `evoscope verify <archive.zip>` recomputes their numbers.',
    '',
  ].join('\n');
}

function getSection({ title, caption }: Exhibit, files: readonly string[]): string {
  const links = files.map((name) => `- [${makeLine(name)}](${name.replaceAll(/[()]/g, '\\$&')})`);
  return [`## ${makeLine(title)}`, '', makeLine(caption), '', ...links, ''].join('\n');
}

/**
 * Returns a text as one escaped line of Markdown: characters that would start a heading, a list, emphasis, code, a
 * link, an image or HTML are escaped. Names come from the database, and programs that render Markdown fetch its images.
 */
function makeLine(text: string): string {
  return text
    .replaceAll(/[\s\p{Cc}]+/gu, ' ')
    .trim()
    .replaceAll(/[\\`*[\]<>&|~$]/g, '\\$&')
    .replaceAll(/(?<![\p{L}\p{N}])_|_(?![\p{L}\p{N}])/gu, '\\_')
    .replace(/^(\d*)([#+\-=.)])/, '$1\\$2');
}
