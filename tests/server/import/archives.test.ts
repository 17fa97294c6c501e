import {
  createReadStream,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { createGzip, gzipSync } from 'node:zlib';
import { pack } from 'tar-stream';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readEntries, readTextFile } from '#server/import/read-data-set.ts';
import { NoteBook } from '#server/import/notes.ts';
import { defaultLimits, type Limits, Meter, UnreadableEntry } from '#server/import/source/entry.ts';
import { type ImportSource, openSource, getSourceName } from '#server/import/source/read-source.ts';
import { findArchive } from '#tests/support/import-data.ts';
import { unpack } from '#tests/support/unpack.ts';

const folder = mkdtempSync(join(tmpdir(), 'evoscope-archives-'));
let inputs: Awaited<ReturnType<typeof unpack>>;
beforeAll(async () => {
  inputs = await unpack(findArchive('bad-inputs')!);
});
afterAll(() => {
  inputs.remove();
  rmSync(folder, { recursive: true });
});

async function read(source: ImportSource, limits: Partial<Limits> = {}) {
  const notes = new NoteBook();
  const readOptions = {
    meter: new Meter({ ...defaultLimits, ...limits }),
    notes,
    onBytes: () => {},
    signal: new AbortController().signal,
  };
  const { entries } = await openSource(source, readOptions);
  const listedEntries = await readEntries(entries, notes);
  return { ...listedEntries, notes: notes.list() };
}

/** A tar.gz that is packed while it is read, as an upload arrives. */
function tarGz(fill: (archive: ReturnType<typeof pack>) => void | Promise<void>): ImportSource {
  const archive = pack();
  void Promise.resolve(fill(archive)).catch(() => {});
  const bytes = Readable.from(archive).pipe(createGzip({ level: 1 })) as AsyncIterable<Buffer>;
  return { name: 'upload.tar.gz', bytes };
}

async function listTemporaryFiles(): Promise<string[]> {
  return readdirSync(tmpdir()).filter((name) => name.startsWith('evoscope-import-'));
}

test('an archive of ten million entries is refused after a hundred thousand', async () => {
  const archive = pack();
  archive.entry({ name: 'a/empty.txt' }, '');
  archive.finalize();
  const entry = (await buffer(Readable.from(archive))).subarray(0, 512);
  const thousand = Buffer.concat(Array.from({ length: 1000 }, () => entry));
  async function* tenMillion() {
    for (let part = 0; part < 10_000; part++) yield thousand;
  }
  await expect(read({ name: 'many.tar', bytes: tenMillion() })).rejects.toMatchObject({
    code: 'ARCHIVE_TOO_LARGE',
    message:
      'The source is too large: it has more than 100,000 files and folders. Import it in parts',
  });
});

test('a zip whose directory lists ten million entries is refused before an entry is read', async () => {
  const zip = join(folder, 'many.zip');
  const entries = 65_000;
  const directory = Buffer.alloc(46);
  directory.writeUInt32LE(0x02014b50, 0);
  const endRecord = Buffer.alloc(22);
  endRecord.writeUInt32LE(0x06054b50, 0);
  endRecord.writeUInt16LE(entries, 8);
  endRecord.writeUInt16LE(entries, 10);
  endRecord.writeUInt32LE(directory.length, 12);
  endRecord.writeUInt32LE(4, 16);
  writeFileSync(zip, Buffer.concat([Buffer.from('504b0304', 'hex'), directory, endRecord]));
  await expect(read({ path: zip }, { entries: 60_000 })).rejects.toMatchObject({
    code: 'ARCHIVE_TOO_LARGE',
    message:
      'The source is too large: it has more than 60,000 files and folders. Import it in parts',
  });
});

test('the error of an archive whose first bytes cannot be read is that of the reading', async () => {
  async function* fail() {
    yield Buffer.from('504b', 'hex');
    throw new Error('read failed');
  }
  await expect(read({ name: 'a.zip', bytes: fail() })).rejects.toThrow('read failed');
});

