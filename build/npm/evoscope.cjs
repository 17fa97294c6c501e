#!/usr/bin/env node
'use strict';

// The command of the npm package. Its syntax is old, so that an old Node.js prints the message below.

const leastMajor = 24;

const usage = `Usage: evoscope [database] [flags]       shows a SQLite file, or a database that --db names
       evoscope import <path> [options]  imports benchmark data; see evoscope import --help
       evoscope verify <archive.zip>     recomputes the numbers in the archive of a page

`;

function main() {
  const [node, , first, ...others] = process.argv;
  if (Number(process.versions.node.split('.')[0]) < leastMajor) {
    process.stderr.write(
      `Evoscope needs Node.js ${leastMajor} or newer, and this is ${process.version}: install it from https://nodejs.org\n`,
    );
    process.exitCode = 1;
    return undefined;
  }
  if (first === 'import') {
    process.argv = [node, 'evoscope import', ...others];
    return import('./dist/server/importer.js');
  }
  if (first === 'verify') {
    process.argv = [node, 'evoscope verify', ...others];
    return import('./dist/server/verifier.js');
  }
  if (first === '--help') process.stdout.write(usage);
  const isPlace = first !== undefined && !first.startsWith('-');
  process.argv = [node, 'evoscope', ...(isPlace ? ['--db', first] : [first]), ...others].filter(
    (argument) => argument !== undefined,
  );
  return import('./dist/server/main.js');
}

void main();
