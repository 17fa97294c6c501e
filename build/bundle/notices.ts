import { readdirSync, readFileSync } from 'node:fs';
import type { Plugin as EsbuildPlugin } from 'esbuild';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Plugin } from 'vite';

/** Name of the file with the licences. The folder of each bundle contains one. */
export const noticesFile = 'NOTICES.txt';

const licenceName = /^(un)?licen[cs]e|^copying|^notice/i;

interface Package {
  name: string;
  version: string;
  license?: string;
}

/**
 * Returns one text with the licences of all packages that contain these modules. Ignores modules outside of
 * `node_modules`. Each licence text appears once, below the names, versions and kinds of licence of all packages that
 * share the text. Sorts the packages by name. Throws an Error for a package with neither a licence file nor a field
 * `license`, and the error of the system if it cannot read a package.
 */
export function getNotices(modules: Iterable<string>): string {
  const folders = new Set([...modules].flatMap((file) => findPackageFolder(file) ?? []));
  const notices = [...folders].map(readNotice).sort((a, b) => (a.title < b.title ? -1 : 1));
  const sections = Map.groupBy(notices, ({ text }) => text).entries();
  const introduction = 'Evoscope contains these third-party packages, each under its licence.';
  const blocks = Array.from(sections, ([text, group]) =>
    [...group.map(({ title }) => title), '', text].join('\n').trim(),
  );
  return `${[introduction, ...blocks].join(`\n\n${'-'.repeat(80)}\n\n`)}\n`;
}

function readNotice(folder: string): { title: string; text: string } {
  const packageFile = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Package;
  const title = `${packageFile.name} ${packageFile.version}`;
  const files = readdirSync(folder).filter((name) => licenceName.test(name));
  const text = files.map((name) => readFileSync(join(folder, name), 'utf8').trim()).join('\n\n');
  if (!packageFile.license && text === '')
    throw new Error(`${title} states no licence: replace this package`);
  return { title: `${title} (${packageFile.license ?? 'see below'})`, text };
}

/**
 * Returns the folder of the package that contains a file: `/…/node_modules/@scope/name`; undefined if there is none.
 */
function findPackageFolder(file: string): string | undefined {
  return /^\0?(.*\/node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(file.replaceAll('\\', '/'))?.[1];
}

/**
 * Returns a plugin of esbuild that writes a file with notices to `folder`. The file covers all packages in the bundle,
 * and the packages that contain the `unbundledFiles`. The build fails if {@link getNotices} throws.
 */
export function bundleNotices(
  folder: string,
  unbundledFiles: readonly string[] = [],
): EsbuildPlugin {
  return {
    name: 'evoscope-notices',
    setup(build) {
      build.initialOptions.metafile = true;
      build.onEnd(async ({ metafile, errors }) => {
        if (metafile === undefined || errors.length > 0) return;
        const inputs = Object.keys(metafile.inputs).map((file) => join(process.cwd(), file));
        await writeFile(join(folder, noticesFile), getNotices([...inputs, ...unbundledFiles]));
      });
    },
  };
}

/**
 * Returns a plugin of Vite that adds a file with the notices of all packages in the pages. The build fails if {@link
 * getNotices} throws.
 */
export function collectPageNotices(): Plugin {
  return {
    name: 'evoscope-notices',
    apply: 'build',
    generateBundle() {
      const source = getNotices(this.getModuleIds());
      this.emitFile({ type: 'asset', fileName: noticesFile, source });
    },
  };
}
