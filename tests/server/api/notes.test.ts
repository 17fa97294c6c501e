import { afterAll, beforeAll, expect, test } from 'vitest';
import type { ResponseBody } from '#shared/api.ts';
import type { AnalysisNote } from '#shared/schemas/analysis-note.ts';
import { describeOnEachDatabase, type TestDatabase } from '#tests/support/databases.ts';
import { insert, insertExperiment, insertRun } from '#tests/support/rows.ts';
import { startService, type TestService } from '#tests/support/test-service.ts';

interface ExperimentOptions {
  problem: string;
  /** Type of the algorithm; by default the id of the experiment. */
  algorithm?: string;
  /** Parameters of the algorithm. */
  params?: Record<string, unknown>;
  targetFitness?: number;
  /** Best fitness of each row of each run; one row means a run without a gain. */
  runs: readonly (readonly number[])[];
  columns?: Record<string, unknown>;
}

/** Writes an experiment with its runs, one row per generation of 10 evaluations, 2 s apart. */
async function writeExperiment(
  database: TestDatabase,
  id: string,
  { problem, algorithm = id, params = {}, targetFitness, runs, columns }: ExperimentOptions,
): Promise<void> {
  await insertExperiment(database, id, {
    algorithm_type: algorithm,
    problem_type: problem,
    config_json: JSON.stringify({
      problem: { type: problem },
      algorithm: { type: algorithm, params },
      ...(targetFitness === undefined ? {} : { stopping: { targetFitness } }),
    }),
  });
  for (const [index, bests] of runs.entries()) {
    const runId = `${id}-${index}`;
    await insertRun(database, id, runId, {
      seed: index,
      evaluations: 10 * bests.length,
      iterations: bests.length,
      best_fitness: bests.at(-1) ?? null,
      runtime_millis: 2_000 * bests.length,
      ...columns,
    });
    const rows = bests.map((best, iteration) => ({
      run_id: runId,
      iteration,
      evaluations: 10 * (iteration + 1),
      best_fitness: best,
      created_at: new Date(Date.UTC(2026, 10, 21, 10) + 2_000 * iteration).toISOString(),
    }));
    await insert(database, 'iterations', ...rows);
  }
}

/** Writes a campaign in which each optimizer solves these instances of f1 in these dimensions. */
async function writeCampaign(
  database: TestDatabase,
  id: string,
  optimizers: Record<
    string,
    {
      dimension?: number;
      function_id?: number;
      instances: number[];
      /** Whether all its trials fail, or the instance of the trial that fails. */
      failed?: boolean | number;
      target?: number;
      /** Budgets of the first instances; 100 for the others. */
      budgets?: number[];
    }
  >,
): Promise<void> {
  await insert(database, 'coco_campaigns', { campaign_id: id, suite: id, status: 'COMPLETED' });
  for (const [optimizer_id, optimizer] of Object.entries(optimizers)) {
    const { dimension = 2, function_id, instances, failed, target = 1e-8 } = optimizer;
    const hasFailed = (instance: number) => failed === true || failed === instance;
    const trials = instances.map((instance_id, index) => ({
      campaign_id: id,
      optimizer_id,
      run_id: `${id}-${optimizer_id}-${instance_id}`,
      ...(function_id !== undefined && { function_id }),
      instance_id,
      dimension,
      status: hasFailed(instance_id) ? 'FAILED' : 'COMPLETED',
      evaluations: 100,
      reached_target: hasFailed(instance_id) ? 0 : 1,
      evals_to_target: hasFailed(instance_id) ? null : 10 + instance_id,
      target_value: target,
      budget_evals: optimizer.budgets?.[index] ?? 100,
    }));
    await insert(database, 'coco_trials', ...trials);
  }
}

const flat = (experiment_id: string, param_path: string, value_text: string) => ({
  experiment_id,
  section: 'algorithm',
  param_path,
  value_text,
});

const rising = [1, 2, 3];
const falling = [3, 2, 1];

