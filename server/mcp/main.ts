import { enableCompileCache } from 'node:module';
import { join } from 'node:path';

// The cache of compiled code is in the folder of the program, as server/main.ts explains.
process.env['NODE_COMPILE_CACHE'] ||= join(import.meta.dirname, '../..', '.cache', 'compiled');
enableCompileCache();

const { main } = await import('../service.ts');
await main({ isForStdio: true });
