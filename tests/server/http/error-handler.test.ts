import { describe, expect, test } from 'vitest';
import { ProblemError, makeProblemDocument, makeValidationError } from '#server/errors.ts';
import { toProblemError } from '#server/http/error-handler.ts';

const kinds = (kind: 'busy' | 'unavailable' | 'other') => ({ classifyFailure: () => kind });

describe('toProblem', () => {
  test('returns a ProblemError unchanged', () => {
    const error = new ProblemError('NOT_FOUND', 'There is nothing');
    expect(toProblemError(error, kinds('busy'))).toBe(error);
  });

  test('returns DATABASE_BUSY with Retry-After if the database is busy', () => {
    const problem = toProblemError(new Error('SQLITE_BUSY: /home/me/x.db'), kinds('busy'));
    expect(problem).toMatchObject({
      code: 'DATABASE_BUSY',
      message: 'The database is busy; try again in a moment',
      headers: { 'Retry-After': '1' },
    });
  });

  test('returns DATABASE_UNAVAILABLE if the database does not respond', () => {
    const problem = toProblemError(new Error('ECONNREFUSED'), kinds('unavailable'));
    expect(problem).toMatchObject({
      code: 'DATABASE_UNAVAILABLE',
      message: 'The database does not respond',
    });
  });

  test.each([new Error('select * from runs'), 'text', null, undefined, { status: 500 }])(
    'returns INTERNAL without details of the error for anything else (%s)',
    (error) => {
      const problem = toProblemError(error, kinds('other'));
      expect(problem.code).toBe('INTERNAL');
      expect(problem.message).toBe(
        'An unexpected error occurred in the service. See its log for details.',
      );
    },
  );
});

test('a problem document has the members of RFC 9457, the stable code and the faults', () => {
  const error = makeValidationError([
    { path: 'size', message: 'must be a whole number' },
    { path: 'page', message: 'must be given only once' },
  ]);
  expect(makeProblemDocument(error, '/api/runs')).toEqual({
    type: 'urn:evoscope:problem:validation-failed',
    title: 'Invalid request',
    status: 400,
    detail: 'size must be a whole number',
    instance: '/api/runs',
    code: 'VALIDATION_FAILED',
    errors: [
      { path: 'size', message: 'must be a whole number' },
      { path: 'page', message: 'must be given only once' },
    ],
  });
});

test('a problem document contains only the start of a long address', () => {
  const document = makeProblemDocument(new ProblemError('NOT_FOUND', 'x'), `/${'a'.repeat(5_000)}`);
  expect(document.instance).toHaveLength(201);
});
