import { strFromU8, unzipSync } from 'fflate';
import { expect, test } from 'vitest';
import { ZipWriter } from '#server/formats/zip.ts';

const modifiedAt = new Date('2026-11-21T10:20:30Z');

/** The files of an archive as texts, read by another program. */
function readFiles(archive: Uint8Array): Record<string, string> {
  const files = Object.entries(unzipSync(Uint8Array.from(archive)));
  return Object.fromEntries(files.map(([name, bytes]) => [name, strFromU8(bytes)]));
}

test('an archive in parts contains its files, also if a part ends inside a file', () => {
  const parts: Uint8Array[] = [];
  let state: ReturnType<ZipWriter['take']>['state'] | undefined;
  const lines = Array.from({ length: 20_000 }, (_, index) => `line ${index}\n`);
  const steps: ((zip: ZipWriter) => void)[] = [
    (zip) => zip.open('größe/a.txt', modifiedAt),
    (zip) => zip.write(lines.slice(0, 9_000).join('')),
    (zip) => zip.write(lines.slice(9_000).join('')),
    (zip) => zip.close(),
    (zip) => zip.open('empty', new Date(0)),
    (zip) => zip.close(),
    (zip) => zip.end(),
  ];
  for (const step of steps) {
    const zip = new ZipWriter(state);
    step(zip);
    const part = zip.take();
    parts.push(part.bytes);
    ({ state } = part);
  }
  expect(readFiles(Buffer.concat(parts))).toEqual({ 'größe/a.txt': lines.join(''), empty: '' });
});

test('an archive without files is valid', () => {
  const zip = new ZipWriter();
  zip.end();
  expect(readFiles(zip.take().bytes)).toEqual({});
});

test('an archive that is too large for the format is refused', () => {
  const { state } = new ZipWriter().take();
  const fullZip = new ZipWriter({ ...state, offset: 2 ** 32 - 10 });
  expect(() => fullZip.open('a', modifiedAt)).toThrow(
    'A zip archive and each of its files must have less than 4 GiB. Select fewer runs.',
  );
  const crowdedZip = new ZipWriter({ ...state, fileCount: 65_534 });
  expect(() => crowdedZip.open('a', modifiedAt)).toThrow(
    'A zip archive has at most 65534 files. Select fewer runs.',
  );
});

test('a file is closed before the next file', () => {
  const zip = new ZipWriter();
  zip.open('a', modifiedAt);
  expect(() => zip.open('b', modifiedAt)).toThrow(
    'The previous file is still open. Close it before you open another one.',
  );
});
