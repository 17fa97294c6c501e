import { CompiledQuery, sql, type Compilable } from 'kysely';
import type { Database } from '#server/db/database.ts';

/**
 * The plan of a query as text, one step per line, as either database words it. With `avoidScans`, PostgreSQL reads a whole
 * table only if no index serves, as it does with large tables anyway.
 */
export async function explain(
  { kysely, dialect }: Database,
  query: Compilable,
  { avoidScans = false } = {},
): Promise<string> {
  const compiled = query.compile();
  const word = dialect.name === 'sqlite' ? 'explain query plan' : 'explain';
  // A query that is prepared for any values has places for them: the plan is that for any text.
  const values = compiled.parameters.map((value) =>
    typeof value === 'object' && !Array.isArray(value) ? '' : value,
  );
  const plan = CompiledQuery.raw(`${word} ${compiled.sql}`, values);
  const { rows } =
    avoidScans && dialect.name === 'postgres'
      ? await kysely.transaction().execute(async (transaction) => {
          await sql`set local enable_seqscan = off`.execute(transaction);
          return transaction.executeQuery<Record<string, unknown>>(plan);
        })
      : await kysely.executeQuery<Record<string, unknown>>(plan);
  return rows.map((row) => String(row['detail'] ?? row['QUERY PLAN'])).join('\n');
}

/** Returns the queries that `ask` makes, in their order. */
export async function getQueries<Store extends Database>(
  database: Store,
  ask: (store: Store) => Promise<unknown>,
): Promise<Compilable[]> {
  const asked: Compilable[] = [];
  const kysely = database.kysely.withPlugin({
    transformQuery: ({ node, queryId }) => {
      asked.push({
        compile: () => database.kysely.getExecutor().compileQuery(node, queryId),
      });
      return node;
    },
    transformResult: async ({ result }) => result,
  });
  await ask({ ...database, kysely });
  return asked;
}

/** Returns the plans of the queries that `ask` makes. */
export async function getPlan<Store extends Database>(
  database: Store,
  ask: (store: Store) => Promise<unknown>,
): Promise<string> {
  const plans: string[] = [];
  for (const query of await getQueries(database, ask)) plans.push(await explain(database, query));
  return plans.join('\n');
}

/** A table of which a step of a plan reads all rows, and the index whose order they have. */
interface WholeRead {
  table: string;
  index: string | undefined;
}

/** Returns the tables of which a plan reads all rows: a scan, or an index without a condition. */
export function wholeReads(statement: string, plan: string): WholeRead[] {
  // Each plan of PostgreSQL states costs.
  return plan.includes('(cost=') ? postgresReads(plan) : sqliteReads(statement, plan);
}

const sqliteScan = /^SCAN (\S+)(?: USING (?:COVERING )?INDEX (\S+))?/;

/** SQLite names the alias of a table; an alias without a table is a subquery. */
function sqliteReads(statement: string, plan: string): WholeRead[] {
  const tables = new Map(
    Array.from(
      statement.matchAll(/(?:from|join) "?(\w+)"?(?: as)? "?(\w+)"?/g),
      ([, table, alias]) => [alias, table],
    ),
  );
  return plan.split('\n').flatMap((step) => {
    const [, alias = '', index] = sqliteScan.exec(step) ?? [];
    const table = tables.get(alias) ?? (statement.includes(`from "${alias}"`) ? alias : undefined);
    return table === undefined ? [] : { table, index };
  });
}

const postgresScan = /(?:Seq Scan|Index (?:Only )?Scan (?:Backward )?using (\S+)) on (\w+)/;

function postgresReads(plan: string): WholeRead[] {
  return plan.split(/\n(?=\s*->)/).flatMap((step) => {
    const [, index, table] = postgresScan.exec(step) ?? [];
    return table === undefined || step.includes('Index Cond:') ? [] : { table, index };
  });
}
