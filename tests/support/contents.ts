import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { getFile, onServer, type TestLocation } from './databases.ts';

/**
 * Returns everything that is stored at a location, for comparison: for SQLite the hashes of all files in its folder;
 * for PostgreSQL the identity and definition of all relations, constraints and triggers, and all rows.
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
      `select c.oid::regclass::text as name, relkind, relfilenode,
         case when relkind in ('v', 'm') then pg_get_viewdef(c.oid) when relkind = 'i' then pg_get_indexdef(c.oid) end as definition
       from pg_class c join pg_namespace n on n.oid = relnamespace where ${userSchemas} order by c.oid`,
    );
    const { rows: columns } = await client.query(
      `select attrelid, attname, format_type(atttypid, atttypmod), attnotnull, pg_get_expr(adbin, adrelid)
       from pg_attribute join pg_class c on c.oid = attrelid join pg_namespace n on n.oid = relnamespace
       left join pg_attrdef on adrelid = attrelid and adnum = attnum
       where ${userSchemas} and attnum > 0 order by attrelid, attnum`,
    );
    const { rows: constraints } = await client.query(
      `select conrelid, conname, pg_get_constraintdef(c.oid) from pg_constraint c
       join pg_namespace n on n.oid = connamespace where ${userSchemas} order by c.oid`,
    );
    const { rows: schemas } = await client.query(
      `select nspname from pg_namespace where ${userSchemas}`,
    );
    const { rows: triggers } = await client.query(
      'select pg_get_triggerdef(oid) from pg_trigger order by oid',
    );
    const tables = relations.filter(({ relkind }) => relkind === 'r');
    const rows: unknown[] = [];
    for (const { name } of tables) {
      rows.push((await client.query(`select to_json(t)::text from ${name} t order by 1`)).rows);
    }
    return { relations, columns, constraints, schemas, triggers, rows };
  });
}