/** Each note: where it is true with its sentence, and a neighbour where it is not. */
const cases: [code: string, path: string, sentence: string, neighbour: string][] = [
  [
    'DIRECTION_FROM_TRACE',
    'problem/unknown-rising',
    'The analysis assumes maximisation of fitness, because it moves that way in most runs.',
    'problem/unknown-flat',
  ],
  [
    'DIRECTION_ASSUMED',
    'problem/unknown-flat',
    'The direction of fitness is unknown; the analysis assumes minimisation.',
    'problem/unknown-rising',
  ],
  [
    'TARGETS_DIFFER',
    'problem/ackley',
    'The configurations have different targets (0.5, 1), so the analysis uses no target. Set one to compare by it.',
    'problem/sphere',
  ],
  [
    'TARGET_OF_SOME',
    'problem/sphere',
    '1 of 2 experiments has no target; the others’ target is applied, although their runs did not stop at this target.',
    'problem/rastrigin',
  ],
  [
    'INSTANCES_NOT_COMPARED',
    'across?instance={sphere}&instance={unknown-flat}',
    'Omitted (fewer than two groups have results within a common budget): unknown-flat.',
    'across?instance={sphere}&instance={rastrigin}',
  ],
  [
    'PARAMETERS_VARY_TOGETHER',
    'parameters?instance={rastrigin}',
    'algorithm.a, algorithm.b, algorithm.type are confounded (they vary together); their separate associations with the results cannot be estimated.',
    'parameters?instance={rosenbrock}',
  ],
  ...(['random-search', 'repeated-search'] as const).map((neighbour): (typeof cases)[number] => [
    'PARAMETERS_VARY_TOGETHER',
    'parameters?instance={monotone}',
    'algorithm.a, algorithm.d are confounded (they vary together); their separate associations with the results cannot be estimated.',
    `parameters?instance={${neighbour}}`,
  ]),
  ...(['weak', 'identical', 'short', 'random-search'] as const).map(
    (neighbour): (typeof cases)[number] => [
      'PARAMETERS_CORRELATED',
      'parameters?instance={correlated}',
      'Parameters are associated with each other over the experiments (rank correlation ρ of at least 0.5 or at most −0.5): ' +
        'algorithm.a and algorithm.b (ρ = −0.5); algorithm.a and algorithm.c (ρ = 0.5); algorithm.b and algorithm.c (ρ = 0.5). ' +
        'Their separate associations with the results are hard to distinguish.',
      `parameters?instance={${neighbour}}`,
    ],
  ),
  ...(['crossed', 'correlated', 'short-nested'] as const).map(
    (neighbour): (typeof cases)[number] => [
      'PARAMETERS_NESTED',
      'parameters?instance={nested}',
      'The numbers of parameters depend on another parameter over the experiments (correlation ratio η of their ranks of at least 0.5): ' +
        'algorithm.size on algorithm.type (η = 0.8452). A correlation with the results may come from the other parameter.',
      `parameters?instance={${neighbour}}`,
    ],
  ),
  ...(['', '&target=2'] as const).map((target): (typeof cases)[number] => [
    'RUNS_OF_BUDGETS',
    `parameters?instance={generations}`,
    'Runs have different budgets (20 to 30 evaluations). Median best fitness and its correlations with parameters ignore that: ' +
      'a difference may come from the budget.',
    target === '' ? 'parameters?instance={nested}' : `parameters?instance={generations}${target}`,
  ]),
  ...['all-fail', 'nested'].map((neighbour): (typeof cases)[number] => [
    'COMPLETED_SHARES_DIFFER',
    'parameters?instance={some-fail}',
    'Completed runs are 50.0\u2009% to 100.0\u2009% of the runs of an experiment. Median best fitness and its correlations with parameters cover ' +
      'only these: a value with which runs often fail can look good.',
    `parameters?instance={${neighbour}}`,
  ]),
  [
    'RUNS_DEPEND_ON_VALUE',
    'parameters?instance={counts}',
    'Numbers of completed runs depend on the value: algorithm.size (1 to 4 runs). Medians of fewer runs vary more, so these correlations ' +
      'use equally many runs of each value, the first ones.',
    'parameters?instance={mixed-counts}',
  ],
  [
    'RUNS_OF_INSTANCES',
    'runs?run=sphere-a-0&run=rastrigin-a-0',
    'The runs belong to 2 problem instances, whose fitness is not comparable: sphere; rastrigin.',
    'runs?run=sphere-a-0&run=sphere-b-0',
  ],
  [
    'RUNS_OF_DIRECTIONS',
    'runs?run=sphere-a-0&run=onemax-a-0',
    '1 run minimises fitness and 1 maximises it: higher is not better for all of them.',
    'runs?run=sphere-a-0&run=rastrigin-a-0',
  ],
  [
    'RUNS_OF_TARGETS',
    'runs?run=sphere-a-0&run=rastrigin-a-0',
    'The runs have different targets (1, 0.5); each uses its own.',
    'runs?run=sphere-a-0&run=sphere-b-0',
  ],
  [
    'RUNS_GO_ON',
    'runs?run=sphere-a-0&run=open-0',
    '1 run still running: its curve ends at the latest point.',
    'runs?run=sphere-a-0&run=sphere-b-0',
  ],
  [
    'RUNS_WITHOUT_TRACE',
    'runs?run=sphere-a-0&run=bare',
    '1 run without recorded fitness: no curve.',
    'runs?run=sphere-a-0&run=open-0',
  ],
  [
    'RUNS_RESUMED',
    'runs?run=sphere-a-0&run=resumed-0',
    '1 run resumed from a checkpoint: wall time includes the interruption.',
    'runs?run=sphere-a-0&run=sphere-b-0',
  ],
  [
    'PARAMETERS_LEFT_OUT',
    'runs?run=sphere-a-0&run=many-0',
    'The list contains 500 of 501 parameters.',
    'runs?run=sphere-a-0&run=sphere-b-0',
  ],
  [
    'CELLS_DROPPED',
    'campaign/uneven/erts',
    'The results omit 1 of 3 cells (function, dimension, instance), because these optimizers lack them: de.',
    'campaign/even/tests',
  ],
  [
    'CELLS_UNSOLVED',
    'campaign/functions/erts?cells=unsolved',
    '5 missing cells count as unsolved, for de; es.',
    'campaign/uneven/erts?cells=unsolved',
  ],
  ...(
    [
      ['all', 'even/erts?cells=all'],
      ['all', 'uneven/erts?cells=shared'],
      ['unsolved', 'functions/erts?cells=unsolved'],
    ] as const
  ).map(([cells, neighbour]): (typeof cases)[number] => [
    'CELLS_DIFFER',
    `campaign/uneven/erts?cells=${cells}`,
    'The optimizers share 2 of 3 cells (function, dimension, instance). Do not rank them by these results.',
    `campaign/${neighbour}`,
  ]),
  ...['within', 'alone', 'budgets'].map((neighbour): (typeof cases)[number] => [
    'TRIALS_OF_BUDGETS',
    'campaign/beyond/erts',
    'On 1 of 1 functions (each dimension counts), trials went on beyond the budget of another optimizer. ERTs and solved trials are ' +
      'over whole trials, and a larger budget solves more. Only the tests compare within the common budget.',
    `campaign/${neighbour}/erts`,
  ]),
  [
    'NO_SHARED_CELLS',
    'campaign/apart/erts',
    'The optimizers share no instance in dimension 2. Choose fewer optimizers, or show all cells.',
    'campaign/uneven/erts',
  ],
  [
    'TRIALS_FAILED',
    'campaign/failing-some/erts',
    'ERTs and solved trials omit 1 FAILED trial of de.',
    'campaign/even/erts',
  ],
  [
    'CELLS_DIFFER',
    'campaign/failing-some/erts',
    'The optimizers share 1 of 2 cells (function, dimension, instance). Do not rank them by these results.',
    // An optimizer without any result is not ranked.
    'campaign/failing/erts',
  ],
  [
    'TRIALS_FAILED_EXCLUDED',
    'campaign/failing/tests?failed=exclude',
    'The results exclude 2 FAILED trials.',
    'campaign/failing/tests',
  ],
  [
    'TRIALS_FAILED_UNSOLVED',
    'campaign/failing/tests',
    '2 FAILED trials count as unsolved.',
    'campaign/failing/tests?failed=exclude',
  ],
  [
    'OPTIMIZERS_NOT_TESTED',
    'campaign/crowded/tests',
    'There are 13 optimizers. Choose at most 12 to test them against each other.',
    'campaign/even/tests',
  ],
  [
    'TRIALS_OF_TARGETS',
    'campaign/aims/tests',
    'The optimizers have different targets on some instances (0.1; 1e−8). Results to different targets are not comparable, so there ' +
      'are no tests of them. Set one target to compare them.',
    'campaign/aims/tests?target=0.1',
  ],
  [
    'TRIALS_OF_TARGETS',
    'campaign/aims/erts',
    'The optimizers have different targets on some instances (0.1; 1e−8). Results to different targets are not comparable, so there ' +
      'are no tests of them. Set one target to compare them.',
    'campaign/even/erts',
  ],
  [
    'INTERVALS_ASSUME_SUCCESS',
    'campaign/budgets/erts?optimizer=different&optimizer=equal&optimizer=few',
    '1 interval of an ERT assumes that every trial succeeds, because all trials of the cell reached the target and their budgets differ.',
    'campaign/budgets/erts?optimizer=equal&optimizer=few',
  ],
  [
    'INTERVALS_ASSUME_SUCCESS',
    'campaign/budgets/erts?optimizer=unknown&optimizer=equal',
    '1 interval of an ERT assumes that every trial succeeds, because all trials of the cell reached the target and their budget is unknown.',
    'campaign/budgets/erts?optimizer=equal',
  ],
  [
    'BEST_AS_REFERENCE',
    'campaign/even/erts',
    'The database has no reference results of the suite even. Ratios are to the smallest ERT of the compared optimizers.',
    'campaign/referred/erts',
  ],
];

