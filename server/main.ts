import { enableCompileCache } from 'node:module';
import { join } from 'node:path';
import { setFlagsFromString } from 'node:v8';

/*
 * Compiling the scripts takes most of the start time, so Node caches the compiled code. The cache is in the folder of the
 * program unless NODE_COMPILE_CACHE names another one: a user who can write there can also change the program, while the
 * folder for temporary files is shared with other users. Threads read the variable. Without a writable folder, the cache
 * has no effect.
 */
const isBundled = import.meta.filename.endsWith('.js');
const program = join(import.meta.dirname, isBundled ? '../..' : '..');
process.env['NODE_COMPILE_CACHE'] ||= join(program, '.cache', 'compiled');
enableCompileCache();

/*
 * Each thread has two spaces for new objects, which grow to 16 MB and stay so large. With spaces of 4 MB analyses take as
 * long, and the service needs 80 MB less. Electron may not allow flags to change.
 */
if (process.versions['electron'] === undefined) {
  setFlagsFromString('--min-semi-space-size=4');
  setFlagsFromString('--semi-space-growth-factor=1');
}

const { main } = await import('./service.ts');
await main();
