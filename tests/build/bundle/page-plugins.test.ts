import { readFileSync } from 'node:fs';
import { mkdir, mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { build } from 'vite';
import { describe, expect, test } from 'vitest';
import {
  toModule,
  measureEntry,
  limitEntry,
  preloadPages,
  type Script,
} from '#build/bundle/page-plugins.ts';

describe('the limit of the entry size', () => {
  const script = (code: string, imports: string[] = [], isEntry = false): Script => ({
    code,
    imports,
    isEntry,
  });

  test('counts each script that an entry imports statically once, without scripts that pages load later', () => {
    const scripts = new Map([
      ['entry.js', script('entry', ['frame.js', 'library.js'], true)],
      ['frame.js', script('frame', ['library.js'])],
      ['library.js', script('library')],
      ['charts.js', script('charts', ['library.js'])],
    ]);
    const size = (code: string) => gzipSync(code).byteLength;
    expect(measureEntry(scripts)).toBe(size('entry') + size('frame') + size('library'));
  });

  test('fails a build whose entry is too large and reports the size', async () => {
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
      /entry scripts and their imports are 0\.\d kB compressed; the limit is 0.01 kB/,
    );
    await expect(buildWith(1)).resolves.toBeDefined();
  });
});

describe('preloadPages', () => {
  test('adds the chunks with the paths of their pages and the text font, but not the entry, a large chunk or other fonts', async () => {
    const root = await mkdtemp(join(tmpdir(), 'evoscope-preload-'));
    const files = {
      'index.html': '<head></head><script type="module" src="/main.js"></script>',
      'main.js':
        "import './main.css'; import('./pages/run/RunPage.js'); import('./pages/help/HelpPage.js'); import('./heavy.js');",
      'main.css': ['latin', 'greek']
        .map(
          (set) => `@font-face { font-family: ${set}; src: url(./inter-${set}-wght-normal.woff2) }`,
        )
        .join('\n'),
      'pages/run/RunPage.js': "import '../../shared.js'; console.log('a run')",
      'pages/help/HelpPage.js': "import '../../shared.js'; console.log('help')",
      'shared.js': 'console.log("both")',
      'heavy.js': `console.log("${'a'.repeat(600_000)}")`,
      'inter-latin-wght-normal.woff2': 'a font',
      'inter-greek-wght-normal.woff2': 'another font',
    };
    for (const [name, text] of Object.entries(files)) {
      await mkdir(join(root, name, '..'), { recursive: true });
      await writeFile(join(root, name), text);
    }
    const buildResult = await build({
      configFile: false,
      logLevel: 'silent',
      root,
      plugins: [preloadPages()],
      build: { write: false, assetsInlineLimit: 0 },
    });
    const { output } = buildResult as Extract<typeof buildResult, { output: unknown }>;
    const html = output.find(({ fileName }) => fileName === 'index.html');
    const text = html?.type === 'asset' ? String(html.source) : '';
    const links = [
      ...text.matchAll(
        /<link rel="(\w+)"(?: data-paths="(.*?)")?[^>]*?href="\/assets\/([\w-]+?)-[\w-]{8}\.\w+"/g,
      ),
    ];
    expect(
      links.map(([, rel, paths = '', name]) => [rel, name, paths].join(' ').trim()).sort(),
    ).toEqual([
      'later HelpPage /help',
      'later RunPage /runs/[^/]+',
      'later shared /help|/runs/[^/]+',
      'preload inter-latin-wght-normal',
      'stylesheet index',
    ]);
  });
});

describe('the module of Plotly', () => {
  const bundle = `(function(root, factory) { root.x = factory(); }(self, () => {
"use strict";var Plotly=(()=>{var s={},n=0,m=1e4;var a=()=>(n>=m&&(s.savedBBoxes={},n=0),{version:"4",limit:m});return a();})();
window.Plotly = Plotly;
return Plotly;
}));`;

  test('exports the value that the bundle returns, with fewer cached sizes of texts', async () => {
    const url = `data:text/javascript,${encodeURIComponent(toModule(bundle))}`;
    expect(((await import(url)) as { default: unknown }).default).toEqual({
      version: '4',
      limit: 1_000,
    });
  });

  test('throws for a bundle of another form', () => {
    expect(() => toModule('export const version = 5;')).toThrow(/Update `toModule`/);
    expect(() => toModule(bundle.replace('1e4', '2e4'))).toThrow(/Update `toModule`/);
  });

  test('can be built from the installed library', () => {
    const text = toModule(readFileSync(new URL(import.meta.resolve('plotly.js-dist-min')), 'utf8'));
    expect(text).toMatch(/^var \w+=Object\.create;/);
    expect(text).toMatch(/;export default \w+\(\);?$/);
  });
});
