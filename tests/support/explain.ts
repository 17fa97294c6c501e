import { CompiledQuery, sql, type Compilable } from 'kysely';
import type { Database } from '#server/db/database.ts';

/**
 * Returns the plan of a query as text of the database, one step per line. With `avoidScans`, PostgreSQL reads a whole
 * table only if it can use no index, as it does with large tables anyway.
 */
export async function explain(
  { kysely, dialect }: Database,
  query: Compilable,
  { avoidScans = false } = {},
): Promise<string> {
  const compiledQuery = query.compile();
  const keyword = dialect.name === 'sqlite' ? 'explain query plan' : 'explain';
  // A prepared query has placeholders for its values: the plan is that for any text, and for any list of one text.
  const values = compiledQuery.parameters.map((value) =>
    typeof value === 'object' && !Array.isArray(value) ? '{id}' : value,
  );
  const plan = CompiledQuery.raw(`${keyword} ${compiledQuery.sql}`, values);
  const { rows } =
    avoidScans && dialect.name === 'postgres'
      ? await kysely.transaction().execute(async (transaction) => {
          await sql`set local enable_seqscan = off`.execute(transaction);
          return transaction.executeQuery<Record<string, unknown>>(plan);
        })
      : await kysely.executeQuery<Record<string, unknown>>(plan);
  return rows.map((row) => String(row['detail'] ?? row['QUERY PLAN'])).join('\n');
}

/** Returns the queries that `runQueries` sends, in order. */
export async function getQueries<Store extends Database>(
  database: Store,
  runQueries: (store: Store) => Promise<unknown>,
): Promise<Compilable[]> {
  const queries: Compilable[] = [];
  const kysely = database.kysely.withPlugin({
    transformQuery: ({ node, queryId }) => {
      queries.push({
        compile: () => database.kysely.getExecutor().compileQuery(node, queryId),
      });
      return node;
    },
    transformResult: async ({ result }) => result,
  });
  await runQueries({ ...database, kysely });
  return queries;
}

/** Returns the plans of the queries that `runQueries` sends. */
export async function getPlan<Store extends Database>(
  database: Store,
  runQueries: (store: Store) => Promise<unknown>,
): Promise<string> {
  const plans: string[] = [];
  for (const query of await getQueries(database, runQueries))
    plans.push(await explain(database, query));
  return plans.join('\n');
}

/** A table of which a step of a plan reads all rows, and the index by which it reads them. */
interface TableScan {
  table: string;
  index: string | undefined;
}

/** Returns the tables of which a plan reads all rows: a scan, or an index without a condition. */
export function listTableScans(statement: string, plan: string): TableScan[] {
  // Each plan of PostgreSQL states costs.
  return plan.includes('(cost=') ? listPostgresScans(plan) : listSqliteScans(statement, plan);
}

const sqliteScan = /^SCAN (\S+)(?: USING (?:COVERING )?INDEX (\S+))?/;

/**
 * Returns the scans in a plan of SQLite. It names the alias of a table, or a table without an alias. If subqueries use
 * the alias for several tables, returns each of them. An alias without a table is a subquery.
 */
function listSqliteScans(statement: string, plan: string): TableScan[] {
  const references = Array.from(
    statement.matchAll(/(?:from|join) "?(\w+)"?(?:(?: as)? "?(\w+)"?)?/g),
    ([, table = '', alias]) => ({ table, alias }),
  );
  return plan.split('\n').flatMap((step) => {
    const [, name, index] = sqliteScan.exec(step) ?? [];
    const tables = references.flatMap(({ table, alias }) =>
      name === alias || name === table ? table : [],
    );
    return [...new Set(tables)].map((table) => ({ table, index }));
  });
}

const postgresScan = /(?:Seq Scan|Index (?:Only )?Scan (?:Backward )?using (\S+)) on (\w+)/;

function listPostgresScans(plan: string): TableScan[] {
  return plan.split(/\n(?=\s*->)/).flatMap((step) => {
    const [, index, table] = postgresScan.exec(step) ?? [];
    return table === undefined || step.includes('Index Cond:') ? [] : { table, index };
  });
}
