import { countOf, formatBytes, formatCount } from '#shared/number-format.ts';
import type { ImportProgress, ImportResult } from '#shared/schemas/import.ts';
import type { ImportSource } from '#renderer/api/imports.ts';

/** How far an import is: from 0 to 1, null while it is unknown, and in words. */
export interface ProgressWords {
  share: number | null;
  text: string;
}

/** What is shown while a file is sent; `share` of it is. */
export function sendingWords(share: number): ProgressWords {
  return { share: share / 3, text: `Sending: ${Math.floor(share * 100)} %` };
}

/** What is shown of the progress of an import: the first half is read, the second written. */
export function progressWords(progress: ImportProgress): ProgressWords {
  const { phase, bytes, totalBytes, runs, totalRuns, rows, totalRows } = progress;
  if (phase === 'writing') {
    return {
      share: 0.5 + rows / (totalRows || 1) / 2,
      text: `Writing: ${formatCount(runs)} of ${countOf(totalRuns, 'run')}, ${countOf(rows, 'iteration')}`,
    };
  }
  return {
    share: totalBytes === null ? null : Math.min(1, bytes / (totalBytes || 1)) / 2,
    text: `Reading: ${formatBytes(bytes)}${totalBytes === null ? '' : ` of ${formatBytes(totalBytes)}`}`,
  };
}

/** The name of a source as people give it, for which its data set is called at first. */
export function sourceNameOf(source: ImportSource): string {
  if ('file' in source) return source.file.name;
  if ('sample' in source) return 'bbob-sample';
  return (
    source.path
      .replace(/[\\/]+$/, '')
      .split(/[\\/]/)
      .at(-1) ?? source.path
  );
}

/** A name for the data set of a source: its last part without what says how it is packed. */
export function dataSetNameOf(source: ImportSource): string {
  const name = sourceNameOf(source);
  return name.replace(/\.(tgz|zip|(tar\.)?gz|tar|csv|tsv|jsonl|ndjson)$/i, '') || name;
}

/** What of a data set would be written, or was, in a sentence. */
export function effectWords(result: ImportResult, isDone: boolean): string {
  const runs = result.campaigns.reduce((sum, campaign) => sum + campaign.runs, 0);
  const added = runs - result.skipped - result.extended;
  const parts = [
    added > 0 && `${countOf(added, 'run')} ${isDone ? 'added' : 'to add'}`,
    result.extended > 0 &&
      `${countOf(result.extended, 'run')} ${isDone ? 'extended' : 'to extend'}`,
    result.skipped > 0 && `${countOf(result.skipped, 'run')} there already`,
  ].filter(Boolean);
  return parts.length === 0 ? 'No run' : parts.join(' · ');
}

/** The path of a dropped or typed text as the service wants it: without quotes and blanks around it. */
export function cleanPath(text: string): string {
  return text.trim().replace(/^(["'])(.*)\1$/, '$2');
}
