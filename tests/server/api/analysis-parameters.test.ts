import { afterAll, beforeAll, expect, test } from 'vitest';
import type { ResponseBody } from '#shared/api.ts';
import type { Across } from '#shared/schemas/analysis-across.ts';
import type { ProblemComparison } from '#shared/schemas/analysis.ts';
import type { InstanceParameters } from '#shared/schemas/analysis-parameters.ts';
import { describeOnEachDatabase } from '#tests/support/databases.ts';
import { loadSample } from '#tests/support/sample.ts';
import { insertExperiment, insertRun } from '#tests/support/rows.ts';
import { startService, type TestService } from '#tests/support/test-service.ts';

type ExperimentsPage = ResponseBody<'listExperiments'>;

describeOnEachDatabase('The parameters that vary on an instance', (database) => {
  let service: TestService;
  const parameters = (query = '') =>
    service.get<InstanceParameters>(`/api/analysis/parameters?${query}`);

  beforeAll(async () => {
    for (const [index, populationSize] of [10, 20, 40, 80].entries()) {
      const id = `sphere-${populationSize}`;
      await insertExperiment(database(), id, {
        algorithm_type: 'umda',
        problem_type: 'sphere',
        config_json: JSON.stringify({
          problem: { type: 'sphere', params: { direction: 'min' } },
          algorithm: {
            type: 'umda',
            params: { populationSize, parents: populationSize / 2, elitism: index > 1 },
          },
          stopping: { targetFitness: 3, maxEvaluations: 500 },
          run: { name: id },
          ...(index === 0 && { tracking: { password: 'secret' } }),
        }),
      });
      for (const seed of [1, 2]) {
        await insertRun(database(), id, `${id}-${seed}`, {
          seed,
          evaluations: 100 * seed,
          best_fitness: 5 - index,
        });
      }
    }
    service = await startService(database(), { isInThisThread: true });
  });
  afterAll(() => service.close());

  test('group the comparison of the problem, by a whole path or its last key', async () => {
    const path = '/api/analysis/problem/sphere?groupBy=param:';
    const byKey = await service.get<ProblemComparison>(`${path}populationSize`);
    expect(byKey.groupBy).toBe('param:algorithm.populationSize');
    expect(byKey.algorithms.map(({ label, totalRuns }) => [label, totalRuns])).toEqual([
      ['populationSize = 10', 2],
      ['populationSize = 20', 2],
      ['populationSize = 40', 2],
      ['populationSize = 80', 2],
    ]);
    expect(await service.get(`${path}algorithm.populationSize`)).toEqual(byKey);
    expect(byKey.varyingParameters).toEqual([
      'algorithm.elitism',
      'algorithm.parents',
      'algorithm.populationSize',
      'tracking.password',
    ]);
    const latex = await fetch(`${service.url}${path.replace('?', '/latex?')}populationSize`);
    expect(await latex.text()).toContain('populationSize = 80');
  });

  test('are listed in the message if a grouping names none of them', async () => {
    const path = '/api/analysis/problem/sphere?groupBy=';
    const parseProblem = async (groupBy: string) => {
      const response = await fetch(`${service.url}${path}${groupBy}`);
      const { detail } = (await response.json()) as { detail: string };
      return [response.status, detail];
    };
    expect(await parseProblem('param:colour')).toEqual([
      400,
      'groupBy names the unknown parameter "colour": give a parameter of an experiment on this instance',
    ]);
    expect(await parseProblem('colour')).toEqual([
      400,
      'groupBy must be algorithm, model, experiment, configuration or param:<path>',
    ]);
  });

  test('have results for the runs with each value, and a rank correlation for numbers', async () => {
    const answer = await parameters();
    expect(answer).toMatchObject({ problemType: 'sphere', experiments: 4, targetFitness: 3 });
    expect(answer.parameters.map(({ path }) => path)).toEqual([
      'algorithm.elitism',
      'algorithm.parents',
      'algorithm.populationSize',
      'tracking.password',
    ]);
    const [elitism, , size, password] = answer.parameters;
    expect(elitism?.values).toMatchObject([
      { value: 'false', experiments: 2, n: 4, medianBest: 4.5, successRate: 0, ert: null },
      { value: 'true', experiments: 2, n: 4, medianBest: 2.5, successRate: 1, ert: 150 },
    ]);
    // Values from SciPy.
    expect(elitism?.values.map(({ ertMoverInterval }) => ertMoverInterval)).toEqual([
      null,
      { lower: expect.closeTo(78.406, 3), upper: expect.closeTo(577.469, 3) },
    ]);
    expect(elitism?.spearman).toBeNull();
    expect(size?.values.map(({ value }) => value)).toEqual(['10', '20', '40', '80']);
    expect(size?.spearman).toEqual({
      rho: -1,
      pValue: 2 / 24,
      adjustedPValue: 4 / 24,
      attainablePValue: 2 / 24,
      n: 4,
    });
    expect(password?.values.at(-1)).toMatchObject({ value: null, experiments: 3 });
    expect(JSON.stringify(answer)).not.toContain('secret');
  });

  test('have results for the runs of each experiment, by id', async () => {
    const { experimentResults } = await parameters();
    const fields = { algorithm: 'umda', totalRuns: 2, n: 2 };
    const unsolved = { ...fields, successfulRuns: 0, ert: null };
    const solved = { ...fields, successfulRuns: 2, ert: 150 };
    expect(experimentResults).toEqual([
      { experimentId: 'sphere-10', label: 'sphere-10', medianBest: 5, ...unsolved },
      { experimentId: 'sphere-20', label: 'sphere-20', medianBest: 4, ...unsolved },
      { experimentId: 'sphere-40', label: 'sphere-40', medianBest: 3, ...solved },
      { experimentId: 'sphere-80', label: 'sphere-80', medianBest: 2, ...solved },
    ]);
    await fetch(`${service.url}/api/annotations/experiment/sphere-80`, {
      method: 'PUT',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ version: null, displayName: 'the best' }),
    });
    expect((await parameters()).experimentResults.at(-1)?.label).toBe('the best');
  });

  test('are reported to vary together if their effects cannot be separated', async () => {
    const { notes } = await parameters();
    expect(notes.map(({ message }) => message)).toContain(
      'algorithm.parents, algorithm.populationSize are confounded (they vary together); their separate associations with the results cannot be estimated.',
    );
  });

  test('are compared by the requested target and for the requested algorithms', async () => {
    const [size] = (await parameters('target=4&algorithm=UMDA')).parameters.slice(2);
    expect(size?.values.map(({ successRate }) => successRate)).toEqual([0, 1, 1, 1]);
    expect(await parameters('algorithm=pbil')).toMatchObject({ experiments: 0, parameters: [] });
    const { notes } = await parameters('target=1');
    expect(notes.map(({ code }) => code)).toContain('TARGET_BEYOND_STOPPING');
  });

  test('of an unknown instance are refused', async () => {
    const response = await fetch(`${service.url}/api/analysis/parameters?instance=none`);
    expect(response.status).toBe(404);
    expect(await response.text()).toContain(
      'There is no instance \\"none\\" to compare on. Select another instance',
    );
  });

  test('are correlated over equally many first runs of each value if the numbers of runs depend on it', async () => {
    for (const size of [1, 2, 3, 4]) {
      const id = `counts-${size}`;
      const config = { problem: { type: 'counts' }, algorithm: { type: 'es', params: { size } } };
      await insertExperiment(database(), id, {
        problem_type: 'counts',
        config_json: JSON.stringify(config),
      });
      for (let run = 0; run < size; run += 1) {
        const start_time = `2026-01-01T00:00:0${9 - run}Z`;
        const best_fitness = run === size - 1 ? size : -10 * size;
        await insertRun(database(), id, `${id}-${run}`, { start_time, best_fitness });
      }
    }
    const problem = await service.get<ProblemComparison>('/api/analysis/problem/counts');
    const [size] = (await parameters(`instance=${problem.instances[0]?.id}`)).parameters;
    expect(size?.values.map(({ medianBest }) => medianBest)).toEqual([1, -9, -30, -40]);
    expect(size?.spearman?.rho).toBe(1);
  });
});

