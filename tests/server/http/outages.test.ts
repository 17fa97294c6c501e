import { pino } from 'pino';
import { expect, test } from 'vitest';
import { ProblemError } from '#server/errors.ts';
import { createOutageLog } from '#server/http/error-handler.ts';

test('an outage is logged in two lines for any number of failed requests, and the next outage separately', async () => {
  const messages: string[] = [];
  const write = (line: string) => void messages.push((JSON.parse(line) as { msg: string }).msg);
  const log = createOutageLog(pino({}, { write }), 50);
  const unavailableError = new ProblemError(
    'DATABASE_UNAVAILABLE',
    'The database does not respond',
  );
  const busyError = new ProblemError('DATABASE_BUSY', 'The database is busy');
  for (let request = 0; request < 8_000; request += 1) log(unavailableError, {});
  log(busyError, {});
  const firstMessages = ['The database does not respond', 'The database is busy'];
  expect(messages).toEqual(firstMessages);
  const endMessage = '7999 more requests failed for this reason, the last 0.05 s ago';
  await expect.poll(() => messages).toEqual([...firstMessages, endMessage]);
  log(unavailableError, {});
  expect(messages).toEqual([...firstMessages, endMessage, 'The database does not respond']);
});

test('the end of an outage with two failed requests is logged in the singular', async () => {
  const messages: string[] = [];
  const write = (line: string) => void messages.push((JSON.parse(line) as { msg: string }).msg);
  const log = createOutageLog(pino({}, { write }), 50);
  const error = new ProblemError('DATABASE_UNAVAILABLE', 'The database does not respond');
  for (let request = 0; request < 2; request += 1) log(error, {});
  const endMessage = '1 more request failed for this reason, the last 0.05 s ago';
  await expect.poll(() => messages).toEqual(['The database does not respond', endMessage]);
});

test('another reason is logged during an outage with the same code', () => {
  const messages: string[] = [];
  const write = (line: string) => void messages.push((JSON.parse(line) as { msg: string }).msg);
  const log = createOutageLog(pino({}, { write }));
  const reasons = ['The database user lacks a privilege', 'The database does not respond'];
  for (const reason of [...reasons, ...reasons])
    log(new ProblemError('DATABASE_UNAVAILABLE', reason), {});
  expect(messages).toEqual(reasons);
});
