import { createSignal } from 'solid-js';
import { expect, test } from 'vitest';
import { createHeldValue } from '#renderer/charts/held-value.ts';

/** A held value whose commits are recorded and become the chosen value. */
function heldFrom(first: number | undefined) {
  const [chosen, setChosen] = createSignal(first);
  const commits: (number | undefined)[] = [];
  const value = createHeldValue(chosen, (next) => {
    commits.push(next);
    setChosen(next);
  });
  return { value, commits };
}

test('a moved value is held until it is released, and committed once', () => {
  const { value, commits } = heldFrom(1);
  value.move(2);
  value.move(3);
  expect([value.heldValue(), value.current(), commits]).toEqual([3, 3, []]);
  value.release();
  expect([value.heldValue(), value.current(), commits]).toEqual([undefined, 3, [3]]);
  value.release();
  expect(commits).toEqual([3]);
});

test.each([5, undefined])('Esc restores %s during a move and after its release', (first) => {
  const { value } = heldFrom(first);
  value.move(7);
  expect(value.restore()).toBe(true);
  expect(value.current()).toBe(first);
  value.move(7);
  value.release();
  expect(value.restore()).toBe(true);
  expect(value.current()).toBe(first);
});

test('Esc restores the value before the first of several released moves, before the current one, and nothing once the focus has left', () => {
  const { value } = heldFrom(5);
  value.move(6);
  value.release();
  value.move(7);
  value.release();
  value.restore();
  expect(value.current()).toBe(5);
  value.move(6);
  value.release();
  value.move(7);
  value.restore();
  expect(value.current()).toBe(6);
  value.move(8);
  value.leave();
  expect(value.restore()).toBe(false);
  expect(value.current()).toBe(8);
});
