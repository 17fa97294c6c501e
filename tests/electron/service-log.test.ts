import { expect, test } from 'vitest';
import { createLogTail, formatLogLine } from '#electron/server-process.ts';

test.each([
  ['{"level":30,"msg":"opened /data/runs.db"}', 'opened /data/runs.db'],
  ['{"msg":"cannot open","err":{"message":"no such folder"}}', 'cannot open: no such folder'],
  ['{"msg":"no such folder","err":{"message":"no such folder"}}', 'no such folder'],
  ['{"level":30}', '{"level":30}'],
  ['Error: plain text', 'Error: plain text'],
  ['{"msg": broken', '{"msg": broken'],
])('the log line %s becomes %s', (line, readable) => {
  expect(formatLogLine(line)).toBe(readable);
});

test('the tail returns only the last lines, oldest first', () => {
  const tail = createLogTail(2);
  tail.add('one\ntwo\nthree\n');
  expect(tail.getLines()).toEqual(['two', 'three']);
});

test('a line that arrives in parts is one line, also while it is incomplete', () => {
  const tail = createLogTail(5);
  tail.add('{"msg":"op');
  tail.add('ened"}\r\n\nlast wo');
  expect(tail.getLines()).toEqual(['opened', 'last wo']);
});

test('a tail without text has no lines', () => {
  expect(createLogTail(5).getLines()).toEqual([]);
});
