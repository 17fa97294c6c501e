#!/usr/bin/env node
'use strict';

// The command of the npm package. Its syntax is old, because an old Node.js must be able to print the message below.

const { existsSync } = require('node:fs');

const minimumMajor = 24;

const usage = `Usage: evoscope [database] [flags]       shows a SQLite file, or a database that --db names
       evoscope import <path> [options]  imports benchmark data; see evoscope import --help
       evoscope verify <archive.zip>     recomputes the numbers in the archive of a page
       evoscope mcp [database] [flags]   serves an assistant at standard input and output (MCP): by default only reads

`;

function main() {
  const [node, , command, ...commandArguments] = process.argv;
  if (Number(process.versions.node.split('.')[0]) < minimumMajor) {
    process.stderr.write(
      `Evoscope needs Node.js ${minimumMajor} or newer, and this is ${process.version}: install it from https://nodejs.org\n`,
    );
    process.exitCode = 1;
    return undefined;
  }
  if (command === 'import') {
    process.argv = [node, 'evoscope import', ...commandArguments];
    return import('./dist/server/importer.js');
  }
  if (command === 'verify') {
    process.argv = [node, 'evoscope verify', ...commandArguments];
    return import('./dist/server/verifier.js');
  }
  const isForMcp = command === 'mcp';
  const [location, ...flags] = isForMcp ? commandArguments : [command, ...commandArguments];
  if (location === '--help') process.stdout.write(usage);
  const isLocation = location !== undefined && !location.startsWith('-');
  // A word of only letters is more likely an unknown command than a database to create.
  if (isLocation && /^[A-Za-z]+$/.test(location) && !existsSync(location)) {
    process.stderr.write(
      `There is no command or file "${location}". For a new database, use a name with an extension, such as ${location}.db\n\n${usage}`,
    );
    process.exitCode = 1;
    return undefined;
  }
  process.argv = [
    node,
    'evoscope',
    ...(isLocation ? ['--db', location] : [location]),
    ...flags,
  ].filter((argument) => argument !== undefined);
  return import(isForMcp ? './dist/server/mcp.js' : './dist/server/main.js');
}

void main();
