import { PassThrough } from 'node:stream';
import { expect, test, vi } from 'vitest';
import { askQuestion } from '#build/start/ask.ts';

function terminal() {
  const input = new PassThrough();
  const output = Object.assign(new PassThrough(), { isTTY: true });
  let interruptions = 0;
  const answer = askQuestion('Fill it? [Y/n] ', { input, output }, () => (interruptions += 1));
  return { input, output, answer, interruptions: () => interruptions };
}

test('the question is printed to the output', () => {
  const { input, output } = terminal();
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
  const { input, answer } = terminal();
  input.write(typed);
  expect(await answer).toBe(expected);
});

test('Ctrl-C calls the caller, and the promise does not settle', async () => {
  const { input, answer, interruptions } = terminal();
  const settled = vi.fn();
  void answer.then(settled);
  input.write('\u0003');
  await vi.waitFor(() => expect(interruptions()).toBe(1));
  expect(settled).not.toHaveBeenCalled();
});

test('the end of the input means no', async () => {
  const { input, answer } = terminal();
  input.end();
  expect(await answer).toBe(false);
});