describeOnEachDatabase('The correlations of the parameters on an instance', (database) => {
  let service: TestService;

  beforeAll(async () => {
    const sizes = [30, 10, 20, 50, 40];
    const rates = [2, 1, 3, 4, 5];
    for (const [index, size] of sizes.entries()) {
      const params = {
        dims: index + 1,
        rate: rates[index],
        size,
        tied: Math.ceil((index + 1) / 2),
        word: `w${index}`,
      };
      await insertExperiment(database(), `e${index}`, {
        algorithm_type: 'umda',
        problem_type: 'sphere',
        config_json: JSON.stringify({
          problem: { type: 'sphere', params: { direction: 'min' } },
          algorithm: { type: 'umda', params },
        }),
      });
      await insertRun(database(), `e${index}`, `r${index}`, { best_fitness: 5 - index });
    }
    service = await startService(database(), { isInThisThread: true });
  });
  afterAll(() => service.close());

  test('have p-values adjusted over the parameters with a test', async () => {
    const { parameters } = await service.get<InstanceParameters>('/api/analysis/parameters');
    const pValues = parameters.map(({ path, spearman }) => [
      path,
      spearman?.pValue,
      spearman?.adjustedPValue,
    ]);
    // p-values from SciPy: spearmanr in permutation_test over all pairings. Holm over three tests.
    expect(pValues).toEqual([
      ['algorithm.dims', expect.closeTo(2 / 120, 12), expect.closeTo(6 / 120, 12)],
      ['algorithm.rate', expect.closeTo(10 / 120, 12), expect.closeTo(20 / 120, 12)],
      ['algorithm.size', expect.closeTo(42 / 120, 12), expect.closeTo(42 / 120, 12)],
      ['algorithm.tied', undefined, undefined],
      ['algorithm.word', undefined, undefined],
    ]);
    for (const { spearman } of parameters.slice(0, 3)) {
      expect(spearman?.attainablePValue).toBeCloseTo(2 / 120, 12);
    }
  });

  test('have notes on parameters that are associated with each other, each pair in one note', async () => {
    const { notes } = await service.get<InstanceParameters>('/api/analysis/parameters');
    const messages = notes
      .filter(({ code }) => code.startsWith('PARAMETERS_'))
      .map(({ message }) => message);
    // Correlations from SciPy's spearmanr.
    expect(messages).toEqual([
      'algorithm.dims, algorithm.rate, algorithm.size, algorithm.word are confounded (they vary together); ' +
        'their separate associations with the results cannot be estimated.',
      'Parameters are associated with each other over the experiments (rank correlation ρ of at least 0.5 or at most −0.5): ' +
        'algorithm.dims and algorithm.tied (ρ = 0.9487); algorithm.rate and algorithm.tied (ρ = 0.9487); ' +
        'algorithm.size and algorithm.tied (ρ = 0.5798). Their separate associations with the results are hard to distinguish.',
    ]);
  });
});

