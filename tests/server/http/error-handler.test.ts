import { describe, expect, test } from 'vitest';
import { ProblemError, makeProblemDocument, makeValidationError } from '#server/errors.ts';
import { toProblemError } from '#server/http/error-handler.ts';

const makeDialect = (kind: 'busy' | 'unavailable' | 'other') => ({ classifyFailure: () => kind });

describe('toProblemError', () => {
  test('returns a ProblemError unchanged', () => {
    const error = new ProblemError('NOT_FOUND', 'There is nothing');
    expect(toProblemError(error, makeDialect('busy'))).toBe(error);
  });

  test('returns DATABASE_BUSY with Retry-After if the database is busy', () => {
    const problemError = toProblemError(
      new Error('SQLITE_BUSY: /home/me/x.db'),
      makeDialect('busy'),
    );
    expect(problemError).toMatchObject({
      code: 'DATABASE_BUSY',
      message: 'The database is busy; try again in a moment',
      headers: { 'Retry-After': '1' },
    });
  });

  test('returns DATABASE_UNAVAILABLE if the database does not respond', () => {
    const problemError = toProblemError(new Error('ECONNREFUSED'), makeDialect('unavailable'));
    expect(problemError).toMatchObject({
      code: 'DATABASE_UNAVAILABLE',
      message: 'The database does not respond; try again in a moment',
    });
  });

  test.each(['SQLITE_FULL', '53100'])('reports a full disk (%s)', (code) => {
    const error = Object.assign(new Error('could not extend file'), { code });
    expect(toProblemError(error, makeDialect('unavailable'))).toMatchObject({
      code: 'DATABASE_UNAVAILABLE',
      message: 'The disk of the database is full. Free some space, then try again',
    });
  });

  test('returns VALIDATION_FAILED for other errors of the body parser', () => {
    const error = { type: 'request.size.invalid', status: 400 };
    expect(toProblemError(error, makeDialect('other'))).toMatchObject({
      code: 'VALIDATION_FAILED',
      message: 'The request is invalid. Check its headers and its body',
    });
  });

  test.each([new Error('select * from runs'), 'text', null, undefined, { status: 500 }])(
    'returns INTERNAL without details of the error for anything else (%s)',
    (error) => {
      const problemError = toProblemError(error, makeDialect('other'));
      expect(problemError.code).toBe('INTERNAL');
      expect(problemError.message).toBe(
        'An unexpected error occurred in the service. See its log for details.',
      );
    },
  );
});

test('a problem document has the members of RFC 9457, the stable code and the faults', () => {
  const error = makeValidationError([
    { path: 'size', message: 'must be a whole number' },
    { path: 'page', message: 'must occur only once' },
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
      { path: 'page', message: 'must occur only once' },
    ],
  });
});

test('a problem document contains only the start of a long address', () => {
  const document = makeProblemDocument(new ProblemError('NOT_FOUND', 'x'), `/${'a'.repeat(5_000)}`);
  expect(document.instance).toHaveLength(201);
});
