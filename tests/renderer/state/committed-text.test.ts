import { createRoot, createSignal } from 'solid-js';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createCommittedText } from '#renderer/state/committed-text.ts';
import { isSameDecimal } from '#renderer/state/decimal.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** A field over a value that commits come back to, as the URL does. */
function makeField() {
  return createRoot((dispose) => {
    const [value, setValue] = createSignal('');
    const commits: string[] = [];
    const commit = (text: string) => {
      commits.push(text);
      setValue(text);
    };
    return { field: createCommittedText(value, commit, 250), commits, setValue, dispose };
  });
}

test('commits once the typing rests, trimmed', async () => {
  const { field, commits, dispose } = makeField();
  field.type('one');
  field.type('onem ');
  await vi.advanceTimersByTimeAsync(249);
  expect(commits).toEqual([]);
  await vi.advanceTimersByTimeAsync(1);
  expect(commits).toEqual(['onem']);
  expect(field.text()).toBe('onem ');
  dispose();
});

test('text that is typed during a commit is not lost', async () => {
  const { field, dispose } = makeField();
  field.type('one');
  await vi.advanceTimersByTimeAsync(250);
  field.type('onema');
  expect(field.text()).toBe('onema');
  await vi.advanceTimersByTimeAsync(100);
  field.type('onemax');
  await vi.advanceTimersByTimeAsync(250);
  expect(field.text()).toBe('onemax');
  dispose();
});

test('a change from outside replaces the text and what waited to be committed', async () => {
  const { field, commits, setValue, dispose } = makeField();
  field.type('one');
  field.flush();
  field.type('onemax');
  setValue('');
  expect(field.text()).toBe('');
  await vi.advanceTimersByTimeAsync(1000);
  expect(commits).toEqual(['one']);
  dispose();
});

test('text that is typed is not lost if the same number is committed with other digits', async () => {
  await createRoot(async (dispose) => {
    const [value, setValue] = createSignal('');
    const commit = (text: string) => setValue(text && String(Number(text)));
    const field = createCommittedText(value, commit, 250, isSameDecimal);
    field.type('0.0');
    await vi.advanceTimersByTimeAsync(250);
    expect(value()).toBe('0');
    expect(field.text()).toBe('0.0');
    field.type('0.01');
    await vi.advanceTimersByTimeAsync(250);
    expect(value()).toBe('0.01');
    setValue('');
    expect(field.text()).toBe('');
    dispose();
  });
});
