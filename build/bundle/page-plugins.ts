import { gzipSync } from 'node:zlib';
import type { IndexHtmlTransformHook, Plugin } from 'vite';
import { pagePaths, type PageName } from '#shared/pages.ts';

/** A bundled script: its text, and the file names of the scripts that it imports statically. */
export interface Script {
  code: string;
  imports: readonly string[];
  isEntry: boolean;
}

/**
 * Returns the total size in bytes of the entry scripts and of all scripts that they import statically, directly or
 * indirectly. Compresses each script by gzip. Returns 0 without an entry script. The keys of `scripts` are file names.
 */
export function measureEntry(scripts: ReadonlyMap<string, Script>): number {
  const loadedScripts = new Set(
    [...scripts].filter(([, { isEntry }]) => isEntry).map(([name]) => name),
  );
  // The iteration over a set includes elements that the loop adds.
  for (const name of loadedScripts)
    scripts.get(name)?.imports.forEach((importedName) => loadedScripts.add(importedName));
  return [...loadedScripts].reduce(
    (sum, name) => sum + gzipSync(scripts.get(name)?.code ?? '').byteLength,
    0,
  );
}

/**
 * Returns a plugin of Vite that makes the build fail if the entry scripts and their static imports are too large. The
 * limit applies to the compressed size, in kB (1000 bytes).
 */
export function limitEntry(maximumKilobytes: number): Plugin {
  return {
    name: 'evoscope-limit-entry',
    generateBundle(_, bundle) {
      const scripts = Object.values(bundle).flatMap((output) =>
        output.type === 'chunk' ? [[output.fileName, output] as const] : [],
      );
      const kilobytes = measureEntry(new Map(scripts)) / 1000;
      if (kilobytes > maximumKilobytes) {
        this.error(
          `The entry scripts and their imports are ${kilobytes.toFixed(1)} kB compressed; the limit is ${maximumKilobytes} kB. ` +
            'Load new code with the page that needs it.',
        );
      }
    },
  };
}

/** Length in UTF-16 code units. Pages preload only shorter chunks. Plotly and KaTeX are longer. */
const maximumCharacters = 200_000;

const textFont = /\/inter-latin-wght-normal-[^/]+\.woff2$/;

/**
 * Returns a plugin of Vite that adds links to the HTML. By these links, browsers load the text font and the chunks of
 * pages in advance. Omits chunks of at least {@link maximumCharacters}. The link of a chunk contains the paths of the
 * pages that import the chunk. `first-paint.js` loads the chunks of the opened page immediately, and other chunks
 * later.
 */
export function preloadPages(): Plugin {
  return {
    name: 'evoscope-preload-pages',
    transformIndexHtml: {
      order: 'post',
      handler: (_, { bundle = {} }) => {
        const paths = findPaths(bundle);
        return Object.values(bundle).flatMap((output) => {
          const makeLink = (attrs: Record<string, string>) => [
            { tag: 'link', attrs: { ...attrs, crossorigin: true, href: `/${output.fileName}` } },
          ];
          if (textFont.test(output.fileName)) {
            return makeLink({ rel: 'preload', as: 'font', type: 'font/woff2' });
          }
          const isDeferred = output.type === 'chunk' && !output.isEntry;
          if (!isDeferred || output.code.length >= maximumCharacters) return [];
          return makeLink({
            rel: 'later',
            'data-paths': (paths.get(output.fileName) ?? []).join('|'),
          });
        });
      },
    },
  };
}

type Bundle = NonNullable<Parameters<IndexHtmlTransformHook>[1]['bundle']>;

/**
 * Returns the paths of the pages that import a chunk statically, as regular expressions. The keys are the file names of
 * the chunks. Omits chunks that no page imports statically.
 */
function findPaths(bundle: Bundle): Map<string, string[]> {
  const paths = new Map<string, string[]>();
  for (const output of Object.values(bundle)) {
    const modules = output.type === 'chunk' ? output.moduleIds.join('\n') : '';
    const folder = /\/pages\/(\w+)\/\w+Page\.\w+$/m.exec(modules)?.[1];
    if (!folder || !Object.hasOwn(pagePaths, folder)) continue;
    const path = pagePaths[folder as PageName].replaceAll(/:\w+/g, '[^/]+');
    const importedFiles = new Set([output.fileName]);
    // The iteration over a set includes elements that the loop adds.
    for (const name of importedFiles) {
      const chunk = bundle[name];
      if (chunk?.type === 'chunk') chunk.imports.forEach((file) => importedFiles.add(file));
      paths.set(name, [...(paths.get(name) ?? []), path]);
    }
  }
  return paths;
}

const [startCode, endCode] = ['var Plotly=(()=>{', 'window.Plotly = Plotly;'];

/** Matches the condition under which Plotly clears its cache of text sizes, and captures the variable of the limit. */
const textSizeLimit = />=([\w$]+)&&\([\w$.]+\.savedBBoxes=\{\}/;

/**
 * Maximum number of texts whose sizes Plotly caches. Plotly's limit of 10,000 needs several megabytes on a page that
 * shows new numbers for hours; a page of many charts has a few hundred texts.
 */
const maximumTextSizes = 1_000;

/**
 * Returns the bundle of Plotly as an ES module. The module contains the same code without the functions around it, and
 * limits the cache of text sizes to {@link maximumTextSizes}. A browser parses a function body twice, the second time
 * on the main thread. It parses the top level of a module only once, in the background. Throws an Error if the bundle
 * has an unknown form.
 */
export function toModule(bundle: string): string {
  const start = bundle.indexOf(startCode);
  const end = bundle.lastIndexOf('})();', bundle.indexOf(endCode));
  const returnIndex = bundle.lastIndexOf('return ', end);
  const limitAssignment = `${textSizeLimit.exec(bundle)?.[1]}=1e4;`;
  if (start < 0 || end < 0 || returnIndex < start || !bundle.includes(limitAssignment)) {
    throw new Error(
      'The bundle of Plotly has an unknown form. Update `toModule` in build/bundle/page-plugins.ts.',
    );
  }
  const body = bundle.slice(start + startCode.length, returnIndex);
  const limitedBody = body.replace(limitAssignment, () =>
    limitAssignment.replace('1e4', String(maximumTextSizes)),
  );
  return `${limitedBody}export default ${bundle.slice(returnIndex + 'return '.length, end)}`;
}

/** Returns a plugin of Vite that converts Plotly. Its build fails if {@link toModule} throws. */
export function unwrapPlotly(): Plugin {
  return {
    name: 'evoscope-unwrap-plotly',
    enforce: 'pre',
    transform: {
      filter: { id: /\/plotly\.js-dist-min\/plotly\.min\.js$/ },
      handler: (bundle) => ({ code: toModule(bundle), map: null }),
    },
  };
}
