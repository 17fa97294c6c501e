import { expect, test } from 'vitest';
import { hasStoredTree, parseArtifacts } from '#renderer/pages/run/artifacts.ts';

test('lists the paths in the order of the runner', () => {
  const json = '{"run_dir":"./results/runs/a","csv":"./results/a.csv"}';
  expect(parseArtifacts(json)).toEqual({
    items: [
      { name: 'run_dir', path: './results/runs/a' },
      { name: 'csv', path: './results/a.csv' },
    ],
    remark: null,
  });
});

test('omits results, empty texts and values that are no text', () => {
  const json =
    '{"bestGenotype":"0101","bestAstJson":"{}","decisionVector":[1],"log":"","csv":"a.csv"}';
  expect(parseArtifacts(json).items).toEqual([{ name: 'csv', path: 'a.csv' }]);
});

test('returns no items and no remark for a run without artifacts', () => {
  expect(parseArtifacts(null)).toEqual({ items: [], remark: null });
  expect(parseArtifacts('{}')).toEqual({ items: [], remark: null });
});

test('returns a remark if the stored text is no JSON object', () => {
  for (const json of ['{"csv":', '[1]', '"a.csv"', 'null', '']) {
    expect(parseArtifacts(json)).toEqual({
      items: [],
      remark: 'The stored list of artifacts is not a JSON object.',
    });
  }
});

test('finds a stored tree, as an object or as its JSON', () => {
  expect(hasStoredTree('{"bestAstJson":{"kind":"terminal"}}')).toBe(true);
  expect(hasStoredTree('{"bestAstJson":"{\\"kind\\":\\"terminal\\"}"}')).toBe(true);
  for (const json of [null, '', 'null', '{}', '{"bestAstJson":null}', '{"bestAstJson":"x"}']) {
    expect(hasStoredTree(json)).toBe(false);
  }
});
