import * as z from 'zod';
import { expect, test } from 'vitest';
import { describeIssue, parseValue } from '#server/errors.ts';

const cases: [z.ZodType, unknown, string][] = [
  [z.string(), undefined, 'is missing'],
  [z.string(), null, 'must be a string'],
  [z.string(), 3, 'must be a string'],
  [z.number(), 'x', 'must be a number'],
  [z.int(), 1.5, 'must be a whole number'],
  [z.boolean(), 'yes', 'must be true or false'],
  [z.array(z.string()), {}, 'must be an array'],
  [z.object({}), [], 'must be an object'],
  [z.record(z.string(), z.number()), 'x', 'must be an object'],
  [z.enum(['all', 'scalars']), 'x', 'must be one of all, scalars'],
  [z.literal('run'), 'x', 'must be run'],
  [z.string().max(1), 'xx', 'must have at most 1 character'],
  [z.string().max(512), 'x'.repeat(513), 'must have at most 512 characters'],
  [z.string().min(1), '', 'must not be empty'],
  [z.string().min(3), 'x', 'must have at least 3 characters'],
  [z.array(z.int()).max(2), [1, 2, 3], 'must have at most 2 items'],
  [z.number().max(10), 11, 'must be at most 10'],
  [z.number().lt(10), 10, 'must be below 10'],
  [z.number().min(-1), -2, 'must be at least -1'],
  [z.number().positive(), 0, 'must be above 0'],
  [z.strictObject({}), { a: 1, b: 2 }, 'must not contain "a", "b"'],
];

test.each(cases)(
  'case %#: describes an error for which the schema has no text',
  (schema, value, text) => {
    expect(schema.safeParse(value, { error: describeIssue }).error?.issues[0]?.message).toBe(text);
  },
);

test('keeps the message of a schema, and that of zod for an unknown kind of error', () => {
  const ownMessage = z.string({ error: 'must be a name' }).safeParse(1, { error: describeIssue });
  const unknownKind = z.union([z.string(), z.number()]).safeParse(true, { error: describeIssue });
  expect(ownMessage.error?.issues[0]?.message).toBe('must be a name');
  expect(unknownKind.error?.issues[0]?.message).toBe('Invalid input');
});

test('a value that has an object as its length is invalid, not an error of the program', () => {
  const schema = z.object({ ids: z.array(z.string()).max(2), note: z.unknown() });
  const length = { toString: 1 };
  expect(parseValue(schema, { ids: { length } })).toEqual({
    issues: [{ path: ['ids', 'length'], message: 'must not be an object' }],
  });
  expect(parseValue(schema, { ids: [], note: { length } })).toEqual({
    data: { ids: [], note: { length } },
  });
  expect(parseValue(schema, { ids: 'x', note: 1 })).toMatchObject({ issues: [{ path: ['ids'] }] });
});
