import { enableCompileCache } from 'node:module';
import { join } from 'node:path';
import { limitNewObjects } from './runtime/heap.ts';

/*
 * Compiling the scripts takes most of the start time, so Node caches the compiled code. Unless NODE_COMPILE_CACHE names
 * another folder, the cache is in the folder of the program. A user who can write there can also change the program.
 * The folder for temporary files would be less safe, because other users share it. This code sets the variable, because
 * Node reads it at the start of each thread. If the folder is not writable, Node adds nothing to the cache.
 */
const isBundled = import.meta.filename.endsWith('.js');
const programFolder = join(import.meta.dirname, isBundled ? '../..' : '..');
process.env['NODE_COMPILE_CACHE'] ||= join(programFolder, '.cache', 'compiled');
enableCompileCache();

limitNewObjects();

const { main } = await import('./service.ts');
await main();
