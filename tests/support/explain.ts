import { CompiledQuery, type Compilable } from 'kysely';
import type { TestDatabase } from './databases.ts';

/** The plan of a query as text, one step per line, as either database words it. */
export async function explain(
  { kysely, dialect }: TestDatabase,
  query: Compilable,
): Promise<string> {
  const { sql, parameters } = query.compile();
  const word = dialect.name === 'sqlite' ? 'explain query plan' : 'explain';
  // A query that is prepared for any values has places for them: the plan is that for whatever text.
  const values = parameters.map((value) => (typeof value === 'object' ? '' : value));
  const plan = CompiledQuery.raw(`${word} ${sql}`, values);
  const { rows } = await kysely.executeQuery<Record<string, unknown>>(plan);
  return rows.map((row) => String(row['detail'] ?? row['QUERY PLAN'])).join('\n');
}
