import { existsSync } from 'node:fs';
import { runAll } from './gate/run-all.ts';

/**
 * Folders to type-check, from most to fewest lines. Each has its own tsconfig, so a global of another environment (Node
 * in the renderer, the DOM in the server) is an error.
 */
const folders = ['tests', 'server', 'renderer', 'shared', 'build', 'electron'];
const compiler = 'node_modules/@typescript/native/bin/tsc';

// Each check uses one thread, because several threads would infer the same types more than once.
const results = await runAll(
  folders
    .filter((folder) => existsSync(`${folder}/tsconfig.json`))
    .map((folder) => ({ name: folder, command: [compiler, '-p', folder, '--singleThreaded'] })),
);
const failedFolders = results.filter(({ exitCode }) => exitCode !== 0).map(({ name }) => name);

if (failedFolders.length > 0) {
  process.stderr.write(`Type errors in: ${failedFolders.join(', ')}\n`);
  process.exitCode = 1;
}
