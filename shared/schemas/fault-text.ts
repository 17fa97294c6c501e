import type * as z from 'zod';

/** Names of JSON types in an error message. */
const typeNames: Readonly<Record<string, string>> = {
  string: 'a string',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'an array',
  object: 'an object',
  record: 'an object',
};

/** Units of the limits of each kind of value. A number has no unit. */
const units: Readonly<Record<string, string>> = { string: 'character', array: 'item' };

/**
 * Returns the error message for an invalid value if its schema has none. The message follows the path of the value:
 * `limit must be at most 10`. Undefined for other kinds of errors, for which zod uses its own message.
 */
export function describeIssue(issue: z.core.$ZodRawIssue): string | undefined {
  switch (issue.code) {
    case 'invalid_type':
      return issue.input === undefined
        ? 'is missing'
        : `must be ${typeNames[issue.expected] ?? issue.expected}`;
    case 'invalid_value':
      return issue.values.length === 1
        ? `must be ${String(issue.values[0])}`
        : `must be one of ${issue.values.join(', ')}`;
    case 'too_big': {
      const word = issue.inclusive === false ? 'below' : 'at most';
      return formatLimit(issue.origin, word, Number(issue.maximum));
    }
    case 'too_small': {
      if (issue.origin === 'string' && issue.minimum === 1) return 'must not be empty';
      const word = issue.inclusive === false ? 'above' : 'at least';
      return formatLimit(issue.origin, word, Number(issue.minimum));
    }
    case 'unrecognized_keys':
      return `must not contain ${issue.keys.map((key) => `"${key}"`).join(', ')}`;
    default:
      return undefined;
  }
}

function formatLimit(origin: string, word: string, limit: number): string {
  const unit = units[origin];
  if (!unit) return `must be ${word} ${limit}`;
  return `must have ${word} ${limit} ${unit}${limit === 1 ? '' : 's'}`;
}

/** An error of a value: its path in the value, and the message that follows this path. */
type Issue = Pick<z.core.$ZodIssue, 'path' | 'message'>;

/**
 * Returns a value parsed by a schema, or all its issues, with the messages of {@link describeIssue}. Use it instead of
 * `safeParse` for a value that another program wrote: zod compares the `length` of a value of any type with the limits
 * of texts and lists. The comparison throws if `length` is an object that has no primitive value, such as
 * `{"toString": 1}`.
 */
export function parseValue<Schema extends z.ZodType>(
  schema: Schema,
  value: unknown,
): { data: z.output<Schema> } | { issues: readonly Issue[] } {
  try {
    const result = schema.safeParse(value, { error: describeIssue });
    return result.success ? { data: result.data } : { issues: result.error.issues };
  } catch (error) {
    const path = findObjectLength(value);
    if (path === undefined) throw error;
    return { issues: [{ path, message: 'must not be an object' }] };
  }
}

/** Returns the path of the first property `length` that is an object; undefined if there is none. */
function findObjectLength(root: unknown): PropertyKey[] | undefined {
  const values: { value: unknown; path: PropertyKey[] }[] = [{ value: root, path: [] }];
  // The loop also visits the values that it adds. A recursion would fail for a deep value.
  for (const { value, path } of values) {
    if (typeof value !== 'object' || value === null) continue;
    if (path.at(-1) === 'length') return path;
    for (const [key, child] of Object.entries(value))
      values.push({ value: child, path: [...path, key] });
  }
  return undefined;
}
