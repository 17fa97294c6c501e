import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { scriptChecksumsFile } from '#shared/desktop.ts';
import * as z from 'zod';

/**
 * SHA-256 in hexadecimal of each file of the service except native code, by its path relative to the program's folder.
 */
const checksums = z.record(z.string(), z.string());

/** Path of the file with the checksums. It is in the archive, whose integrity Electron checks on macOS and Windows. */
const checksumsFile = join('dist', 'electron', scriptChecksumsFile);

/**
 * Returns the path of the first file next to the archive that differs from the packaged one, relative to
 * `unpackedFolder`; null if there is none. Ignores missing and unreadable files, and files without a checksum, such as
 * native code. `program` is the folder or archive with the checksums. Throws the error of the system, a SyntaxError or
 * a ZodError if the checksums are missing or invalid.
 */
export function findChangedFile(program: string, unpackedFolder: string): string | null {
  const expectedChecksums = checksums.parse(
    JSON.parse(readFileSync(join(program, checksumsFile), 'utf8')),
  );
  const changedEntry = Object.entries(expectedChecksums).find(([file, expectedChecksum]) => {
    const actualChecksum = readChecksum(join(unpackedFolder, file));
    return actualChecksum !== null && actualChecksum !== expectedChecksum;
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
