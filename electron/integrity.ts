import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { scriptSumsFile } from '#shared/desktop.ts';
import * as z from 'zod';

/** Path from the program's folder → SHA-256, in hexadecimal, of the files that lie beside the archive. */
const sums = z.record(z.string(), z.string());

/** Where the build leaves the sums, in the archive, whose own integrity Electron checks. */
const sumsFile = join('dist', 'electron', scriptSumsFile);

/**
 * The first file beside the archive that is not as it was packaged; null when all are, or are gone. `program` holds the
 * sums, `unpacked` the files. Throws when the sums cannot be read.
 */
export function changedFile(program: string, unpacked: string): string | null {
  const expected = sums.parse(JSON.parse(readFileSync(join(program, sumsFile), 'utf8')));
  const changed = Object.entries(expected).find(([file, sum]) => {
    const found = sumOf(join(unpacked, file));
    return found !== null && found !== sum;
  });
  return changed?.[0] ?? null;
}

function sumOf(file: string): string | null {
  try {
    return createHash('sha256').update(readFileSync(file)).digest('hex');
  } catch {
    return null;
  }
}
