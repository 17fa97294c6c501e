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
