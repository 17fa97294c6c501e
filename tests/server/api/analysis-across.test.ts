import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { acrossQuery, type Across } from '#shared/schemas/analysis-across.ts';
import type { ProblemDocument } from '#shared/schemas/error.ts';
import { compareAcross } from '#server/analysis/across.ts';
import { MemoStore } from '#server/analysis/memo.ts';
import { readPackedTraces, TraceStore } from '#server/analysis/shared-traces.ts';
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
  const getId = async (problem: string) =>
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
            evaluations: 500,
            best_fitness: best,
          });
        }
      }
    }
    service = await startService(database(), { isInThisThread: true });
  });
  afterAll(() => service.close());

  test('refuses too many groups before it reads traces', async () => {
    const readTraces = vi.fn();
    const traces = new TraceStore(1_000_000, readTraces);
    const memo = new MemoStore(1).createRequestMemo();
    const query = acrossQuery.parse({});
    const { kysely } = database();
    const copies = Array.from({ length: 501 }, (_, index) => `copy-${index}`);
    const experiment = await kysely
      .selectFrom('experiments')
      .selectAll()
      .where('experiment_id', '=', 'ackley-ga')
      .executeTakeFirstOrThrow();
    const run = await kysely
      .selectFrom('runs')
      .selectAll()
      .where('experiment_id', '=', 'ackley-ga')
      .executeTakeFirstOrThrow();
    const experiments = copies.map((id) => ({
      ...experiment,
      experiment_id: id,
      config_hash: id,
      algorithm_type: id,
    }));
    await kysely.insertInto('experiments').values(experiments).execute();
    // Experiments without runs form no group.
    await across();
    const runs = copies.map((id) => ({ ...run, run_id: id, experiment_id: id }));
    await kysely.insertInto('runs').values(runs).execute();
    const request = compareAcross({ database: database(), traces, memo }, query);
    try {
      await expect(request).rejects.toMatchObject({ code: 'ANSWER_TOO_LARGE' });
    } finally {
      await kysely.deleteFrom('runs').where('run_id', 'in', copies).execute();
      await kysely.deleteFrom('experiments').where('experiment_id', 'in', copies).execute();
    }
    expect(readTraces).not.toHaveBeenCalled();
  });

  test('reads the runs of the requested instances only', async () => {
    const instance = [await getId('sphere')];
    const read: string[] = [];
    const recording = {
      ...database(),
      kysely: database().kysely.withPlugin({
        transformQuery: ({ node }) => node,
        transformResult: async ({ result }) => {
          read.push(...result.rows.flatMap((row) => (row['run_id'] as string | undefined) ?? []));
          return result;
        },
      }),
    };
    const traces = new TraceStore(1_000_000, (runs) => readPackedTraces(database(), runs));
    const memo = new MemoStore(1).createRequestMemo();
    const query = acrossQuery.parse({ instance });
    const answer = await compareAcross({ database: recording, traces, memo }, query);
    expect(answer.instances.map(({ problemType }) => problemType)).toEqual(['sphere']);
    expect(new Set(read.map((id) => id.split('-')[0]))).toEqual(new Set(['sphere']));
    // The memo stores the answer and does not count the size of maps.
    expect(answer.instances[0]).not.toHaveProperty('experiments');
  });

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
      // Beyond the target of 12 fitness counts as the target.
      ['ga', 12, 1, true],
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
      'de has no results on 1 of 4 instances: ackley. Average ranks and tests across instances omit them.',
    );
  });

  test('claims nothing that the pairs of all instances do not support together', async () => {
    const answer = await across();
    const marks = ({ cells }: Across) =>
      cells.map(({ clearlyBest, indistinguishable }) => [clearlyBest, indistinguishable]);
    // Of 10 pairs with 5 runs each none can be significant.
    expect(answer.instanceTests).toHaveLength(10);
    expect(new Set(marks(answer).map((mark) => mark.join()))).toEqual(
      new Set(['false,true', 'false,']),
    );
    const ackley = await across(`instance=${await getId('ackley')}`);
    expect(ackley.instanceTests).toMatchObject([
      { a: 'es', b: 'ga', commonBudget: 500, better: 'ga', significant: true, reason: null },
    ]);
    expect(ackley.instanceTests[0]?.adjustedPValue).toBeCloseTo(2 / 252, 12);
    expect(marks(ackley)).toEqual([
      [false, false],
      [true, true],
    ]);
    expect(ackley.guard.heading).toBe('For one look at n = 5 runs per group.');
  });

  test('computes runtimes to the target of each instance, and excludes instances without one', async () => {
    const answer = await across('measure=ert');
    expect(answer.instances).toMatchObject([{ problemType: 'sphere', targetFitness: 12 }]);
    expect(answer.cells.map(({ value, n, best }) => [value, n, best])).toEqual([
      [null, 5, false],
      [2500 / 2, 5, false],
      [500, 5, true],
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

  test('ranks a group without results last, or pairs without its instances, as requested', async () => {
    const lackWords = ({ notes }: Across) =>
      notes.find(({ code }) => code === 'GROUP_LACKS_INSTANCES')?.message;
    const shared = await across();
    expect(shared.instances[0]).toMatchObject({ problemType: 'ackley', lacking: ['de'] });
    expect(shared).toMatchObject({ missing: 'shared', blocks: 'function' });

    const worst = await across('missing=worst');
    expect(worst.friedman.blocks).toBe(4);
    expect(worst.averageRanks.map(({ averageRank }) => averageRank)).toEqual([
      10 / 4,
      9.5 / 4,
      4.5 / 4,
    ]);
    expect(worst.winsTiesLosses[1]).toEqual({ a: 'de', b: 'ga', wins: 0, ties: 1, losses: 3 });
    expect(lackWords(worst)).toContain('It has the last rank on these instances.');

    const pairwise = await across('missing=PAIRWISE');
    expect(pairwise.averageRanks).toEqual([]);
    expect(pairwise.friedman.statistic).toBeNull();
    expect(pairwise.winsTiesLosses.map(({ wins, ties, losses }) => wins + ties + losses)).toEqual([
      3, 3, 4,
    ]);
    expect(lackWords(pairwise)).toContain('The tests compare its pairs without them.');
    expect(await service.getProblem('/api/analysis/across?missing=best')).toMatchObject({
      status: 400,
      detail: expect.stringContaining('must be one of shared, worst, pairwise') as string,
    });
  });

  test('tests pairs on comparable scales, and lists the instances without one', async () => {
    const { pairTests } = await across();
    expect(pairTests.scale).toBe('log10Precision');
    // The optimum of sphere and rastrigin is known; the configuration of onemax states no length.
    expect(pairTests.unscaled).toEqual(['ackley', 'onemax']);
    expect(pairTests.pairs.map(({ a, b, blocks, wins }) => [a, b, blocks, wins])).toEqual([
      ['de', 'es', 2, 0],
      ['de', 'ga', 2, 0],
      ['es', 'ga', 2, 0],
    ]);
    const success = await across('measure=success');
    expect(success.pairTests).toMatchObject({ scale: 'successRate', unscaled: [] });
  });

  test('compares on the requested instances, and reports those with fewer than two groups', async () => {
    const alone = await service.get<{ instances: { id: string }[] }>('/api/analysis/problem/alone');
    const [sphere, single] = [await getId('sphere'), alone.instances[0]!.id];
    const answer = await across(`instance=${sphere}&instance=${single}`);
    expect(answer.instances.map(({ id }) => id)).toEqual([sphere]);
    expect(answer.notes[0]?.message).toMatch(
      /^Omitted \(fewer than two groups have results within a common budget\): alone/,
    );
  });

  test.each([
    ['instance=none', 404, 'There is no instance "none" to compare on. Select another instance'],
    [
      'control=none',
      404,
      'There is no group "none" to compare with. Set control to a group of the table',
    ],
    ['measure=best', 400, 'must be one of median, mean, ert, success, anytime'],
  ])('refuses %s in words', async (query, status, words) => {
    const response = await fetch(`${service.url}/api/analysis/across?${query}`);
    const problem = (await response.json()) as ProblemDocument;
    expect(response.status).toBe(status);
    expect(JSON.stringify(problem)).toContain(words.replaceAll('"', '\\"'));
  });

  test('is exported as LaTeX with average ranks below, and with bold cells only for claims', async () => {
    const response = await fetch(`${service.url}/api/analysis/across/latex?control=ga`);
    expect(response.headers.get('content-disposition')).toContain('problem-across.tex');
    const text = await response.text();
    expect(text).toContain('rastrigin (min) & $5$ & $5$ & $3$ \\\\');
    expect(text).toContain('onemax (max) & $9$ & $8$ & $9$ \\\\');
    expect(text).toContain('ackley (min) & -- & $2$ & $1$ \\\\');
    expect(text).toContain('Average rank & 2.333 & 2.5 & 1.167 \\\\');
    expect(text).toContain('Average ranks over the 3 instances that all groups share');
    expect(text).toContain('de & ga & $0$ & $1$ & $2$ \\\\');
  });

  test('includes an instance on which every run of a group failed: the group is worst there', async () => {
    for (const algorithm of ['ga', 'es', 'de']) {
      const id = `crashing-${algorithm}`;
      await insertExperiment(database(), id, {
        algorithm_type: algorithm,
        problem_type: 'crashing',
        config_json: '{"problem":{"type":"crashing","params":{"direction":"min"}}}',
      });
      for (const seed of [1, 2, 3]) {
        const hasFailed = algorithm === 'ga';
        await insertRun(database(), id, `${id}-${seed}`, {
          seed,
          status: hasFailed ? 'FAILED' : 'COMPLETED',
          evaluations: hasFailed ? null : 100,
          best_fitness: hasFailed ? null : seed,
        });
      }
    }
    const answer = await across();
    const crashing = answer.instances.find(({ problemType }) => problemType === 'crashing');
    expect(crashing).toMatchObject({
      isShared: true,
      lacking: [],
      differences: { budget: null, runs: null, completed: { least: 0, most: 1 } },
    });
    expect(
      cellsOn(answer, 'crashing').map(({ group, n, value, infinity, rank }) => [
        group,
        n,
        value,
        infinity,
        rank,
      ]),
    ).toEqual([
      ['de', 3, 2, null, 1.5],
      ['es', 3, 2, null, 1.5],
      ['ga', 3, null, 1, 3],
    ]);
  });
});

describeOnEachDatabase('The control of a table across instances', (database) => {
  test('is the group with exactly its name, if names differ only in case', async () => {
    for (const [index, algorithm] of ['GA', 'Ga', 'ga'].entries()) {
      await insertExperiment(database(), algorithm, { algorithm_type: algorithm });
      await insertRun(database(), algorithm, `${algorithm}-run`, { best_fitness: index });
    }
    const service = await startService(database(), { isInThisThread: true });
    for (const control of ['GA', 'Ga', 'ga']) {
      const across = await service.get<Across>(`/api/analysis/across?control=${control}`);
      expect(across.control).toBe(control);
    }
    const other = await service.get<Across>('/api/analysis/across?control=gA');
    expect(other.control).toBe('GA');
    await service.close();
  });
});

describeOnEachDatabase('The table across instances with many groups on one of them', (database) => {
  test('notes that their pairs are too many to test', async () => {
    for (let index = 0; index < 151; index += 1) {
      await insertExperiment(database(), `e${index}`, { algorithm_type: `a${index}` });
      await insertRun(database(), `e${index}`, `r${index}`, { best_fitness: index });
    }
    const service = await startService(database(), { isInThisThread: true });
    const across = await service.get<Across>('/api/analysis/across');
    expect(across.instanceTests).toEqual([]);
    expect(across.notes).toContainEqual({
      code: 'INSTANCE_PAIRS_LEFT_OUT',
      message:
        '11\u2009325 pairs on all instances are too many to test (limit: 10\u2009000), so cells have no marks. Select fewer algorithms.',
    });
    await service.close();
  });
});

describeOnEachDatabase('The table across instances with equal configurations', (database) => {
  test('tells instances of two problems apart whose configurations do not state the problem', async () => {
    const problems: Record<string, string> = { first: '{}', second: '{}', third: 'no JSON' };
    for (const [problem, config] of Object.entries(problems)) {
      for (const [index, algorithm] of ['ga', 'es'].entries()) {
        const id = `${problem}-${algorithm}`;
        await insertExperiment(database(), id, {
          algorithm_type: algorithm,
          problem_type: problem,
          config_json: config,
        });
        await insertRun(database(), id, `${id}-run`, { best_fitness: index, evaluations: 500 });
      }
    }
    const service = await startService(database(), { isInThisThread: true });
    const across = await service.get<Across>('/api/analysis/across?blocks=function');
    expect(across.instances).toHaveLength(3);
    expect(new Set(across.instances.map(({ id }) => id)).size).toBe(3);
    expect(new Set(across.instances.map(({ block }) => block)).size).toBe(3);
    const { id } = across.instances[1]!;
    const single = await service.get<Across>(`/api/analysis/across?instance=${id}`);
    expect(single.instances.map(({ problemType }) => problemType)).toEqual(['second']);
    const parameters = await service.get<{ problemType: string }>(
      `/api/analysis/parameters?instance=${id}`,
    );
    expect(parameters.problemType).toBe('second');
    await service.close();
  });
});

describeOnEachDatabase('The table across dimensions of one function', (database) => {
  test('notes that one function is too few for significant differences, but two instances are not', async () => {
    for (const dimension of [5, 10]) {
      const problem = { type: 'sphere', params: { dimension } };
      for (const [index, algorithm] of ['ga', 'es'].entries()) {
        const id = `${algorithm}-${dimension}`;
        await insertExperiment(database(), id, {
          algorithm_type: algorithm,
          problem_type: 'sphere',
          config_json: JSON.stringify({ problem }),
        });
        await insertRun(database(), id, id, { best_fitness: 1 + index, evaluations: 500 });
      }
    }
    const service = await startService(database(), { isInThisThread: true });
    const byFunction = await service.get<Across>('/api/analysis/across');
    expect(byFunction.friedman.blocks).toBe(0);
    expect(byFunction.pairTests.pairs).toMatchObject([{ blocks: 1, pValue: 1 }]);
    expect(byFunction.notes).toContainEqual({
      code: 'FEW_SHARED_INSTANCES',
      message:
        'The groups share fewer than two functions, so there is no Friedman test, and no difference across functions can be ' +
        'significant.',
    });
    const byInstance = await service.get<Across>('/api/analysis/across?blocks=instance');
    expect(byInstance.friedman.blocks).toBe(2);
    expect(byInstance.notes.map(({ code }) => code)).not.toContain('FEW_SHARED_INSTANCES');
    await service.close();
  });
});

describeOnEachDatabase('The table across instances of functions', (database) => {
  test('has one block for the numbered instances of a function, and one for each named instance', async () => {
    const problems = [
      ['bbob', { functionId: 1, instanceId: 1, dimension: 5 }],
      ['bbob', { functionId: 1, instanceId: 2, dimension: 5 }],
      ['bbob', { functionId: 8, instanceId: 1, dimension: 5 }],
      ['maxsat', { instance: 'uf20-01.cnf' }],
      ['maxsat', { instance: 'uf20-02.cnf' }],
    ] as const;
    for (const [position, [type, params]] of problems.entries()) {
      for (const [index, algorithm] of ['ga', 'es'].entries()) {
        const id = `${algorithm}-${position}`;
        await insertExperiment(database(), id, {
          algorithm_type: algorithm,
          problem_type: type,
          config_json: JSON.stringify({ problem: { type, params } }),
        });
        await insertRun(database(), id, id, { best_fitness: 1 + index, evaluations: 500 });
      }
    }
    const service = await startService(database(), { isInThisThread: true });
    const byFunction = await service.get<Across>('/api/analysis/across');
    expect(byFunction.friedman).toMatchObject({ blockBy: 'function', blocks: 4 });
    const byInstance = await service.get<Across>('/api/analysis/across?blocks=instance');
    expect(byInstance.friedman).toMatchObject({ blockBy: 'instance', blocks: 5 });
    await service.close();
  });
});
