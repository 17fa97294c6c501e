import type * as z from 'zod';
import { validationError, type FieldFault } from '#server/errors.ts';
import { parseQuery, selectQuery } from './query.ts';

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
