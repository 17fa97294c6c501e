import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from 'vite';
import { expect, test } from 'vitest';
import { preloadPages } from '#build/preload.ts';

test('the HTML names the chunks of the pages and the text font, but not the entry, a heavy chunk or other fonts', async () => {
  const root = await mkdtemp(join(tmpdir(), 'evoscope-preload-'));
  const files = {
    'index.html': '<head></head><script type="module" src="/main.js"></script>',
    'main.js': "import './main.css'; import('./page.js'); import('./heavy.js');",
    'main.css': ['latin', 'greek']
      .map(
        (set) => `@font-face { font-family: ${set}; src: url(./inter-${set}-wght-normal.woff2) }`,
      )
      .join('\n'),
    'page.js': 'console.log("a page")',
    'heavy.js': `console.log("${'a'.repeat(600_000)}")`,
    'inter-latin-wght-normal.woff2': 'a font',
    'inter-greek-wght-normal.woff2': 'another font',
  };
  for (const [name, text] of Object.entries(files)) await writeFile(join(root, name), text);
  const built = await build({
    configFile: false,
    logLevel: 'silent',
    root,
    plugins: [preloadPages()],
    build: { write: false, assetsInlineLimit: 0 },
  });
  const { output } = built as Extract<typeof built, { output: unknown }>;
  const html = output.find(({ fileName }) => fileName === 'index.html');
  const text = html?.type === 'asset' ? String(html.source) : '';
  const links = [
    ...text.matchAll(/<link rel="(\w+)"[^>]*?href="\/assets\/([\w-]+?)-[\w-]{8}\.\w+"/g),
  ];
  expect(links.map(([, rel, name]) => `${rel} ${name}`).sort()).toEqual([
    'modulepreload page',
    'preload inter-latin-wght-normal',
    'stylesheet index',
  ]);
});
