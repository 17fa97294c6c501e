import { enableCompileCache } from 'node:module';
import { join } from 'node:path';

/*
 * Compiling the scripts takes most of a start, so Node keeps the compiled ones, in the program's own folder unless
 * NODE_COMPILE_CACHE names another. A user who can write there can change the program as well; a folder for temporary files
 * would be shared with other users. Threads read the variable. Without a writable folder the cache has no effect.
 */
const isBundled = import.meta.filename.endsWith('.js');
const program = join(import.meta.dirname, isBundled ? '../..' : '..');
process.env['NODE_COMPILE_CACHE'] ||= join(program, '.cache', 'compiled');
enableCompileCache();

const { main } = await import('./service.ts');
await main();
