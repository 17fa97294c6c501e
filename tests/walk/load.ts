import { pathToFileURL } from 'node:url';

/** Loads the modules in its arguments and does nothing else. */
for (const file of process.argv.slice(2)) await import(pathToFileURL(file).href);
process.exit();
