import { readFileSync, writeFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';

const compressedFile = new URL('../fixtures/runner-sample.db.gz', import.meta.url);

let sample: Buffer | undefined;

/** Writes the fixture, a SQLite file that the runner itself made, to `file`. Decompresses it once for all suites. */
export function writeSampleFile(file: string): void {
  sample ??= gunzipSync(readFileSync(compressedFile));
  writeFileSync(file, sample);
}