/** The endpoint of a short path; `{problem}` is replaced by the id of its instance. */
function getEndpoint(path: string): string {
  if (path.startsWith('campaign/')) return path.replace('campaign/', '/api/coco/campaigns/');
  return `/api/analysis/${path}`;
}

describeOnEachDatabase('The notes of an analysis', (database) => {
  let service: TestService;

  beforeAll(async () => {
    const on = database();
    await writeExperiment(on, 'unknown-rising', { problem: 'unknown-rising', runs: [rising] });
    await writeExperiment(on, 'unknown-flat', { problem: 'unknown-flat', runs: [[1]] });
    const sphere = { problem: 'sphere', runs: [falling, falling] };
    await writeExperiment(on, 'sphere-a', { ...sphere, targetFitness: 1 });
    await writeExperiment(on, 'sphere-b', sphere);
    const rastrigin = { problem: 'rastrigin', runs: [falling, falling], targetFitness: 0.5 };
    await writeExperiment(on, 'rastrigin-a', { ...rastrigin, params: { a: 1, b: 1 } });
    await writeExperiment(on, 'rastrigin-b', { ...rastrigin, params: { a: 2, b: 2 } });
    const ackley = { problem: 'ackley', runs: [falling] };
    await writeExperiment(on, 'ackley-a', { ...ackley, targetFitness: 1 });
    await writeExperiment(on, 'ackley-b', { ...ackley, targetFitness: 0.5 });
    const writeParameters = async (
      problem: string,
      params: Record<string, number[]>,
      algorithm?: string,
    ) => {
      for (const index of Object.values(params)[0]!.keys()) {
        const paramsOfExperiment = Object.fromEntries(
          Object.entries(params).map(([name, values]) => [name, values[index]]),
        );
        const options = { problem, runs: [falling], params: paramsOfExperiment };
        const id = `${problem}-${index}`;
        await writeExperiment(on, id, { ...options, algorithm: algorithm ?? id });
      }
    };
    const a = [1, 1, 2, 2, 3, 3];
    await writeParameters('correlated', { a, b: [2, 3, 1, 3, 1, 2], c: [1, 2, 1, 3, 2, 3] });
    await writeParameters('weak', { a, b: [1, 1, 1, 2, 1, 3] });
    await writeParameters('identical', { a, b: [2, 2, 3, 3, 1, 1] });
    // Every experiment has its own values, as in a random search. a and b have ρ = 0; d falls where a rises.
    const unique = { a: [1, 2, 3, 4], b: [20, 40, 10, 30] };
    await writeParameters('random-search', unique, 'es');
    await writeParameters('monotone', { ...unique, d: [9, 7, 3, 2] }, 'es');
    const repeated = { a: [...unique.a, ...unique.a], b: [...unique.b, ...unique.b] };
    await writeParameters('repeated-search', repeated, 'es');
    await writeParameters('short', { a: [1, 1, 2], b: [1, 2, 2] });
    const writeSizes = async (problem: string, sizes: Record<string, number[]>) => {
      for (const [algorithm, ownSizes] of Object.entries(sizes))
        for (const size of ownSizes) {
          const options = { problem, algorithm, params: { size }, runs: [falling] };
          await writeExperiment(on, `${problem}-${algorithm}-${size}`, options);
        }
    };
    for (const size of [1, 2, 3, 4]) {
      const runs = Array.from({ length: size }, () => falling);
      for (const problem of ['counts', 'mixed-counts'])
        await writeExperiment(on, `${problem}-${size}`, {
          problem,
          algorithm: 'es',
          params: { size },
          runs,
        });
    }
    const automatic = { algorithm: 'es', params: { size: 'auto' }, runs: [falling] };
    await writeExperiment(on, 'mixed-counts-auto', { problem: 'mixed-counts', ...automatic });
    await writeSizes('nested', { es: [1, 2, 3], de: [4, 5, 6] });
    await writeSizes('crossed', { es: [1, 2, 3], de: [1, 2, 3] });
    await writeSizes('short-nested', { es: [1, 2], de: [3] });
    for (const [problem, failedRuns] of Object.entries({ 'some-fail': [0], 'all-fail': [0, 1] }))
      for (const index of [0, 1]) {
        const id = `${problem}-${index}`;
        await writeExperiment(on, id, { problem, params: { index }, runs: [falling] });
        const status = failedRuns.includes(index) ? 'FAILED' : 'COMPLETED';
        await insertRun(on, id, `${id}-other`, { status, best_fitness: 1 });
      }
    // The budget is a number of generations, so that the used evaluations differ.
    await writeExperiment(on, 'two', { problem: 'generations', runs: [[3, 2]] });
    await writeExperiment(on, 'three', { problem: 'generations', runs: [falling] });
    await writeExperiment(on, 'onemax-a', { problem: 'onemax', runs: [rising] });
    const others = { problem: 'rosenbrock', runs: [falling] };
    await writeExperiment(on, 'open', {
      ...others,
      columns: { status: 'RUNNING', best_fitness: null, runtime_millis: null },
    });
    await writeExperiment(on, 'resumed', { ...others, columns: { resumed_from: 'open-0' } });
    await insertRun(on, 'open', 'bare', { status: 'FAILED' });
    await writeExperiment(on, 'many', others);
    await insert(
      on,
      'experiment_params',
      ...Array.from({ length: 501 }, (_, index) => flat('many', `algorithm.p${index}`, 'x')),
    );
    await writeCampaign(on, 'even', { es: { instances: [1, 2] }, de: { instances: [1, 2] } });
    await writeCampaign(on, 'functions', {
      es: { instances: [1, 2, 3] },
      de: { function_id: 2, instances: [1, 2] },
    });
    await writeCampaign(on, 'uneven', { es: { instances: [1, 2, 3] }, de: { instances: [1, 2] } });
    await writeCampaign(on, 'apart', { es: { instances: [1] }, de: { instances: [2] } });
    await writeCampaign(on, 'failing', {
      es: { instances: [1, 2] },
      de: { instances: [1, 2], failed: true },
    });
    await writeCampaign(on, 'failing-some', {
      es: { instances: [1, 2] },
      de: { instances: [1, 2], failed: 2 },
    });
    await writeCampaign(on, 'aims', {
      es: { instances: [1, 2], target: 0.1 },
      de: { instances: [1, 2] },
    });
    await writeCampaign(on, 'referred', { es: { instances: [1] }, de: { instances: [1] } });
    await insert(on, 'coco_reference_results', { suite: 'referred' });
    const instances = Array.from({ length: 15 }, (_, index) => index + 1);
    await writeCampaign(on, 'budgets', {
      different: { instances, budgets: [200] },
      equal: { instances },
      few: { instances: instances.slice(1), budgets: [200] },
      unknown: { instances, budgets: [0, 200] },
    });
    // Instance 50 is solved after 60 evaluations.
    const short = { instances: [1], budgets: [20] };
    await writeCampaign(on, 'beyond', { de: short, es: { instances: [1, 50] } });
    await writeCampaign(on, 'within', { de: short, es: { instances: [1, 2] } });
    // Instance 150 is solved beyond its own budget.
    await writeCampaign(on, 'alone', { es: { instances: [1, 150], budgets: [20] } });
    const names = Array.from({ length: 13 }, (_, index) => `o${index}`);
    await writeCampaign(
      on,
      'crowded',
      Object.fromEntries(names.map((name) => [name, { instances: [1, 2] }])),
    );
    service = await startService(on, { isInThisThread: true });
  });
  afterAll(() => service.close());

  const getInstance = async (problem: string) => {
    const { instances } = await service.get<ResponseBody<'compareProblem'>>(
      `/api/analysis/problem/${problem}`,
    );
    return encodeURIComponent(instances[0]?.id ?? '');
  };
  const getNotes = async (path: string) => {
    let address = getEndpoint(path);
    for (const [placeholder, problem = ''] of address.matchAll(/\{([\w-]+)\}/g)) {
      address = address.replace(placeholder, await getInstance(problem));
    }
    return (await service.get<{ notes: AnalysisNote[] }>(address)).notes;
  };

  test.each(cases)(
    'include %s where it is true, and only there',
    async (code, path, sentence, neighbour) => {
      const own = (await getNotes(path)).filter((note) => note.code === code);
      expect(own.map(({ message }) => message)).toEqual([sentence]);
      expect((await getNotes(neighbour)).map((note) => note.code)).not.toContain(code);
    },
  );
});
