import type { Plugin } from 'vite';

/** Largest chunk, in characters, that is fetched before it is asked for: Plotly and the typesetting are above. */
const maximumCharacters = 200_000;

const textFont = /\/inter-latin-wght-normal-[^/]+\.woff2$/;

/**
 * Has the browser fetch the pages' chunks and the font of their text along with the HTML, so that no page waits for
 * its code once the entry runs.
 */
export function preloadPages(): Plugin {
  return {
    name: 'evoscope-preload-pages',
    transformIndexHtml: {
      order: 'post',
      handler: (_, { bundle = {} }) =>
        Object.values(bundle).flatMap((part) => {
          const link = (attrs: Record<string, string>) => [
            { tag: 'link', attrs: { ...attrs, crossorigin: true, href: `/${part.fileName}` } },
          ];
          if (textFont.test(part.fileName)) {
            return link({ rel: 'preload', as: 'font', type: 'font/woff2' });
          }
          const isLater = part.type === 'chunk' && !part.isEntry;
          return isLater && part.code.length < maximumCharacters
            ? link({ rel: 'modulepreload' })
            : [];
        }),
    },
  };
}
