import type { Compilable, CompiledQuery } from 'kysely';
import type { Database } from '#server/db/database.ts';

type Value = string | readonly string[];

/** Placeholder for a value while a query is compiled. */
class Placeholder {
  readonly index: number;

  constructor(index: number) {
    this.index = index;
  }
}

/** Maximum number of cached list lengths. Above it, the cache is cleared. */
const maximumForms = 100;

/**
 * Maximum number of values of a cached query. Longer queries need more memory, and reading their rows takes longer than
 * compiling them.
 */
const maximumValues = 400;

/**
 * Returns a query that is built and compiled once for each database and each length of its list values, because
 * compiling takes three times as long as running it. `build` may read those lengths, but only pass the values to the
 * query. Resolves with the rows.
 */
export function createPreparedQuery<const Values extends readonly Value[], Row>(
  build: (database: Database, ...values: Values) => Compilable<Row>,
): (database: Database, ...values: Values) => Promise<Row[]> {
  const compiledQueries = new WeakMap<Database['kysely'], Map<string, CompiledQuery<Row>>>();
  return async (database, ...values) => {
    const queriesByForm =
      compiledQueries.get(database.kysely) ?? new Map<string, CompiledQuery<Row>>();
    compiledQueries.set(database.kysely, queriesByForm);
    const form = values.map((value) => (typeof value === 'string' ? '' : value.length)).join();
    const query = queriesByForm.get(form) ?? build(database, ...makePlaceholders(values)).compile();
    const flatValues = values.flat();
    if (queriesByForm.size >= maximumForms) queriesByForm.clear();
    if (flatValues.length <= maximumValues) queriesByForm.set(form, query);
    const parameters = query.parameters.map((value) =>
      value instanceof Placeholder ? flatValues[value.index] : value,
    );
    return (await database.kysely.executeQuery<Row>({ ...query, parameters })).rows;
  };
}

/** Returns placeholders in the form of the values; Kysely treats each {@link Placeholder} as a value. */
function makePlaceholders<Values extends readonly Value[]>(values: Values): Values {
  let index = 0;
  const makePlaceholder = () => new Placeholder(index++);
  return values.map((value) =>
    typeof value === 'string' ? makePlaceholder() : value.map(makePlaceholder),
  ) as unknown as Values;
}
