import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Across } from '#shared/schemas/analysis-across.ts';
import type { Problem } from '#shared/schemas/error.ts';
import { describeOnEachDatabase } from '#tests/support/databases.ts';
import { insertExperiment, insertRun } from '#tests/support/rows.ts';
import { startService, type TestService } from '#tests/support/test-service.ts';

/** Final fitness of five runs of each algorithm on each problem. */
const results: Record<string, Record<string, number[]>> = {
  sphere: { ga: [1, 2, 3, 4, 5], es: [11, 12, 13, 14, 15], de: [21, 22, 23, 24, 25] },
  rastrigin: { ga: [1, 2, 3, 4, 5], es: [3, 4, 5, 6, 7], de: [3, 4, 5, 6, 7] },
  onemax: { ga: [9, 9, 9, 9, 9], es: [8, 8, 8, 8, 8], de: [9, 9, 9, 9, 9] },
  ackley: { ga: [1, 1, 1, 1, 1], es: [2, 2, 2, 2, 2] },
  alone: { ga: [1] },
};

describeOnEachDatabase('The table across problem instances', (database) => {
  let service: TestService;
  const across = (query = '') => service.get<Across>(`/api/analysis/across?${query}`);
  const idOf = async (problem: string) =>
    (await across()).instances.find(({ problemType }) => problemType === problem)!.id;
  const cellsOn = (answer: Across, problem: string) => {
    const { id } = answer.instances.find(({ problemType }) => problemType === problem)!;
    return answer.cells.filter(({ instance }) => instance === id);
  };
  const codes = ({ notes }: Across) => notes.map(({ code }) => code);

  beforeAll(async () => {
    for (const [problem, algorithms] of Object.entries(results)) {
      for (const [algorithm, bests] of Object.entries(algorithms)) {
        const id = `${problem}-${algorithm}`;
        await insertExperiment(database(), id, {
          algorithm_type: algorithm,
          problem_type: problem,
          config_json: JSON.stringify({
            problem: {
              type: problem,
              params: { direction: problem === 'onemax' ? 'max' : 'min' },
            },
            ...(problem === 'sphere' && { stopping: { targetFitness: 12 } }),
          }),
        });
        for (const [index, best] of bests.entries()) {
          await insertRun(database(), id, `${id}-${index}`, {
            seed: index,
            evaluations: 100 * (index + 1),
            best_fitness: best,
          });
        }
      }
    }
    service = await startService(database(), { inThisThread: true });
  });
  afterAll(() => service.close());

  test('ranks the groups on every instance that two of them share, each in its direction', async () => {
    const answer = await across();
    expect(answer.groups.map(({ group }) => group)).toEqual(['de', 'es', 'ga']);
    expect(
      answer.instances.map(({ problemType, direction, isShared }) => [
        problemType,
        direction,
        isShared,
      ]),
    ).toEqual([
      ['ackley', 'min', false],
      ['onemax', 'max', true],
      ['rastrigin', 'min', true],
      ['sphere', 'min', true],
    ]);
    expect(
      cellsOn(answer, 'sphere').map(({ group, value, rank, best }) => [group, value, rank, best]),
    ).toEqual([
      ['de', 23, 3, false],
      ['es', 13, 2, false],
      ['ga', 3, 1, true],
    ]);
    expect(cellsOn(answer, 'onemax').map(({ rank, best }) => [rank, best])).toEqual([
      [1.5, true],
      [3, false],
      [1.5, true],
    ]);
    expect(cellsOn(answer, 'ackley')[0]).toMatchObject({ n: 0, value: null, rank: null });
    expect(answer.averageRanks.map(({ averageRank }) => averageRank)).toEqual([
      7 / 3,
      2.5,
      3.5 / 3,
    ]);
    expect(answer.winsTiesLosses[1]).toEqual({ a: 'de', b: 'ga', wins: 0, ties: 1, losses: 2 });
    expect(answer.friedman).toMatchObject({ blocks: 3, df: 2 });
    expect(answer.signedRank).toBeNull();
    expect(answer.notes.find(({ code }) => code === 'GROUP_LACKS_INSTANCES')?.message).toBe(
      'de has no results on 1 of 4 instances, so they are in no average rank and no test across instances: ackley.',
    );
  });

  test('marks what is not distinguishable from the best, adjusted inside the instance', async () => {
    const answer = await across();
    const [de, es, ga] = cellsOn(answer, 'sphere');
    expect([de?.indistinguishable, es?.indistinguishable, ga?.indistinguishable]).toEqual([
      false,
      false,
      null,
    ]);
    expect(de?.pVersusBest).toBeCloseTo(4 / 252, 12);
    expect(cellsOn(answer, 'rastrigin').map((cell) => cell.indistinguishable)).toEqual([
      true,
      true,
      null,
    ]);
    expect(cellsOn(answer, 'onemax').map((cell) => cell.pVersusBest)).toEqual([null, null, null]);
  });

  test('takes runtimes by the target of each instance, and leaves out those without one', async () => {
    const answer = await across('measure=ert');
    expect(answer.instances).toMatchObject([{ problemType: 'sphere', targetFitness: 12 }]);
    expect(answer.cells.map(({ value, n, best }) => [value, n, best])).toEqual([
      [null, 5, false],
      [1500 / 2, 5, false],
      [300, 5, true],
    ]);
    expect(codes(answer)).toEqual(
      expect.arrayContaining(['INSTANCES_WITHOUT_TARGET', 'FEW_SHARED_INSTANCES']),
    );
    const success = await across('measure=success');
    expect(success.cells.map(({ value }) => value)).toEqual([0, 0.4, 1]);
  });

  test('compares two groups by signed ranks, and others with a control', async () => {
    const two = await across('algorithm=GA&algorithm=es');
    expect(two.signedRank).toMatchObject({ n: 4, zeros: 0, method: 'exact', pValue: 0.125 });
    const { control, versusControl } = await across('control=GA');
    expect(control).toBe('ga');
    expect(versusControl?.map(({ group }) => group)).toEqual(['de', 'es']);
    expect(versusControl?.every(({ z }) => z > 0)).toBe(true);
  });

  test('compares on the instances asked for, and says which have fewer than two groups', async () => {
    const alone = await service.get<{ instances: { id: string }[] }>('/api/analysis/problem/alone');
    const [sphere, single] = [await idOf('sphere'), alone.instances[0]!.id];
    const answer = await across(`instance=${sphere}&instance=${single}`);
    expect(answer.instances.map(({ id }) => id)).toEqual([sphere]);
    expect(answer.notes[0]?.message).toMatch(
      /^Excluded \(fewer than two groups have results\): alone/,
    );
  });

  test.each([
    ['instance=none', 404, 'There is no instance "none" to compare on'],
    ['control=none', 404, 'There is no group "none" to compare with'],
    ['measure=best', 400, 'must be one of median, mean, ert, success, anytime'],
  ])('refuses %s in words', async (query, status, words) => {
    const response = await fetch(`${service.url}/api/analysis/across?${query}`);
    const problem = (await response.json()) as Problem;
    expect(response.status).toBe(status);
    expect(JSON.stringify(problem)).toContain(words.replaceAll('"', '\\"'));
  });

  test('leaves as LaTeX with the best in bold, asterisks and average ranks below', async () => {
    const response = await fetch(`${service.url}/api/analysis/across/latex?control=ga`);
    expect(response.headers.get('content-disposition')).toContain('problem-across.tex');
    const text = await response.text();
    expect(text).toContain('rastrigin (min) & $5$$^{*}$ & $5$$^{*}$ & {\\boldmath$3$} \\\\');
    expect(text).toContain('onemax (max) & {\\boldmath$9$} & $8$ & {\\boldmath$9$} \\\\');
    expect(text).toContain('ackley (min) & -- & $2$ & {\\boldmath$1$} \\\\');
    expect(text).toContain('Average rank & 2.333 & 2.5 & \\textbf{1.167} \\\\');
    expect(text).toContain('Average ranks over the 3 instances that all groups share');
    expect(text).toContain('de & ga & $0$ & $1$ & $2$ \\\\');
  });
});
