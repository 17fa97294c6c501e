import type * as z from 'zod';
import { validationError, type FieldFault } from '#server/errors.ts';
import { parseQuery, selectQuery } from './query.ts';

/** The path parameters of a request; throws VALIDATION_FAILED for one that does not fit. */
export function readParams(
  schema: z.ZodObject | undefined,
  params: Record<string, unknown>,
): unknown {
  return schema ? parsed(schema, params, []) : {};
}

/** The query of a request; throws VALIDATION_FAILED with all faults at once. */
export function readQuery(schema: z.ZodObject | undefined, url: string): unknown {
  if (!schema) return {};
  const start = url.indexOf('?');
  const { selected, faults } = selectQuery(
    schema,
    parseQuery(start < 0 ? null : url.slice(start + 1)),
  );
  return parsed(schema, selected, faults);
}

/** The body of a request; an absent one is `undefined`. Throws VALIDATION_FAILED. */
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

/** PostgreSQL knows no text with this character; refusing it everywhere keeps the databases alike. */
function nulCharacters(value: unknown): FieldFault[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value)
    .filter(([, text]) =>
      [text].flat().some((part) => typeof part === 'string' && part.includes('\0')),
    )
    .map(([path]) => ({ path, message: 'must not contain the NUL character' }));
}
