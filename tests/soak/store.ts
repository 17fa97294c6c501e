import Sqlite from 'better-sqlite3';
import { Client } from 'pg';

/** A connection that writes like a runner. */
export interface Store {
  insert(table: string, row: Readonly<Record<string, unknown>>): Promise<void>;
  /** Runs a statement without parameters. */
  run(statement: string): Promise<void>;
  /** Returns the number that a statement selects. */
  count(statement: string): Promise<number>;
  /** Begins a transaction that makes every other writer wait until `rollback`. */
  lock(): Promise<void>;
  close(): Promise<void>;
}

/** Opens a SQLite file, or a PostgreSQL database by its `postgres://` URL. */
export async function openStore(location: string): Promise<Store> {
  return location.startsWith('postgres') ? openPostgres(location) : openSqlite(location);
}

function openSqlite(file: string): Store {
  const database = new Sqlite(file, { timeout: 10_000 });
  database.pragma('journal_mode = wal');
  database.pragma('synchronous = normal');
  return {
    insert: async (table, row) => {
      const columns = Object.keys(row);
      const values = columns.map((column) => `@${column}`);
      database
        .prepare(`insert into ${table} (${columns.join(', ')}) values (${values.join(', ')})`)
        .run(row);
    },
    run: async (statement) => void database.exec(statement),
    count: async (statement) => Number(database.prepare(statement).pluck().get()),
    lock: async () => void database.exec('begin immediate'),
    close: async () => void database.close(),
  };
}

async function openPostgres(url: string): Promise<Store> {
  const client = new Client({ connectionString: url });
  await client.connect();
  return {
    insert: async (table, row) => {
      const columns = Object.keys(row);
      const values = columns.map((_, index) => `$${index + 1}`);
      const statement = `insert into ${table} (${columns.join(', ')}) values (${values.join(', ')})`;
      await client.query(statement, Object.values(row));
    },
    run: async (statement) => void (await client.query(statement)),
    count: async (statement) => {
      const { rows } = await client.query<{ count: string }>(statement);
      return Number(rows[0]?.count);
    },
    lock: async () => {
      await client.query('begin');
      // The order of a writer: it inserts an iteration, then PostgreSQL reads its run.
      await client.query('lock table iterations, runs in exclusive mode');
    },
    close: async () => client.end(),
  };
}
