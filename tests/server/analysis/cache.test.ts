import { expect, test } from 'vitest';
import { AnswerCache } from '#server/analysis/cache.ts';

test('an answer is kept for its snapshot and computed anew for another', async () => {
  const cache = new AnswerCache();
  const ask = (snapshot: string, text: string) => cache.get('question', snapshot, async () => text);
  expect(await ask('1', 'one')).toEqual({ body: 'one', state: 'miss' });
  expect(await ask('1', 'other')).toEqual({ body: 'one', state: 'hit' });
  expect(await ask('2', 'two')).toEqual({ body: 'two', state: 'miss' });
  expect(await ask('1', 'three')).toEqual({ body: 'three', state: 'miss' });
});

test('a question asked by several at the same time is computed once, for each snapshot', async () => {
  const cache = new AnswerCache();
  let computed = 0;
  const compute = async () => String((computed += 1));
  const asked = ['a', 'a', 'b', 'a'].map((snapshot) => cache.get('question', snapshot, compute));
  expect(await Promise.all(asked)).toEqual([
    { body: '1', state: 'miss' },
    { body: '1', state: 'hit' },
    { body: '2', state: 'miss' },
    { body: '1', state: 'hit' },
  ]);
});

test('an error reaches all who asked and is not kept', async () => {
  const cache = new AnswerCache();
  const failing = () => Promise.reject(new Error('no'));
  const asked = [cache.get('question', '1', failing), cache.get('question', '1', failing)];
  for (const answer of asked) await expect(answer).rejects.toThrow('no');
  expect(await cache.get('question', '1', async () => 'yes')).toEqual({
    body: 'yes',
    state: 'miss',
  });
});

test('the least recently used answers go when all together are too large', async () => {
  const cache = new AnswerCache(1_000);
  const ask = (question: string) => cache.get(question, '1', async () => 'x'.repeat(200));
  await ask('a');
  await ask('b');
  expect((await ask('a')).state).toBe('hit');
  await ask('c');
  expect(cache.bytes).toBeLessThanOrEqual(1_000);
  expect((await ask('a')).state).toBe('hit');
  expect((await ask('b')).state).toBe('miss');
});

test('an answer that is too large alone is not kept', async () => {
  const cache = new AnswerCache(100);
  await cache.get('question', '1', async () => 'x'.repeat(100));
  expect(cache.bytes).toBe(0);
});