test('a source is refused if the first bytes of an archive in it exceed the limit', async () => {
  const source = tarGz((archive) => {
    archive.entry({ name: 'a.csv.gz' }, gzipSync('evaluations,best\n1,5\n'));
    archive.finalize();
  });
  await expect(read(source, { bytes: 10 })).rejects.toMatchObject({ code: 'ARCHIVE_TOO_LARGE' });
});

test('a megabyte that unpacks to a gigabyte is refused in bounded memory', async () => {
  const zeros = Buffer.alloc(2 ** 20);
  async function* gigabyte() {
    for (let part = 0; part < 1024; part++) yield zeros;
  }
  const bytes = Readable.from(gigabyte()).pipe(createGzip()) as AsyncIterable<Buffer>;
  const bytesBefore = process.memoryUsage().rss;
  await expect(read({ name: 'bomb.dat.gz', bytes })).rejects.toMatchObject({
    code: 'ARCHIVE_TOO_LARGE',
    message:
      'The source is too large: it unpacks to more than 200 times its size. Unpack it, and import the folder',
  });
  expect(process.memoryUsage().rss - bytesBefore).toBeLessThan(200 * 2 ** 20);
});

test('a gzip that is damaged or has other data after its end is refused with the reason', async () => {
  const packedText = gzipSync('evaluations,best');
  const damagedBytes = Buffer.concat([packedText.subarray(0, 10), Buffer.alloc(40, 0xff)]);
  for (const bytes of [damagedBytes, Buffer.concat([packedText, Buffer.from('garbage')])]) {
    await expect(
      read({ name: 'data.tar.gz', bytes: Readable.from([bytes]) }),
    ).rejects.toMatchObject({
      code: 'ARCHIVE_UNREADABLE',
      message: 'The archive is damaged. Create or download it again',
    });
  }
});

test('files and sources larger than the limits are refused', async () => {
  const path = join(inputs.folder, 'bad/01-good');
  await expect(read({ path }, { fileBytes: 1000 })).rejects.toMatchObject({
    code: 'ARCHIVE_TOO_LARGE',
    message: expect.stringMatching(
      /alone is larger than 1,000 bytes\. Import it in parts$/,
    ) as string,
  });
  await expect(read({ path }, { bytes: 10_000 })).rejects.toMatchObject({
    code: 'ARCHIVE_TOO_LARGE',
    message: 'The source is too large: it has more than 10,000 bytes. Import it in parts',
  });
});

test('paths that lead out of the archive, links and devices are skipped with notes', async () => {
  const source = tarGz((archive) => {
    archive.entry({ name: '../out.info' }, 'x');
    archive.entry({ name: '/etc/absolute.info' }, 'x');
    archive.entry({ name: 'C:\\windows.info' }, 'x');
    archive.entry({ name: 'link.info', type: 'symlink', linkname: '/etc/passwd' });
    archive.entry({ name: 'device.info', type: 'character-device' });
    archive.finalize();
  });
  const { scenarios, notes } = await read(source);
  expect(scenarios).toEqual([]);
  expect(notes.map(({ code, file }) => [code, file])).toEqual(
    ['../out.info', '/etc/absolute.info', 'C:\\windows.info', 'link.info', 'device.info'].map(
      (file) => ['ARCHIVE_ENTRY_REFUSED', file],
    ),
  );
});

