import type { ImportProgress } from './read-data-set.ts';

/** Where a bar is drawn: a terminal, or a log that gets a line now and then. */
export interface BarOutput {
  isTTY?: boolean;
  write: (text: string) => unknown;
}

const width = 30;
/** A terminal is drawn 10 times a second at most; a log gets a line every tenth of the way. */
const redrawMillis = 100;

/**
 * A bar that shows how far an import is: the first half of it is read, the second half written. In a terminal it
 * moves in place and `end` clears it; elsewhere each tenth is a line.
 */
export function createProgressBar(
  output: BarOutput,
  now: () => number = () => performance.now(),
): { show: (progress: ImportProgress) => void; end: () => void } {
  let shownAt = -Infinity;
  let shownTenth = -1;
  return {
    show(progress) {
      const share = shareOf(progress);
      if (!output.isTTY) {
        const tenth = Math.floor(share * 10);
        if (tenth > shownTenth) output.write(`${textOf(progress, share)}\n`);
        shownTenth = Math.max(tenth, shownTenth);
      } else if (now() - shownAt >= redrawMillis || share === 1) {
        shownAt = now();
        output.write(`\r\u001b[K${bar(share)} ${textOf(progress, share)}`);
      }
    },
    end() {
      if (output.isTTY) output.write('\r\u001b[K');
    },
  };
}

function shareOf({ phase, bytes, totalBytes, rows, totalRows }: ImportProgress): number {
  const done = phase === 'reading' ? bytes / (totalBytes || Infinity) : rows / (totalRows || 1);
  return Math.min(done, 1) / 2 + (phase === 'reading' ? 0 : 0.5);
}

function bar(share: number): string {
  const filled = Math.round(share * width);
  return `[${'#'.repeat(filled)}${'.'.repeat(width - filled)}]`;
}

function textOf({ phase, bytes, runs, totalRuns, rows }: ImportProgress, share: number): string {
  const percent = `${Math.floor(share * 100)} %`.padStart(5);
  if (phase === 'reading') return `${percent}  reading, ${(bytes / 2 ** 20).toFixed(1)} MB`;
  return `${percent}  writing, ${runs} of ${totalRuns} runs, ${rows} rows`;
}
