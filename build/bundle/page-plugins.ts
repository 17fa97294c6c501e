import { gzipSync } from 'node:zlib';
import type { IndexHtmlTransformHook, Plugin } from 'vite';
import { pagePaths, type PageName } from '#shared/pages.ts';

/** A bundled script: its text and the scripts that it imports statically. */
export interface Script {
  code: string;
  imports: readonly string[];
  isEntry: boolean;
}

/**
 * Returns the sum of the sizes in bytes, each compressed by gzip, of the entry scripts and of all scripts that they
 * import statically, directly or indirectly; 0 without an entry script. `scripts` contains them by file name.
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
 * Returns a plugin of Vite with which the build fails if the compressed entry scripts and their static imports exceed a
 * size in kB (1000 bytes).
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

/** Length in UTF-16 code units that a chunk must not reach if pages preload it. Plotly and KaTeX are larger. */
const maximumCharacters = 200_000;

const textFont = /\/inter-latin-wght-normal-[^/]+\.woff2$/;

/**
 * Returns a plugin of Vite that adds links to the HTML, with which browsers load the text font and the chunks of pages
 * in advance. Omits chunks of at least {@link maximumCharacters}. The links of chunks contain the paths of the pages
 * that import them: `first-paint.js` loads the chunks of the opened page immediately and the others later.
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
 * Returns the paths of the pages that import each chunk statically, as regular expressions, by the name of its file.
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

/** Matches the condition in which Plotly clears its cache of text sizes, and captures the variable of the limit. */
const textSizeLimit = />=([\w$]+)&&\([\w$.]+\.savedBBoxes=\{\}/;

/**
 * Maximum number of texts whose sizes Plotly caches. Its own limit of 10,000 needs several megabytes on a page that
 * shows new numbers for hours; a page of many charts has a few hundred texts.
 */
const maximumTextSizes = 1_000;

/**
 * Returns the bundle of Plotly as an ES module: the same code without the functions around it, and with {@link
 * maximumTextSizes}. A browser parses a function body twice, the second time on the main thread, but the top level of a
 * module only once, in the background. Throws an Error if the bundle has another form.
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
