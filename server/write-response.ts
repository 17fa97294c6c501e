import type * as z from 'zod';
import type { Endpoint } from '#shared/api.ts';
import { maskResponse } from './domain/secrets/mask-response.ts';

/** The error of a response that its schema does not accept: a fault of the service, not of the request. */
export class ResponseError extends Error {
  constructor(endpoint: Endpoint, issues: readonly z.core.$ZodIssue[]) {
    const [firstIssue] = issues;
    super(
      `${endpoint.method} ${endpoint.path} responds with what its schema does not accept: ` +
        `${firstIssue?.path.join('.') || 'response'} ${firstIssue?.message ?? ''}`,
    );
    this.name = 'ResponseError';
  }
}

/**
 * Returns the text of a response: JSON with the fields of the endpoint's schema in their order, and without other
 * fields; for other kinds of endpoints, the text itself. Throws a {@link ResponseError}.
 */
export function writeResponse(endpoint: Endpoint, response: unknown): string {
  const data = checkResponse(endpoint, response);
  return endpoint.kind === 'html' || endpoint.kind === 'tex' ? String(data) : JSON.stringify(data);
}

/** Returns the response parsed by its endpoint's schema, with masked secrets; throws a {@link ResponseError}. */
export function checkResponse<const Shape extends Endpoint>(
  endpoint: Shape,
  response: unknown,
): z.output<Shape['response']> {
  const { success, data, error } = endpoint.response.safeParse(response);
  if (!success) throw new ResponseError(endpoint, error.issues);
  return maskResponse(endpoint.response, data as z.output<Shape['response']>);
}
