import type { Compilable, CompiledQuery } from 'kysely';
import type { Database } from '#server/db/database.ts';

type Value = string | readonly string[];

/** Stands for a value while a query is compiled. */
class Place {
  readonly index: number;

  constructor(index: number) {
    this.index = index;
  }
}

/** Lists of so many lengths are remembered; then it begins anew. */
const maximumForms = 100;

/** A form with more values is not remembered: it would take room, and its rows take longer than to compile it. */
const maximumValues = 400;

/**
 * A query that is built and compiled once for each database and each length of the lists among its values, which
 * takes three times as long as to run it. `build` may look at those lengths, but do nothing with the values than
 * hand them to the query, which is run with those given at each use. Resolves to the rows.
 */
export function preparedQuery<const Values extends readonly Value[], Row>(
  build: (database: Database, ...values: Values) => Compilable<Row>,
): (database: Database, ...values: Values) => Promise<Row[]> {
  const compiled = new WeakMap<Database['kysely'], Map<string, CompiledQuery<Row>>>();
  return async (database, ...values) => {
    const forms = compiled.get(database.kysely) ?? new Map<string, CompiledQuery<Row>>();
    compiled.set(database.kysely, forms);
    const form = values.map((value) => (typeof value === 'string' ? '' : value.length)).join();
    const query = forms.get(form) ?? build(database, ...placesOf(values)).compile();
    const given = values.flat();
    if (forms.size >= maximumForms) forms.clear();
    if (given.length <= maximumValues) forms.set(form, query);
    const parameters = query.parameters.map((value) =>
      value instanceof Place ? given[value.index] : value,
    );
    return (await database.kysely.executeQuery<Row>({ ...query, parameters })).rows;
  };
}

/** Values of the same form, each a {@link Place} that Kysely takes for the value itself. */
function placesOf<Values extends readonly Value[]>(values: Values): Values {
  let index = 0;
  const next = () => new Place(index++);
  return values.map((value) =>
    typeof value === 'string' ? next() : value.map(next),
  ) as unknown as Values;
}
