import { expect, test } from 'vitest';
import { pagePaths } from '#shared/pages.ts';
import { pages } from '#renderer/pages.ts';

test('the renderer has exactly the pages that the service serves', () => {
  expect(pages.map(({ path }) => path).sort()).toEqual(Object.values(pagePaths).sort());
});

test('each page of the rail has its own keys; the gallery is not offered', () => {
  const keys = pages.flatMap(({ place }) => place?.keys ?? []);
  expect(keys).toEqual(['g r', 'g e', 'g p', 'g c', 'g i']);
  expect(pages.find(({ path }) => path === pagePaths.gallery)?.place).toBeUndefined();
});