describeOnEachDatabase(
  'The parameters of algorithms that also differ in stopping and type',
  (database) => {
    let service: TestService;
    const getAnswer = (query = '') =>
      service.get<InstanceParameters>(`/api/analysis/parameters?${query}`);

    beforeAll(async () => {
      const stoppings = [
        { type: 'max-evaluations', maxEvaluations: 100, patience: 4 },
        { type: 'max-evaluations', maxEvaluations: 100, patience: 3 },
        { type: 'stagnation', maxEvaluations: 200, patience: 1 },
        { type: 'stagnation', maxEvaluations: 300, patience: 2 },
      ];
      for (const [index, stopping] of stoppings.entries()) {
        const type = index < 2 ? 'umda' : 'pbil';
        await insertExperiment(database(), `e${index}`, {
          algorithm_type: type,
          problem_type: 'sphere',
          config_json: JSON.stringify({
            problem: { type: 'sphere', params: { direction: 'min' } },
            algorithm: { type, params: { rate: index } },
            stopping,
          }),
        });
        await insertRun(database(), `e${index}`, `r${index}`, { best_fitness: 5 - index });
      }
      service = await startService(database(), { isInThisThread: true });
    });
    afterAll(() => service.close());

    test('are described and adjusted without these unless all are requested', async () => {
      const [usual, all] = [await getAnswer(), await getAnswer('allParameters=true')];
      const omittedParameters = [
        'algorithm.type',
        'stopping.maxEvaluations',
        'stopping.patience',
        'stopping.type',
      ];
      const getPaths = ({ parameters }: InstanceParameters) => parameters.map(({ path }) => path);
      expect(getPaths(usual)).toEqual(['algorithm.rate']);
      expect(usual.omittedParameters).toEqual(omittedParameters);
      expect(getPaths(all)).toEqual(['algorithm.rate', ...omittedParameters]);
      expect(all.omittedParameters).toEqual([]);
      const getSpearman = ({ parameters }: InstanceParameters) =>
        parameters.find(({ path }) => path === 'algorithm.rate')?.spearman;
      expect(getSpearman(usual)?.adjustedPValue).toBeCloseTo(2 / 24, 12);
      // Holm over two tests: also that of stopping.patience.
      expect(getSpearman(all)?.adjustedPValue).toBeCloseTo(4 / 24, 12);
    });

    test('are in notes with these, but these alone only if all are requested', async () => {
      const getMessages = async (query: string) =>
        (await getAnswer(query)).notes.map(({ message }) => message).join(' ');
      const [usual, all] = [await getMessages(''), await getMessages('allParameters=true')];
      for (const words of [
        'algorithm.rate, stopping.patience are confounded',
        'algorithm.rate and stopping.maxEvaluations (ρ = 0.9487)',
      ]) {
        expect(usual).toContain(words);
        expect(all).toContain(words);
      }
      for (const words of [
        'algorithm.type, stopping.type are confounded',
        'stopping.maxEvaluations and stopping.patience (ρ = −0.7379)',
      ]) {
        expect(usual).not.toContain(words);
        expect(all).toContain(words);
      }
    });
  },
);

