import { gzipSync } from 'node:zlib';
import type { Plugin } from 'vite';

/** A built script as far as its size matters: its text and the scripts it loads before it runs. */
export interface Script {
  code: string;
  imports: readonly string[];
  isEntry: boolean;
}

/** Bytes, compressed, of all scripts that load before the first page's own: entries with what they import. */
export function entryBytes(scripts: ReadonlyMap<string, Script>): number {
  const loaded = new Set([...scripts].filter(([, { isEntry }]) => isEntry).map(([name]) => name));
  // A set hands out what is added during the walk as well.
  for (const name of loaded) scripts.get(name)?.imports.forEach((imported) => loaded.add(imported));
  return [...loaded].reduce(
    (sum, name) => sum + gzipSync(scripts.get(name)?.code ?? '').byteLength,
    0,
  );
}

/** Fails the build of the pages when their entry outgrows a size in kB (1000 bytes), compressed. */
export function limitEntry(maximumKilobytes: number): Plugin {
  return {
    name: 'evoscope-limit-entry',
    generateBundle(_, bundle) {
      const scripts = Object.values(bundle).flatMap((part) =>
        part.type === 'chunk' ? [[part.fileName, part] as const] : [],
      );
      const kilobytes = entryBytes(new Map(scripts)) / 1000;
      if (kilobytes > maximumKilobytes) {
        this.error(
          `The entry script is ${kilobytes.toFixed(1)} kB compressed; at most ${maximumKilobytes} kB ` +
            'keep the first page quick. Load what is new with the page that needs it.',
        );
      }
    },
  };
}
