import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';

/**
 * Type-checks every folder with its own tsconfig, so that a file which uses a global of another
 * environment (Node in the renderer, the DOM in the server) does not pass. Exit code 1 on any error.
 */
const folders = ['shared', 'server', 'renderer', 'electron', 'build', 'tests'];
const compiler = 'node_modules/@typescript/native/bin/tsc';

const failed = folders
  .filter((folder) => existsSync(`${folder}/tsconfig.json`))
  .filter(
    (folder) =>
      spawnSync(process.execPath, [compiler, '-p', folder], { stdio: 'inherit' }).status !== 0,
  );

if (failed.length > 0) {
  process.stderr.write(`Type errors in: ${failed.join(', ')}\n`);
  process.exitCode = 1;
}