test.each(['tar', 'tar.gz', 'csv.gz'])(
  'a truncated %s in a folder is noted, and its complete files and the other files are read',
  async (kind) => {
    const archive = pack();
    archive.entry({ name: 'complete.csv' }, 'evaluations,best\n1,5\n');
    const rows = Array.from({ length: 20_000 }, (_, row) => `${row + 1},${Math.sin(row)}`);
    archive.entry({ name: 'truncated.csv' }, `evaluations,best\n${rows.join('\n')}`);
    archive.finalize();
    const tar = await buffer(Readable.from(archive));
    const bytes = kind === 'tar' ? tar : gzipSync(kind === 'csv.gz' ? tar.subarray(1536) : tar);
    const parent = mkdtempSync(join(folder, 'truncated-'));
    writeFileSync(join(parent, `a.${kind}`), bytes.subarray(0, bytes.length * 0.8));
    writeFileSync(join(parent, 'b.csv'), 'evaluations,best\n1,5\n');
    const { tables, notes } = await read({ path: parent });
    const completeFiles = kind === 'csv.gz' ? [] : [`a.${kind}/complete.csv`];
    expect(tables.map(({ file }) => file)).toEqual([...completeFiles, 'b.csv']);
    expect(notes).toMatchObject([{ code: 'ARCHIVE_TRUNCATED', file: `a.${kind}`, count: 1 }]);
  },
);

test('a folder whose files are packed one by one equals the unpacked folder', async () => {
  const unpackedArchive = await unpack(findArchive('coco-gen-cons')!);
  const folderResult = await read({ path: unpackedArchive.folder });
  for (const file of readdirSync(unpackedArchive.folder, {
    recursive: true,
    withFileTypes: true,
  })) {
    const path = join(file.parentPath, file.name);
    if (!file.isFile()) continue;
    writeFileSync(`${path}.gz`, gzipSync(readFileSync(path)));
    rmSync(path);
  }
  const packedResult = await read({ path: unpackedArchive.folder });
  unpackedArchive.remove();
  expect(folderResult.dataFiles.length).toBeGreaterThan(1);
  expect(packedResult.dataFiles.map(({ path }) => path)).toEqual(
    folderResult.dataFiles.map(({ path }) => path),
  );
  expect(packedResult.sha256).toBe(folderResult.sha256);
});

test('a packed file next to the unpacked one does not replace it', async () => {
  const parent = mkdtempSync(join(folder, 'both-'));
  mkdirSync(join(parent, 'a'));
  const row = (best: number) => `evaluations,best\n1,${best}\n`;
  writeFileSync(join(parent, 'a/x.csv'), row(5));
  writeFileSync(join(parent, 'a/x.csv.gz'), gzipSync(row(6)));
  const { tables } = await read({ path: parent });
  expect(tables.map(({ file, runs }) => [file, runs[0]?.values])).toEqual([
    ['a/x.csv', [5]],
    ['a/x.csv.gz/x.csv', [6]],
  ]);
});

test('an unsupported archive is refused with the supported formats', async () => {
  const bytes = Readable.from([
    Buffer.from('7z\xbc\xaf\x27\x1c', 'latin1'),
  ]) as AsyncIterable<Buffer>;
  await expect(read({ name: 'a.7z', bytes })).rejects.toMatchObject({
    code: 'ARCHIVE_KIND',
    message: 'a.7z has an unsupported archive format; use zip, tar, tar.gz or gz',
  });
});

test.each([
  ['a table of unknown columns', 'a.csv', 'a,b\n1,2\n'],
  ['JSON lines of unknown keys', 'a.jsonl', '{"a":1}\n'],
  ['an unsupported archive', 'a.7z', '7z\xbc\xaf\x27\x1c'],
])('a tar is read to its end after %s', async (_what, name, text) => {
  const source = tarGz((archive) => {
    archive.entry({ name }, Buffer.from(text.repeat(200_000), 'latin1'));
    archive.entry({ name: 'b.csv' }, 'evaluations,best\n1,5\n');
    archive.finalize();
  });
  const { tables } = await read(source);
  expect(tables.map(({ file }) => file)).toEqual(['b.csv']);
});

