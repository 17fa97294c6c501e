import { gzipSync } from 'node:zlib';
import { build } from 'vite';
import { expect, test } from 'vitest';
import { entryBytes, limitEntry, type Script } from '#build/entry-size.ts';

const script = (code: string, imports: string[] = [], isEntry = false): Script => ({
  code,
  imports,
  isEntry,
});

test('the entry is measured with all that it imports, each script once, and without what pages load later', () => {
  const scripts = new Map([
    ['entry.js', script('entry', ['frame.js', 'library.js'], true)],
    ['frame.js', script('frame', ['library.js'])],
    ['library.js', script('library')],
    ['charts.js', script('charts', ['library.js'])],
  ]);
  const size = (code: string) => gzipSync(code).byteLength;
  expect(entryBytes(scripts)).toBe(size('entry') + size('frame') + size('library'));
});

test('a build whose entry is too large fails and says by how much', async () => {
  const input = 'virtual:entry';
  const entry = {
    name: 'entry',
    resolveId: (id: string) => (id === input ? id : null),
    load: (id: string) => (id === input ? 'console.log("a page")' : null),
  };
  const buildWith = (maximumKilobytes: number) =>
    build({
      configFile: false,
      logLevel: 'silent',
      plugins: [entry, limitEntry(maximumKilobytes)],
      build: { write: false, rolldownOptions: { input } },
    });
  await expect(buildWith(0.01)).rejects.toThrow(
    /entry script is 0\.\d kB compressed; at most 0.01/,
  );
  await expect(buildWith(1)).resolves.toBeDefined();
});
