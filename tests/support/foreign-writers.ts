import { execFile, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { root } from '#build/bundle.ts';

/** A program with another copy of SQLite: opens a file, executes statements and closes it. */
export interface ForeignWriter {
  readonly name: string;
  /** Reason why it is missing on this machine; undefined if it is installed. */
  readonly missingReason?: string | undefined;
  execute(file: string, sql: string): Promise<void>;
}

/** Runs a program without blocking this process, which must notice the end of its connections. */
async function run(command: string, args: readonly string[]): Promise<void> {
  await promisify(execFile)(command, args);
}

function findMissingReason(command: string, args: readonly string[]): string | undefined {
  return spawnSync(command, args).status === 0 ? undefined : `${command} is not installed`;
}

const nodeProgram = `
  const { DatabaseSync } = require('node:sqlite');
  const database = new DatabaseSync(process.argv[1], { timeout: 10_000 });
  database.exec(process.argv[2]);
  database.close();`;

const pythonProgram = `
import sqlite3, sys
connection = sqlite3.connect(sys.argv[1], timeout=10, isolation_level=None)
connection.executescript(sys.argv[2])
connection.close()`;

/** The SQLite of Node itself, which is not the one of the service. */
const node: ForeignWriter = {
  name: 'node:sqlite',
  execute: (file, sql) => run(process.execPath, ['--no-warnings', '-e', nodeProgram, file, sql]),
};

const python: ForeignWriter = {
  name: "Python's sqlite3",
  missingReason: findMissingReason('python3', ['-c', 'import sqlite3']),
  execute: (file, sql) => run('python3', ['-c', pythonProgram, file, sql]),
};

const commandLine: ForeignWriter = {
  name: 'the sqlite3 program',
  missingReason: findMissingReason('sqlite3', ['-version']),
  execute: (file, sql) => run('sqlite3', ['-cmd', '.timeout 10000', file, sql]),
};

/** Writers that need no download. */
export const foreignWriters: readonly ForeignWriter[] = [node, python, commandLine];

const driverFolder = join(root, '.cache/sqlite-jdbc');
const libraries = ['org/xerial/sqlite-jdbc/3.46.1.3', 'org/slf4j/slf4j-api/1.7.36'];

/** Returns a writer with the driver of the runner, which is downloaded from Maven Central once. */
export async function createJdbcWriter(): Promise<ForeignWriter> {
  const name = 'the Xerial JDBC driver';
  const makeMissingWriter = (missingReason: string): ForeignWriter => ({
    name,
    missingReason,
    execute: async () => {},
  });
  const missingReason = findMissingReason('javac', ['-version']);
  if (missingReason !== undefined) return makeMissingWriter(missingReason);
  const jars: string[] = [];
  for (const library of libraries) {
    const jar = await fetchLibrary(library).catch(() => undefined);
    if (jar === undefined) return makeMissingWriter('Maven Central cannot be reached');
    jars.push(jar);
  }
  await run('javac', ['-d', driverFolder, join(root, 'tests/fixtures/foreign/Execute.java')]);
  const path = [driverFolder, ...jars].join(delimiter);
  return { name, execute: (file, sql) => run('java', ['-cp', path, 'Execute', file, sql]) };
}

async function fetchLibrary(library: string): Promise<string> {
  const [version = '', artifact = ''] = library.split('/').reverse();
  const jar = join(driverFolder, `${artifact}-${version}.jar`);
  if (existsSync(jar)) return jar;
  const response = await fetch(
    `https://repo1.maven.org/maven2/${library}/${artifact}-${version}.jar`,
    { signal: AbortSignal.timeout(60_000) },
  );
  if (!response.ok) throw new Error(`Maven Central responded with ${response.status}`);
  const bytes = Buffer.from(await response.arrayBuffer());
  mkdirSync(driverFolder, { recursive: true });
  writeFileSync(jar, bytes);
  return jar;
}
