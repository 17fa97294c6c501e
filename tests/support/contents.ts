import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { getFile, onServer, type TestPlace } from './databases.ts';

/**
 * All that is stored at a place, to be compared with itself later: on SQLite every file of its folder, byte for
 * byte; on PostgreSQL the identity and definition of all relations, constraints and triggers, and all rows.
 */
export async function getContents(place: TestPlace): Promise<unknown> {
  return place.url.startsWith('jdbc:sqlite:') ? getFiles(place) : getRelations(place);
}

function getFiles(place: TestPlace): Record<string, string> {
  const folder = dirname(getFile(place));
  const getHash = (name: string) =>
    createHash('sha256')
      .update(readFileSync(join(folder, name)))
      .digest('hex');
  return Object.fromEntries(readdirSync(folder).map((name) => [name, getHash(name)]));
}

function getRelations(place: TestPlace): Promise<unknown> {
  return onServer(place.url, async (client) => {
    const own = `nspname not like 'pg\\_%' and nspname <> 'information_schema'`;
    const { rows: relations } = await client.query<{ name: string; relkind: string }>(
      `select c.oid::regclass::text as name, relkind, relfilenode from pg_class c
       join pg_namespace n on n.oid = relnamespace where ${own} order by c.oid`,
    );
    const { rows: schemas } = await client.query(`select nspname from pg_namespace where ${own}`);
    const { rows: triggers } = await client.query('select tgname from pg_trigger order by oid');
    const tables = relations.filter(({ relkind }) => relkind === 'r');
    const rows: unknown[] = [];
    for (const { name } of tables) {
      rows.push((await client.query(`select to_json(t)::text from ${name} t order by 1`)).rows);
    }
    return { relations, schemas, triggers, rows };
  });
}
