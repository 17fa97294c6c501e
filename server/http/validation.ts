import type * as z from 'zod';
import { type FieldFault, validationError } from '#server/errors.ts';

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

/** Returns the path parameters of a request; throws VALIDATION_FAILED for an invalid one. */
export function readParams(
  schema: z.ZodObject | undefined,
  params: Record<string, unknown>,
): unknown {
  return schema ? parsed(schema, params, []) : {};
}

/** Returns the query of a request; throws VALIDATION_FAILED with all faults. */
export function readQuery(schema: z.ZodObject | undefined, url: string): unknown {
  if (!schema) return {};
  const start = url.indexOf('?');
  const { selected, faults } = selectQuery(
    schema,
    parseQuery(start < 0 ? null : url.slice(start + 1)),
  );
  return parsed(schema, selected, faults);
}

/** Returns the body of a request; undefined if absent. Throws VALIDATION_FAILED. */
export function readBody(schema: z.ZodType | undefined, body: unknown): unknown {
  return schema ? parsed(schema, body, []) : undefined;
}

function parsed(schema: z.ZodType, value: unknown, earlier: readonly FieldFault[]): unknown {
  const result = schema.safeParse(value);
  const issues = result.success ? [] : result.error.issues;
  const faults = [...earlier, ...issues.map(faultOf), ...nulCharacters(value)];
  if (faults.length > 0) throw validationError(faults);
  return result.data;
}

function faultOf(issue: z.core.$ZodIssue): FieldFault {
  return { path: issue.path.join('.') || 'request', message: issue.message };
}

/** PostgreSQL cannot store this character. It is refused everywhere, so that both databases behave the same. */
function nulCharacters(value: unknown): FieldFault[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value)
    .filter(([, text]) =>
      [text].flat().some((part) => typeof part === 'string' && part.includes('\0')),
    )
    .map(([path]) => ({ path, message: 'must not contain the NUL character' }));
}
