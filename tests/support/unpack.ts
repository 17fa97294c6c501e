import { createReadStream, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createGunzip } from 'node:zlib';
import { extract } from 'tar-stream';

/** Unpacks a tar.gz of the fixtures into a new folder. */
export async function unpack(archive: string): Promise<{ folder: string; remove: () => void }> {
  const folder = mkdtempSync(join(tmpdir(), 'evoscope-unpacked-'));
  const files = createReadStream(archive)
    .pipe(createGunzip())
    // The package's types lack the option that reads tars without the `ustar` mark.
    .pipe(extract({ allowUnknownFormat: true } as object) as never as NodeJS.WritableStream);
  for await (const file of files as never as ReturnType<typeof extract>) {
    const chunks: Buffer[] = [];
    for await (const chunk of file) chunks.push(chunk as Buffer);
    if (file.header.type !== 'file') continue;
    const path = join(folder, file.header.name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, Buffer.concat(chunks));
  }
  return { folder, remove: () => rmSync(folder, { recursive: true, force: true }) };
}
