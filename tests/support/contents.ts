import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { getFile, onServer, type TestLocation } from './databases.ts';

/**
 * Returns everything that is stored at a location, for comparison: for SQLite the hashes of all files in its folder; for
 * PostgreSQL the identity and definition of all relations, constraints and triggers, and all rows.
 */
export async function getContents(location: TestLocation): Promise<unknown> {
  return location.url.startsWith('jdbc:sqlite:') ? getFiles(location) : getRelations(location);
}

function getFiles(location: TestLocation): Record<string, string> {
  const folder = dirname(getFile(location));
  const getHash = (name: string) =>
    createHash('sha256')
      .update(readFileSync(join(folder, name)))
      .digest('hex');
  return Object.fromEntries(readdirSync(folder).map((name) => [name, getHash(name)]));
}

function getRelations(location: TestLocation): Promise<unknown> {
  return onServer(location.url, async (client) => {
    const userSchemas = `nspname not like 'pg\\_%' and nspname <> 'information_schema'`;
    const { rows: relations } = await client.query<{ name: string; relkind: string }>(
      `select c.oid::regclass::text as name, relkind, relfilenode from pg_class c
       join pg_namespace n on n.oid = relnamespace where ${userSchemas} order by c.oid`,
    );
    const { rows: schemas } = await client.query(
      `select nspname from pg_namespace where ${userSchemas}`,
    );
    const { rows: triggers } = await client.query('select tgname from pg_trigger order by oid');
    const tables = relations.filter(({ relkind }) => relkind === 'r');
    const rows: unknown[] = [];
    for (const { name } of tables) {
      rows.push((await client.query(`select to_json(t)::text from ${name} t order by 1`)).rows);
    }
    return { relations, schemas, triggers, rows };
  });
}
