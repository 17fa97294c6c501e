import { enableCompileCache } from 'node:module';
import { join } from 'node:path';
import { limitNewObjects } from './runtime/heap.ts';

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

limitNewObjects();

const { main } = await import('./service.ts');
await main();
