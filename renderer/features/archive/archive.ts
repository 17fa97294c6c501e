import type { Exhibit } from '#renderer/state/exhibits.ts';

/** The page of an archive. */
export interface ArchivedPage {
  title: string;
  /** Its URL with all choices. */
  url: string;
  /** Time of saving, ISO 8601. */
  savedAt: string;
}

/** Returns the files of an archive by name: those of all exhibits, and README.md with captions and the link. */
export async function archiveFiles(
  page: ArchivedPage,
  exhibits: readonly Exhibit[],
): Promise<Record<string, string>> {
  const files: Record<string, string> = {};
  const sections: string[] = [];
  for (const exhibit of exhibits) {
    const names: string[] = [];
    for (const { ending, content } of await exhibit.files()) {
      const name = `${exhibit.kind}s/${exhibit.id}.${ending}`;
      files[name] = content;
      names.push(name);
    }
    sections.push(getSection(exhibit, names));
  }
  return { 'README.md': [getHead(page), ...sections].join('\n'), ...files };
}

function getHead({ title, url, savedAt }: ArchivedPage): string {
  return [
    `# ${makeLine(title)}`,
    '',
    `Saved ${savedAt}. The same view, where the service runs: <${url}>`,
    '',
    'Figures are SVG with their fonts inside, LaTeX for pgfplots with its data inside, both 85 mm wide, and CSV of all',
    'their numbers. Tables are LaTeX (`booktabs`, `longtable`, `graphicx`) and CSV. Numbers have all digits; `Inf` is infinite, an',
    'empty field has no value.',
    '',
  ].join('\n');
}

function getSection({ title, caption }: Exhibit, files: readonly string[]): string {
  const listed = files.map((name) => `- [${name}](${name})`);
  return [`## ${makeLine(title)}`, '', makeLine(caption), '', ...listed, ''].join('\n');
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
