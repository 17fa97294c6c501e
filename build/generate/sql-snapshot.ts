import { readdirSync } from 'node:fs';
import type { CompiledQuery } from 'kysely';
import { format } from 'sql-formatter';
import type { DatabaseDialect } from '#server/db/dialect.ts';
import { cocoExamples } from './coco-examples.ts';
import { experimentExamples } from './experiment-examples.ts';
import { importExamples } from './import-examples.ts';
import { recordingExamples } from './recording-examples.ts';
import { createDummyDatabase } from './dummy-database.ts';
import { examples } from './repository-examples.ts';

const allExamples = [
  ...examples,
  ...experimentExamples,
  ...recordingExamples,
  ...importExamples,
  ...cocoExamples,
];

const repositoryFolder = new URL('../../server/repositories/', import.meta.url);

/**
 * Returns the SQL statements of all methods of {@link findMethods} for one database, with their parameters, in the
 * order of the methods and their examples. Reviewers read the result. Rejects with an Error if a method has no example.
 */
export async function createSqlSnapshot(dialect: DatabaseDialect['name']): Promise<string> {
  const database = createDummyDatabase(dialect);
  const methods = await findMethods();
  const sections: string[] = [];
  for (const [name, method] of methods) {
    const calls = allExamples.filter((example) => example.method === method);
    if (calls.length === 0) throw new Error(`${name} has no example: add one to build/generate`);
    for (const { call, note } of calls) {
      await call(database);
      const statements = database.takeQueries().map((query) => formatQuery(dialect, query));
      sections.push(`-- ${note ? `${name}: ${note}` : name}\n${statements.join('\n')}`);
    }
  }
  return `${sections.join('\n\n')}\n`;
}

/**
 * Returns every asynchronous function that a repository exports, except generators. The keys are `file.name`, sorted by
 * file and then by name.
 */
async function findMethods(): Promise<Map<string, unknown>> {
  const methods = new Map<string, unknown>();
  for (const file of readdirSync(repositoryFolder).sort()) {
    const exports = (await import(new URL(file, repositoryFolder).href)) as Record<string, unknown>;
    for (const name of Object.keys(exports).sort()) {
      const value = exports[name];
      if (isAsynchronous(value)) methods.set(`${file.replace(/\.ts$/, '')}.${name}`, value);
    }
  }
  return methods;
}

function isAsynchronous(value: unknown): boolean {
  return typeof value === 'function' && value.constructor.name === 'AsyncFunction';
}

function formatQuery(dialect: DatabaseDialect['name'], { sql, parameters }: CompiledQuery): string {
  const text = format(sql, {
    language: dialect === 'sqlite' ? 'sqlite' : 'postgresql',
    expressionWidth: 100,
  });
  return parameters.length === 0 ? `${text};` : `${text};\n-- ${JSON.stringify(parameters)}`;
}