describeOnEachDatabase('The parameters that vary in the sample', (database) => {
  let service: TestService;

  beforeAll(async () => {
    await loadSample(database());
    service = await startService(database(), { isInThisThread: true });
  });
  afterAll(() => service.close());

  test('have the direction of their instance, also if the requested algorithms have no experiment', async () => {
    const { instances } = await service.get<Across>('/api/analysis/across');
    const { id } = instances.find(({ problemType }) => problemType === 'onemax')!;
    const parameters = await service.get<InstanceParameters>(
      `/api/analysis/parameters?instance=${id}&algorithm=none`,
    );
    const objective = { objectiveDirection: 'max', directionSource: 'problem' };
    expect(parameters).toMatchObject({ experiments: 0, ...objective });
  });

  test('have filters that select exactly the experiments with each value, on each instance', async () => {
    const { instances } = await service.get<Across>('/api/analysis/across?');
    let followed = 0;
    for (const { id } of instances.filter(({ problemType }) => problemType !== 'coco-bbob')) {
      const answer = await service.get<InstanceParameters>(
        `/api/analysis/parameters?instance=${id}`,
      );
      for (const { condition, experimentIds } of answer.parameters.flatMap(
        ({ values }) => values,
      )) {
        if (condition === null || answer.conditions === null) continue;
        const query = new URLSearchParams([
          ['problem', answer.problemType],
          ...[...answer.conditions, condition].map((one) => ['param', one]),
        ]);
        const list = await service.get<ExperimentsPage>(`/api/experiments?${query.toString()}`);
        expect(list.items.map(({ experimentId }) => experimentId).sort(), query.toString()).toEqual(
          experimentIds,
        );
        followed += 1;
      }
    }
    expect(followed).toBeGreaterThan(20);
  });

  test('also name the instance of a comparison by its filters', async () => {
    const { conditions, algorithms } = await service.get<ProblemComparison>(
      '/api/analysis/problem/onemax?algorithm=umda',
    );
    const query = new URLSearchParams([
      ['problem', 'onemax'],
      ['algorithm', 'umda'],
      ...(conditions ?? []).map((one) => ['param', one]),
    ]);
    const list = await service.get<ExperimentsPage>(`/api/experiments?${query.toString()}`);
    expect(conditions).toContain('representation.length = 40');
    expect(list.items.map(({ experimentId }) => experimentId).sort()).toEqual(
      algorithms[0]?.experimentIds,
    );
  });
});
