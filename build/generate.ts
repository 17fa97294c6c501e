import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import packageFile from '#package.json' with { type: 'json' };
import { createOpenApiDocument } from '#server/docs/openapi.ts';
import { createSqlSnapshot } from './generate/sql-snapshot.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const folder = 'tests/fixtures/generated';

/** A committed file that `npm run generate` writes, with its expected text. */
interface GeneratedFile {
  path: string;
  text: string;
}

/**
 * Returns every generated file: the OpenAPI document, and the SQL of all repository methods for each database. Rejects
 * with an Error if a repository method has no example.
 */
export async function generateAll(): Promise<GeneratedFile[]> {
  const document = createOpenApiDocument(packageFile.version);
  return [
    { path: `${folder}/openapi.json`, text: `${JSON.stringify(document, null, 2)}\n` },
    { path: `${folder}/sqlite.sql`, text: await createSqlSnapshot('sqlite') },
    { path: `${folder}/postgres.sql`, text: await createSqlSnapshot('postgres') },
  ];
}

/**
 * Returns one sentence for each file under `base` that is missing or out of date, in the order of `files`. Returns an
 * empty array if all are up to date.
 */
export function listStaleFiles(files: readonly GeneratedFile[], base = root): string[] {
  return files.flatMap(({ path, text }) => {
    const file = `${base}/${path}`;
    if (!existsSync(file)) return [`${path} is missing`];
    const line = findFirstDifference(readFileSync(file, 'utf8'), text);
    return line === null ? [] : [`${path} is out of date from line ${line}`];
  });
}

function findFirstDifference(firstText: string, secondText: string): number | null {
  if (firstText === secondText) return null;
  const secondLines = secondText.split('\n');
  const index = firstText
    .split('\n')
    .findIndex((line, lineIndex) => line !== secondLines[lineIndex]);
  return (index < 0 ? firstText.split('\n').length : index) + 1;
}

function writeAll(files: readonly GeneratedFile[]): void {
  for (const { path, text } of files) {
    const file = `${root}/${path}`;
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
  }
}

function checkAll(files: readonly GeneratedFile[]): void {
  const staleFiles = listStaleFiles(files);
  for (const sentence of staleFiles) process.stderr.write(`${sentence}\n`);
  if (staleFiles.length === 0) return;
  process.stderr.write('Run "npm run generate", review the difference and commit it.\n');
  process.exitCode = 1;
}

if (import.meta.main) {
  const files = await generateAll();
  if (process.argv.includes('--check')) checkAll(files);
  else writeAll(files);
}
