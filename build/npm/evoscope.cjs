#!/usr/bin/env node
'use strict';

// The command of the npm package. Its syntax is old, so that an old Node.js prints the message below.

const leastMajor = 24;

const usage = `Usage: evoscope [database] [flags]       shows a SQLite file, or a database that --db names
       evoscope import <path> [options]  imports benchmark data; see evoscope import --help
       evoscope verify <archive.zip>     recomputes the numbers in the archive of a page
       evoscope mcp [database] [flags]   serves an assistant at standard input and output (MCP): by default only reads

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
  const isForMcp = first === 'mcp';
  const [place, ...flags] = isForMcp ? others : [first, ...others];
  if (place === '--help') process.stdout.write(usage);
  const isPlace = place !== undefined && !place.startsWith('-');
  process.argv = [node, 'evoscope', ...(isPlace ? ['--db', place] : [place]), ...flags].filter(
    (argument) => argument !== undefined,
  );
  return import(isForMcp ? './dist/server/mcp.js' : './dist/server/main.js');
}

void main();
