import { readFileSync, writeFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';

const sampleFile = new URL('../fixtures/runner-sample.db.gz', import.meta.url);

/** Writes the fixture, a SQLite file that the runner itself made, to `file`. */
export function writeSampleFile(file: string): void {
  writeFileSync(file, gunzipSync(readFileSync(sampleFile)));
}
