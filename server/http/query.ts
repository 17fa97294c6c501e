import type * as z from 'zod';
import type { FieldFault } from '#server/errors.ts';

/** The parameters of a query string, each with all its values in order; `+` is a space. */
export type QueryValues = ReadonlyMap<string, readonly string[]>;

/** Splits a query string into its parameters. Characters that cannot be decoded become U+FFFD. */
export function parseQuery(text: string | null): QueryValues {
  const values = new Map<string, string[]>();
  for (const [name, value] of new URLSearchParams(text ?? '')) {
    const known = values.get(name);
    if (known) known.push(value);
    else values.set(name, [value]);
  }
  return values;
}

/**
 * Returns the values of the parameters in a schema as its input: one string each, a list if the schema accepts lists.
 * The second part names single-valued parameters with more than one value. Other parameters are ignored.
 */
export function selectQuery(
  schema: z.ZodObject,
  values: QueryValues,
): { selected: Record<string, string | string[]>; faults: FieldFault[] } {
  const selected: Record<string, string | string[]> = {};
  const faults: FieldFault[] = [];
  for (const [name, field] of Object.entries(schema.shape)) {
    const given = values.get(name);
    if (given === undefined) continue;
    const isSingle = !takesLists(field);
    if (isSingle && given.length > 1)
      faults.push({ path: name, message: 'must be given only once' });
    selected[name] = isSingle ? (given[0] ?? '') : [...given];
  }
  return { selected, faults };
}

function takesLists(field: z.core.$ZodType): boolean {
  return (field as z.ZodType).safeParse([]).success;
}
