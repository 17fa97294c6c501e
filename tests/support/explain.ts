import { CompiledQuery, type Compilable } from 'kysely';
import type { Database } from '#server/db/database.ts';

/** The plan of a query as text, one step per line, as either database words it. */
export async function explain({ kysely, dialect }: Database, query: Compilable): Promise<string> {
  const { sql, parameters } = query.compile();
  const word = dialect.name === 'sqlite' ? 'explain query plan' : 'explain';
  // A query that is prepared for any values has places for them: the plan is that for whatever text.
  const values = parameters.map((value) =>
    typeof value === 'object' && !Array.isArray(value) ? '' : value,
  );
  const plan = CompiledQuery.raw(`${word} ${sql}`, values);
  const { rows } = await kysely.executeQuery<Record<string, unknown>>(plan);
  return rows.map((row) => String(row['detail'] ?? row['QUERY PLAN'])).join('\n');
}

/** Returns the plans of the queries that `ask` makes. */
export async function planOf<Store extends Database>(
  database: Store,
  ask: (store: Store) => Promise<unknown>,
): Promise<string> {
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
  const plans: string[] = [];
  for (const query of asked) plans.push(await explain(database, query));
  return plans.join('\n');
}