test.skipIf(process.platform === 'win32')('a link in a folder is never followed', async () => {
  const linkedFolder = mkdtempSync(join(folder, 'linked-'));
  symlinkSync('/etc', join(linkedFolder, 'elsewhere'));
  const { notes } = await read({ path: linkedFolder });
  const message = 'Link, device or path outside the folder; not opened (a link)';
  expect(notes).toMatchObject([{ code: 'PATH_REFUSED', file: 'elsewhere', message }]);
});

test.each(['coco-gen-cons', 'ioh-gen-0.3.22'])(
  'the archive of %s as a stream equals its folder',
  async (name) => {
    const unpackedArchive = await unpack(findArchive(name)!);
    const bytes = createReadStream(findArchive(name)!) as AsyncIterable<Buffer>;
    const streamResult = await read({ name: `${name}.tar.gz`, bytes });
    const folderResult = await read({ path: join(unpackedArchive.folder, name) });
    unpackedArchive.remove();
    expect(streamResult.sha256).toBe(folderResult.sha256);
    expect(streamResult.scenarios.length).toBe(folderResult.scenarios.length);
  },
);

test('a zip that arrives as a stream is read, and leaves no temporary file', async () => {
  const filesBefore = await listTemporaryFiles();
  const bytes = createReadStream(join(inputs.folder, 'bad/archives/nested.zip'));
  const { scenarios } = await read({ name: 'n.zip', bytes: bytes as AsyncIterable<Buffer> });
  expect(scenarios.length).toBe(1);
  expect(await listTemporaryFiles()).toEqual(filesBefore);
});

test('the name of a data set is that of its folder or archive', () => {
  const names = ['/a/DIRECT.tar.gz', 'set.txz', 'x/RS_on_bbob/', 'run.zip', 'table.csv', 'v2.2.1'];
  expect(names.map((path) => getSourceName({ path }))).toEqual([
    'DIRECT',
    'set',
    'RS_on_bbob',
    'run',
    'table',
    'v2.2.1',
  ]);
});

/** Yields one entry for each path and content. */
async function* listGivenEntries(contents: readonly (readonly [path: string, bytes: Buffer])[]) {
  for (const [path, content] of contents) {
    async function* bytes() {
      yield content;
    }
    yield { path, modifiedAt: new Date(0), bytes: bytes() };
  }
}

test('of several entries with the same path, the last one applies', async () => {
  const table = (best: number) => Buffer.from(`evaluations,best\n1,5\n9,${best}\n`);
  const index = Buffer.from("{'N': 5, 'popsize': 8}");
  const { tables, scenarios } = await readEntries(
    listGivenEntries([
      ['a.csv', table(3)],
      ['a.csv', table(2)],
      ['outcmaesparameters.json2', index],
      ['outcmaesparameters.json2', Buffer.from('{}')],
    ]),
    new NoteBook(),
  );
  expect(tables).toHaveLength(1);
  expect(tables[0]?.runs[0]?.values).toEqual([5, 2]);
  expect(scenarios).toEqual([]);
});

test('of several entries with the same path, none applies if the last one is unreadable', async () => {
  async function* entries() {
    yield* listGivenEntries([
      ['a.csv', Buffer.from('evaluations,best\n1,5\n')],
      ['b.csv', Buffer.from('evaluations,best\n1,6\n')],
    ]);
    // eslint-disable-next-line require-yield
    async function* bytes(): AsyncGenerator<Buffer> {
      throw new UnreadableEntry('The archive of this file is unreadable');
    }
    yield { path: 'a.csv', modifiedAt: new Date(0), bytes: bytes() };
  }
  const { tables } = await readEntries(entries(), new NoteBook());
  expect(tables.map(({ runs }) => runs[0]?.values)).toEqual([[6]]);
});

test('a byte order mark of UTF-8 is removed from text in Latin-1 too', async () => {
  const bytes = Buffer.from([0xef, 0xbb, 0xbf, 0x61, 0xe9]);
  for await (const entry of listGivenEntries([['a.info', bytes]]))
    expect(await readTextFile(entry, new NoteBook())).toBe('aé');
  expect.assertions(1);
});
