import { afterAll, beforeAll, expect, test } from 'vitest';
import { describeOnEachDatabase } from '#tests/support/databases.ts';
import type { RunsNeededResponse } from '#shared/schemas/analysis-design.ts';
import { startService, type TestService } from '#tests/support/test-service.ts';

describeOnEachDatabase('GET /api/analysis/runs-needed', (database) => {
  let service: TestService;

  beforeAll(async () => {
    service = await startService(database(), { isInThisThread: true });
  });

  afterAll(() => service.close());

  const ask = (query: string) =>
    service.get<RunsNeededResponse>(`/api/analysis/runs-needed${query}`);

  test('finds a large effect between two groups with power 0.8 by default', async () => {
    const usual = { effect: 0.71, power: 0.8, alpha: 0.05, pairs: 1, p1: null, p2: null };
    const expected = { ...usual, measure: 'fitness', perGroup: 30, method: 'noether' };
    expect(await ask('')).toEqual(expected);
    expect(await ask('?effect=&power=&alpha=&pairs=')).toEqual(expected);
  });

  test.each([
    ['?effect=0.56&pairs=10', 617],
    ['?effect=0.64&pairs=3&measure=runtime', 90],
    ['?effect=0.64&power=0.9&alpha=0.01', 127],
    ['?measure=success&p1=0.8&p2=0.4', 27],
    ['?measure=Success&p1=0.9&p2=0.5', 23],
    ['?measure=success&p1=0.5&p2=0.3', 102],
    ['?effect=0.5000000000000001', 3.2e31],
  ])('returns for %s %d runs per group', async (query, runs) => {
    const { perGroup } = await ask(query);
    expect(perGroup / runs).toBeGreaterThan(runs > 1e6 ? 0.3 : 0.999_999);
    expect(perGroup / runs).toBeLessThan(runs > 1e6 ? 9 : 1.000_001);
  });

  test.each([
    ['?effect=0.5', 'effect', 'must be above 0.5 and below 1'],
    ['?effect=1', 'effect', 'must be above 0.5 and below 1'],
    ['?effect=large', 'effect', 'must be a finite number'],
    ['?power=1', 'power', 'must be above 0 and below 1'],
    ['?power=0.04', 'power', 'must be above alpha / pairs'],
    ['?alpha=0', 'alpha', 'must be above 0 and below 0.5'],
    ['?pairs=0', 'pairs', 'must be a whole number, from 1 to 11175'],
    ['?measure=speed', 'measure', 'must be one of fitness, runtime, success, anytime'],
    ['?measure=success&p1=0.8', 'p2', 'is required for measure=success, from 0 to 1'],
    ['?measure=success&p1=0.8&p2=1.1', 'p2', 'must be from 0 to 1'],
    ['?measure=success&p1=0.5&p2=0.5', 'p2', 'must differ from p1 by at least 0.001'],
  ])('refuses %s', async (query, path, message) => {
    const problem = await service.getProblem(`/api/analysis/runs-needed${query}`);
    expect(problem).toMatchObject({
      status: 400,
      code: 'VALIDATION_FAILED',
      errors: [{ path, message }],
    });
  });
});
