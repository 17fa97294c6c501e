import { expect, test } from 'vitest';
import { getMatchingProblems } from '#renderer/pages/problems/matching-problems.ts';

const problem = (problemType: string, algorithms: string[]) => ({
  problemType,
  algorithms,
  instances: 1,
  experiments: 1,
  runs: 1,
  completedRuns: 1,
});
const problems = [problem('onemax', ['umda']), problem('Sphere', ['cma-es'])];

test('a search finds problem types and algorithms, case ignored; none finds all', () => {
  const found = (text: string) => getMatchingProblems(problems, text).map((one) => one.problemType);
  expect(found(' sph ')).toEqual(['Sphere']);
  expect(found('UMDA')).toEqual(['onemax']);
  expect(found('')).toEqual(['onemax', 'Sphere']);
  expect(found('zdt')).toEqual([]);
});
