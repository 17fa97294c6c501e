import { PassThrough } from 'node:stream';
import { expect, test, vi } from 'vitest';
import { askQuestion } from '#build/start/ask.ts';

function createTerminal() {
  const input = new PassThrough();
  const output = Object.assign(new PassThrough(), { isTTY: true });
  let interruptions = 0;
  const promise = askQuestion('Fill it? [Y/n] ', { input, output }, () => (interruptions += 1));
  return { input, output, promise, interruptions: () => interruptions };
}

test('the question is printed to the output', () => {
  const { input, output } = createTerminal();
  expect(String(output.read())).toContain('Fill it? [Y/n] ');
  input.end();
});

test.each([
  ['\n', true],
  ['y\n', true],
  ['Yes \n', true],
  ['n\n', false],
  ['NO\n', false],
  ['yeah\n', false],
])('the response %j means yes: %s', async (typed, expected) => {
  const { input, promise } = createTerminal();
  input.write(typed);
  expect(await promise).toBe(expected);
});

test('Ctrl-C calls the caller, and the promise does not settle', async () => {
  const { input, promise, interruptions } = createTerminal();
  const onSettled = vi.fn();
  void promise.then(onSettled);
  input.write('\u0003');
  await vi.waitFor(() => expect(interruptions()).toBe(1));
  expect(onSettled).not.toHaveBeenCalled();
});

test('the end of the input means no', async () => {
  const { input, promise } = createTerminal();
  input.end();
  expect(await promise).toBe(false);
});
