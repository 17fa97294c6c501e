import { pino } from 'pino';
import { expect, test } from 'vitest';
import { ProblemError } from '#server/errors.ts';
import { createOutageLog } from '#server/http/error-handler.ts';

test('an outage is two lines of the log, however many requests fail in it, and the next one is another', async () => {
  const messages: string[] = [];
  const write = (line: string) => void messages.push((JSON.parse(line) as { msg: string }).msg);
  const log = createOutageLog(pino({}, { write }), 50);
  const away = new ProblemError('DATABASE_UNAVAILABLE', 'The database does not answer');
  const busy = new ProblemError('DATABASE_BUSY', 'The database is busy');
  for (let request = 0; request < 8_000; request += 1) log(away, {});
  log(busy, {});
  const first = ['The database does not answer', 'The database is busy'];
  expect(messages).toEqual(first);
  const end = '7999 more requests failed so; now none does';
  await expect.poll(() => messages).toEqual([...first, end]);
  log(away, {});
  expect(messages).toEqual([...first, end, 'The database does not answer']);
});
