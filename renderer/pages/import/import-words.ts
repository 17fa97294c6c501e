import { describeCount, formatBytes, formatCount } from '#shared/number-format.ts';
import type { ImportProgress, ImportResult } from '#shared/schemas/import.ts';
import type { ImportSource } from '#renderer/api/imports.ts';

/** Progress of an import: a share from 0 to 1, null while unknown, and its words. */
export interface ProgressWords {
  share: number | null;
  text: string;
}

/** Part of the progress bar that an upload takes. */
const uploadPart = 1 / 3;

/** Returns the progress of an upload; `share` of the file is uploaded. */
export function describeSending(share: number): ProgressWords {
  return { share: share * uploadPart, text: `Uploading: ${Math.floor(share * 100)} %` };
}

/**
 * Returns the progress of an import: the first half is reading, the second writing. After an upload both follow its
 * part of the bar.
 */
export function describeProgress(
  progress: ImportProgress,
  { isUploaded }: { isUploaded: boolean },
): ProgressWords {
  const { phase, bytes, totalBytes, runs, totalRuns, rows, totalRows } = progress;
  const place = (share: number): number =>
    isUploaded ? uploadPart + share * (1 - uploadPart) : share;
  if (phase === 'writing') {
    return {
      share: place(0.5 + rows / (totalRows || 1) / 2),
      text: `Writing: ${formatCount(runs)} of ${describeCount(totalRuns, 'run')}, ${describeCount(rows, 'iteration')}`,
    };
  }
  return {
    share: totalBytes === null ? null : place(Math.min(1, bytes / (totalBytes || 1)) / 2),
    text: `Reading: ${formatBytes(bytes)}${totalBytes === null ? '' : ` of ${formatBytes(totalBytes)}`}`,
  };
}

/** Returns the displayed name of a source, the default name of its data set. */
export function getSourceName(source: ImportSource): string {
  if ('file' in source) return source.file.name;
  if ('sample' in source) return 'bbob-sample';
  return (
    source.path
      .replace(/[\\/]+$/, '')
      .split(/[\\/]/)
      .at(-1) ?? source.path
  );
}

/** Returns the default name for the data set of a source: the last part without archive extensions. */
export function getDataSetName(source: ImportSource): string {
  const name = getSourceName(source);
  return name.replace(/\.(tgz|zip|(tar\.)?gz|tar|csv|tsv|jsonl|ndjson)$/i, '') || name;
}

/** Returns the new names as the query parameter `rename`; undefined without any. Empty names change nothing. */
export function makeRenameQuery(names: Readonly<Record<string, string>>): string | undefined {
  const renamed = Object.entries(names).filter(([, name]) => name.trim() !== '');
  return renamed.length === 0 ? undefined : JSON.stringify(Object.fromEntries(renamed));
}

/** Returns the names of the algorithms of a checked source: the typed ones, and those of the check for the others. */
export function getAlgorithmNames(
  { algorithms }: Pick<ImportResult, 'algorithms'>,
  typedNames: Readonly<Record<string, string>>,
): { source: string; name: string; isChanged: boolean; isTaken: boolean }[] {
  const named = algorithms.map(({ source, name: checked }) => {
    const name = typedNames[source]?.trim() || checked;
    return { source, name, isChanged: name !== checked };
  });
  return named.map((algorithm) => ({
    ...algorithm,
    isTaken: named.some(
      ({ source, name }) => source !== algorithm.source && name === algorithm.name,
    ),
  }));
}

/** Returns the number of runs of a data set that are not stored yet. */
function getAddedRuns({ campaigns, skipped, extended }: ImportResult): number {
  return campaigns.reduce((sum, campaign) => sum + campaign.runs, 0) - skipped - extended;
}

/** Returns whether every run of a data set is stored already. An import would then change nothing. */
export function isAllImported(result: ImportResult): boolean {
  return result.skipped > 0 && result.extended === 0 && getAddedRuns(result) <= 0;
}

/** Returns the label of the button for an inspected data set, and the reason if it is disabled. */
export function getImportAction(
  result: ImportResult,
  choice: { isRenamed: boolean; hasEqualNames: boolean; replaces: boolean; isReference: boolean },
): { label: string; reason?: string } {
  if (choice.hasEqualNames)
    return { label: 'Check again', reason: 'Two algorithms have the same name.' };
  if (choice.isRenamed) return { label: 'Check again' };
  if (result.campaigns.length === 0) return { label: 'Import', reason: 'No runs to import.' };
  if (choice.replaces) return { label: 'Replace and import' };
  if (!isAllImported(result)) return { label: 'Import' };
  if (choice.isReference) return { label: 'Store as reference' };
  return { label: 'Import', reason: 'All these runs are already imported, nothing to add.' };
}

/** Returns what an import would write, or has written, in a sentence. */
export function describeEffect(result: ImportResult, isDone: boolean): string {
  const newRuns = getAddedRuns(result);
  if (isAllImported(result) && !isDone)
    return `${describeCount(result.skipped, 'run')} already imported, nothing to add`;
  const parts = [
    newRuns > 0 && `${describeCount(newRuns, 'run')} ${isDone ? 'added' : 'to add'}`,
    result.extended > 0 &&
      `${describeCount(result.extended, 'run')} ${isDone ? 'extended' : 'to extend'}`,
    result.skipped > 0 && `${describeCount(result.skipped, 'run')} already imported`,
  ].filter(Boolean);
  return parts.length === 0 ? 'No run' : parts.join(' · ');
}

/** Returns the path of a dropped or typed text: without surrounding quotes and spaces. */
export function cleanPath(text: string): string {
  return text.trim().replace(/^(["'])(.*)\1$/, '$2');
}
