import { describe, expect, test } from 'vitest';
import type { Term } from '#shared/glossary.ts';
import { getTermsMatching } from '#renderer/pages/help/terms-matching.ts';

const term = (name: string, definition: string) => [name, { name, definition } as Term] as const;
const terms = [
  term('Budget', 'Evaluations that a run was granted'),
  term('ERT', 'Expected number of evaluations to reach the target'),
  term('Target', 'The fitness to reach'),
];
const found = (search: string) => getTermsMatching(terms, search).map(([id]) => id);

describe('getTermsMatching', () => {
  test('finds terms by their names first, then by their definitions', () => {
    expect(found('TARGET')).toEqual(['Target', 'ERT']);
    expect(found('evaluations')).toEqual(['Budget', 'ERT']);
  });

  test('needs every word, and has all terms without one', () => {
    expect(found('reach evaluations')).toEqual(['ERT']);
    expect(found('nothing')).toEqual([]);
    expect(found('  ')).toEqual(['Budget', 'ERT', 'Target']);
  });
});
