import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { scriptSumsFile } from '#shared/desktop.ts';
import * as z from 'zod';

/** SHA-256 in hexadecimal of each file next to the archive, by its path from the program's folder. */
const sums = z.record(z.string(), z.string());

/** The file with the checksums. It is in the archive, whose integrity Electron checks. */
const sumsFile = join('dist', 'electron', scriptSumsFile);

/**
 * Returns the first file next to the archive that differs from the packaged one; null if all are equal or missing.
 * `program` contains the checksums, `unpackedFolder` the files. Throws if the checksums cannot be read.
 */
export function findChangedFile(program: string, unpackedFolder: string): string | null {
  const expectedSums = sums.parse(JSON.parse(readFileSync(join(program, sumsFile), 'utf8')));
  const changedEntry = Object.entries(expectedSums).find(([file, expectedSum]) => {
    const actualSum = readChecksum(join(unpackedFolder, file));
    return actualSum !== null && actualSum !== expectedSum;
  });
  return changedEntry?.[0] ?? null;
}

function readChecksum(file: string): string | null {
  try {
    return createHash('sha256').update(readFileSync(file)).digest('hex');
  } catch {
    return null;
  }
}
