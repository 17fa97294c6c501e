import { afterAll, beforeAll, expect, test } from 'vitest';
import { hasLatex } from '#build/gate/latex.ts';
import type { ResponseBody } from '#shared/api.ts';
import { getFirstHit, getTrace } from '#server/domain/trace.ts';
import { describeOnEachDatabase } from '#tests/support/databases.ts';
import {
  insertOracleCampaign,
  oracleCells,
  oracleTargets as targets,
} from '#tests/support/coco-campaign.ts';
import { failure, letTrialsFail } from '#tests/support/failed-trials.ts';
import { compileLatex } from '#tests/support/latex.ts';
import { insert } from '#tests/support/rows.ts';
import { loadSample } from '#tests/support/sample.ts';
import { startService, type TestService } from '#tests/support/test-service.ts';

type Erts = ResponseBody<'listErts'>;
type Ecdf = ResponseBody<'getEcdf'>;

describeOnEachDatabase('The analysis of a COCO campaign', (database) => {
  let service: TestService;

  beforeAll(async () => {
    await loadSample(database());
    for (const index of targets.keys()) await insertOracleCampaign(database(), index);
    service = await startService(database(), { isInThisThread: true });
  });
  afterAll(() => service.close());

  const ask = <Of>(path: string) => service.get<Of>(`/api/coco/campaigns/${path}`);

  test('gives the published ERT and ratios of real campaigns, infinite ones included', async () => {
    let infinite = 0;
    for (const [index, target] of targets.entries()) {
      const { rows } = await ask<Erts>(`oracle-${index}/erts`);
      expect(rows).toHaveLength(oracleCells.length);
      for (const cell of oracleCells) {
        const row = rows.find(
          (one) =>
            one.optimizerId === cell.algorithm &&
            one.functionId === cell.function &&
            one.dimension === cell.dimension,
        );
        const [ert = NaN, ratio] = [cell.ert[index], cell.ert_ratio_to_reference[index]];
        const where = `${cell.algorithm} f${cell.function} d${cell.dimension} ${target}`;
        if (ert === Infinity) {
          infinite += 1;
          expect(row?.ert, where).toBeNull();
          expect(row?.ratio, where).toBeNull();
          expect(row?.ertInterval, where).toEqual({ lower: null, upper: null });
          expect(row?.ertMoverInterval, where).toBeNull();
          continue;
        }
        const { lower, upper } = row?.ertMoverInterval ?? {};
        expect(lower, where).toBeLessThanOrEqual(ert);
        expect(upper ?? Infinity, where).toBeGreaterThanOrEqual(ert);
        expect(Math.abs((row?.ert ?? NaN) / ert - 1), where).toBeLessThan(1e-9);
        if (typeof ratio === 'number' && Number.isFinite(ratio)) {
          expect(Math.abs((row?.ratio ?? NaN) / ratio - 1), where).toBeLessThan(1e-9);
        } else expect(row?.ratio, where).toBeNull();
      }
    }
    expect(infinite).toBeGreaterThan(50);
  });

  test('sums ratios up by counts, and by geometric means where every function is solved', async () => {
    const last = targets.length - 1;
    const { rows, summary, references } = await ask<Erts>(`oracle-${last}/erts?cells=all`);
    expect(references).toEqual(['best2009']);
    for (const { optimizerId, dimension, ...counted } of summary) {
      const own = rows.filter(
        (row) => row.optimizerId === optimizerId && row.dimension === dimension,
      );
      const ratios = own.map(({ ratio }) => ratio).filter((ratio) => ratio !== null);
      expect(counted).toMatchObject({
        functions: own.length,
        solvedFunctions: own.filter(({ solvedTrials }) => solvedTrials > 0).length,
        unsolvedFunctions: own.filter(({ solvedTrials }) => solvedTrials === 0).length,
        comparedFunctions: ratios.length,
      });
      const logarithms = ratios.reduce((sum, ratio) => sum + Math.log(ratio), 0);
      const isUnsolved = own.some(({ ert, referenceErt }) => ert === null && referenceErt !== null);
      if (isUnsolved || ratios.length === 0) expect(counted.geometricMeanRatio).toBeNull();
      else expect(counted.geometricMeanRatio).toBeCloseTo(Math.exp(logarithms / ratios.length), 9);
    }
    expect(summary.some(({ geometricMeanRatio }) => geometricMeanRatio === null)).toBe(true);
  });

  test('lists the reference results of the suite in the order in which they were stored', async () => {
    await insert(database(), 'coco_campaigns', { campaign_id: 'ordered', suite: 'ordered' });
    const names = ['b', 'a', 'c'];
    for (const optimizer_name of names)
      await insert(database(), 'coco_reference_results', { suite: 'ordered', optimizer_name });
    const references = await ask<{ optimizerName: string }[]>('ordered/references');
    expect(references.map(({ optimizerName }) => optimizerName)).toEqual(names);
  });

  test('marks a doubtful reference, excludes it and failed trials, and reports it', async () => {
    await insert(database(), 'coco_campaigns', { campaign_id: 'doubt', suite: 'doubtful' });
    const trial = { campaign_id: 'doubt', target_value: 0.01, evaluations: 100 };
    const solved = { ...trial, reached_target: 1, evals_to_target: 60 };
    await insert(
      database(),
      'coco_trials',
      { ...solved, run_id: 'd1' },
      { ...trial, run_id: 'd2', instance_id: 2, status: 'FAILED', evaluations: null },
      { ...solved, run_id: 'd3', function_id: 2 },
    );
    const reference = { suite: 'doubtful', target_value: 0.01 };
    await insert(
      database(),
      'coco_reference_results',
      { ...reference, optimizer_name: 'sort key', ert: 1e7, success_rate: 0 },
      { ...reference, function_id: 2, ert: 30, success_rate: null },
    );
    const { rows, summary, notes } = await ask<Erts>('doubt/erts');
    expect(rows).toMatchObject([
      { functionId: 1, trials: 1, failedTrials: 1, ert: 60, sp1: 60, successRate: 1, ratio: null },
      {
        functionId: 2,
        trials: 1,
        ert: 60,
        referenceErt: 30,
        ratio: 2,
        hasDoubtfulReference: false,
      },
    ]);
    expect(rows[0]).toMatchObject({ referenceErt: null, hasDoubtfulReference: true });
    expect(summary).toMatchObject([
      { doubtfulReferences: 1, comparedFunctions: 1, geometricMeanRatio: expect.closeTo(2, 12) },
    ]);
    expect(notes.map(({ message }) => message)).toEqual([
      'ERTs and solved trials omit 1 FAILED trial of o1.',
      '1 cell whose reference reports a finite ERT with no success; the ratios omit this reference.',
    ]);
    const { notes: without } = await ask<Erts>('doubt/erts?targets=0.5,0.1');
    expect(without[0]?.message).toBe('ERTs and solved trials omit 1 FAILED trial of o1.');
    expect(without.map(({ code }) => code)).toEqual([
      'TRIALS_FAILED',
      'TRIALS_WITHOUT_TRACE',
      'NO_REFERENCE',
    ]);
  });

  test('counts a trial without a finite fitness as unsolved at any target', async () => {
    await insert(database(), 'coco_campaigns', { campaign_id: 'infinite', suite: 'infinite' });
    await insert(database(), 'experiments', { experiment_id: 'inf', config_hash: 'inf' });
    for (const [index, best_fitness] of [0.5, Infinity].entries()) {
      const run_id = `infinite-${index}`;
      await insert(database(), 'runs', { run_id, experiment_id: 'inf', evaluations: 100 });
      await insert(database(), 'iterations', {
        run_id,
        iteration: 0,
        evaluations: 60,
        best_fitness,
        mean_fitness: best_fitness,
      });
      await insert(database(), 'coco_trials', {
        campaign_id: 'infinite',
        run_id,
        instance_id: index + 1,
        evaluations: 100,
      });
    }
    const { rows, notes } = await ask<Erts>('infinite/erts?targets=1');
    expect(rows).toMatchObject([{ trials: 2, solvedTrials: 1, successRate: 0.5, ert: 160 }]);
    expect(notes.map(({ code }) => code)).toEqual(['NO_REFERENCE']);
    const { curves } = await ask<Ecdf>('infinite/ecdf?targets=1');
    expect(curves).toMatchObject([{ trials: 2 }]);
  });

  test('has the optimizers of other campaigns of its suite next to its own, and of no other suite', async () => {
    const suite = 'other';
    for (const campaign_id of ['first', 'second', 'third']) {
      const name = campaign_id === 'first' ? 'First' : 'Later';
      await insert(database(), 'coco_campaigns', { campaign_id, name, suite });
    }
    const solved = { target_value: 0.01, reached_target: 1, evals_to_target: 60 };
    await insert(
      database(),
      'coco_trials',
      { ...solved, campaign_id: 'first', optimizer_id: 'es', run_id: 'b1' },
      { ...solved, campaign_id: 'second', optimizer_id: 'es', run_id: 'b2', evals_to_target: 30 },
      { ...solved, campaign_id: 'second', optimizer_id: 'de', run_id: 'b3' },
      { ...solved, campaign_id: 'third', optimizer_id: 'es', run_id: 'b4' },
    );
    const two = await ask<Erts>('first/erts?campaign=second&campaign=first');
    expect(two).toMatchObject({
      name: 'First, Later',
      optimizers: ['es (First)', 'de', 'es (Later)'],
    });
    expect(two.rows.map(({ optimizerId, ert }) => [optimizerId, ert])).toEqual([
      ['de', 60],
      ['es (First)', 60],
      ['es (Later)', 30],
    ]);
    const three = await ask<Erts>(
      'first/erts?campaign=second&campaign=third&optimizer=es%20(third)',
    );
    expect(three.optimizers).toEqual(['es (First)', 'de', 'es (second)', 'es (third)']);
    expect(three.rows).toHaveLength(1);
    const { optimizers } = await ask<Ecdf>('first/ecdf?campaign=second');
    expect(optimizers).toEqual(two.optimizers);
    // In no dimension do both have trials, which their names and the choices must not depend on.
    await insert(database(), 'coco_campaigns', { campaign_id: 'fourth', name: 'Fourth', suite });
    const elsewhere = { ...solved, dimension: 40, function_id: 7, optimizer_id: 'es' };
    await insert(database(), 'coco_trials', { ...elsewhere, campaign_id: 'fourth', run_id: 'b5' });
    for (const traced of ['erts?', 'erts?targets=0.5&', 'ecdf?']) {
      const whole = await ask<Erts>(`first/${traced}campaign=fourth`);
      const one = await ask<Erts>(`first/${traced}campaign=fourth&dimension=40&functionId=7`);
      const choices = ({ optimizers: names, functions, dimensions }: Erts) => [
        names,
        functions,
        dimensions,
      ];
      expect(choices(one)).toEqual(choices(whole));
      expect(one.optimizers).toEqual(['es (First)', 'es (Fourth)']);
      expect(one.dimensions).toContain(40);
    }
    const { rows } = await ask<Erts>('first/erts?campaign=fourth&dimension=40');
    expect(rows.map(({ optimizerId, dimension }) => [optimizerId, dimension])).toEqual([
      ['es (Fourth)', 40],
    ]);
    for (const part of ['erts', 'erts/latex', 'ecdf']) {
      const problem = await service.getProblem(
        `/api/coco/campaigns/first/${part}?campaign=bbob-small`,
      );
      expect(problem).toMatchObject({ code: 'VALIDATION_FAILED', status: 400 });
      expect(problem.detail).toBe('campaign must belong to the suite other, not to bbob');
    }
  });

  const small = 'bbob-small';
  const traced = 'optimizer=cma-es&functionId=1&dimension=2';

  test('computes ERTs to other targets from the traces of the trials', async () => {
    const { rows } = await ask<Erts>(`${small}/erts?${traced}&targets=1,1e-2`);
    const own = await ask<Erts>(`${small}/erts?${traced}`);
    expect(rows.map(({ targetValue }) => targetValue)).toEqual([1, 0.01]);
    expect(rows[1]).toEqual(own.rows[0]);
    expect(rows[0]?.ert).toBeLessThan(rows[1]?.ert ?? 0);
  });

  test('draws the ECDF that a plain count over the stored iterations gives', async () => {
    const ecdf = await ask<Ecdf>(`${small}/ecdf?${traced}&targets=1..-3:9&budget=50`);
    const runs = await database()
      .kysely.selectFrom('iterations')
      .select(['run_id', 'evaluations', 'best_fitness'])
      .where('run_id', 'like', 'bbob-small-cma-es-f1-d2-%')
      .orderBy('run_id')
      .orderBy('iteration')
      .execute();
    const perRun = [...Map.groupBy(runs, ({ run_id }) => run_id).values()];
    expect(perRun).toHaveLength(6);
    const hits = perRun.flatMap((rows) => {
      const pairs = rows.flatMap((row) => [Number(row.evaluations), row.best_fitness]);
      const trace = getTrace(Float64Array.from(pairs), 'min');
      return ecdf.targets.map((target) => getFirstHit(trace, target));
    });
    const costs = hits.map((hit) => (hit === null ? Infinity : hit / 2));
    expect(ecdf).toMatchObject({ direction: 'min', budget: 50, restarts: false, pairs: 54 });
    expect(ecdf.largestBudget).toBe(64);
    expect(ecdf.targets).toHaveLength(9);
    const [curve] = ecdf.curves;
    expect(curve).toMatchObject({ optimizer: 'cma-es', trials: 6, pairs: 54 });
    for (const { x, y } of curve?.points ?? []) {
      expect(y).toBe(costs.filter((cost) => cost <= x).length / 54);
    }
    expect(curve?.points).toHaveLength(new Set(costs.filter(Number.isFinite)).size);
    const steps = 200_000;
    const plain = Array.from({ length: steps }, (_, index) => 50 ** ((index + 0.5) / steps))
      .map((x) => costs.filter((cost) => cost <= x).length / 54)
      .reduce((sum, share) => sum + share / steps, 0);
    expect(curve?.area).toBeCloseTo(plain, 4);
  });

  test('has 51 targets by default, one curve per optimizer, and names the excluded trials', async () => {
    const ecdf = await ask<Ecdf>(`${small}/ecdf?cells=all`);
    expect(ecdf.targets).toHaveLength(51);
    expect(ecdf.targets[0]).toBe(100);
    expect(ecdf.curves.map(({ optimizer, trials }) => [optimizer, trials])).toEqual([
      ['cma-es', 6],
      ['gaussian', 6],
    ]);
    expect(ecdf.pairs).toBe(12 * 51);
    expect(ecdf.curves[1]?.crossAt).toBe(200 / 3);
    expect(ecdf).toMatchObject({ budget: 60, largestBudget: 200 / 3 });
    expect(ecdf.notes[0]?.message).toBe('The results omit 36 trials without stored iterations.');
    const none = await ask<Ecdf>(`${small}/ecdf?functionId=99`);
    expect(none).toMatchObject({ curves: [], pairs: 0, budget: null, largestBudget: null });
  });

  test('lists optimizers by their names, also those without a trial in the first dimension', async () => {
    const campaign_id = 'order';
    await insert(database(), 'coco_campaigns', {
      campaign_id,
      suite: 'order',
      status: 'COMPLETED',
    });
    await insert(database(), 'experiments', { experiment_id: 'order', config_hash: 'order' });
    for (const [optimizer_id, dimension] of [
      ['b', 2],
      ['b', 5],
      ['a', 5],
    ] as const) {
      const run_id = `order-${optimizer_id}-${dimension}`;
      await insert(database(), 'runs', { run_id, experiment_id: 'order' });
      await insert(database(), 'coco_trials', {
        campaign_id,
        run_id,
        optimizer_id,
        dimension,
        function_id: 1,
        instance_id: 1,
        target_value: 1,
      });
      await insert(database(), 'iterations', {
        run_id,
        iteration: 0,
        evaluations: 10,
        best_fitness: 0.5,
      });
    }
    const { curves, notes } = await ask<Ecdf>('order/ecdf?targets=1&cells=all');
    expect(curves.map(({ optimizer, trials }) => [optimizer, trials])).toEqual([
      ['a', 1],
      ['b', 2],
    ]);
    // All cells of a dimension that an optimizer lacks are not shared.
    expect(notes[0]?.message).toMatch(/^The optimizers share 1 of 2 cells /);
  });

  test('counts plain evaluations in the ECDF of a campaign whose dimension is unknown', async () => {
    const campaign_id = 'undimensioned';
    const run_id = campaign_id;
    await insert(database(), 'coco_campaigns', { campaign_id, suite: campaign_id });
    await insert(database(), 'experiments', {
      experiment_id: campaign_id,
      config_hash: campaign_id,
    });
    await insert(database(), 'runs', { run_id, experiment_id: campaign_id });
    // Imports store dimension 0 if the data do not state it.
    await insert(database(), 'coco_trials', {
      campaign_id,
      run_id,
      dimension: 0,
      budget_evals: 50,
    });
    await insert(
      database(),
      'iterations',
      { run_id, iteration: 0, evaluations: 10, best_fitness: 0.5 },
      { run_id, iteration: 1, evaluations: 40, best_fitness: 0.05 },
    );
    const ecdf = await ask<Ecdf>('undimensioned/ecdf?targets=1,0.1,0.01');
    expect(ecdf).toMatchObject({ budget: 50, panels: [{ dimension: 0, budget: 50 }] });
    expect(ecdf.curves[0]).toMatchObject({
      points: [
        { x: 10, y: 1 / 3 },
        { x: 40, y: 2 / 3 },
      ],
      crossAt: 50,
    });

    const otherRun = 'dimensioned';
    await insert(database(), 'runs', { run_id: otherRun, experiment_id: campaign_id });
    await insert(database(), 'coco_trials', {
      campaign_id,
      run_id: otherRun,
      dimension: 5,
      budget_evals: 1000,
    });
    await insert(database(), 'iterations', {
      run_id: otherRun,
      iteration: 0,
      evaluations: 100,
      best_fitness: 0.5,
    });
    const mixed = await ask<Ecdf>('undimensioned/ecdf?targets=1');
    expect(mixed.panels.map(({ dimension, budget }) => [dimension, budget])).toEqual([
      [0, 50],
      [5, 200],
    ]);
    expect(mixed).toMatchObject({
      budget: 200,
      curves: [{ trials: 1, points: [{ x: 20, y: 1 }] }],
    });
  });

  test('compares optimizers on the cells that all of them have, one ECDF per dimension', async () => {
    await insert(database(), 'coco_campaigns', {
      campaign_id: 'cells',
      suite: 'cells',
      status: 'COMPLETED',
    });
    const runs: string[] = [];
    const trial = (
      optimizer_id: string,
      dimension: number,
      function_id: number,
      instance_id: number,
      fields: Record<string, unknown> = {},
    ) => {
      const run_id = `cells-${runs.length}`;
      runs.push(run_id);
      const solved = { reached_target: 1, evals_to_target: 20, evaluations: 40, budget_evals: 400 };
      const place = { optimizer_id, dimension, function_id, instance_id };
      return { campaign_id: 'cells', run_id, ...place, ...solved, target_value: 1, ...fields };
    };
    const instances = [1, 2, 3, 4, 5];
    await insert(
      database(),
      'coco_trials',
      ...instances.flatMap((instance) => [
        trial('es', 2, 1, instance),
        trial('es', 2, 8, instance),
        trial('es', 5, 1, instance),
        trial('de', 2, 1, instance, { budget_evals: 100, evals_to_target: 30 }),
        trial('de', 5, 1, instance, { budget_evals: 100, evals_to_target: 30 }),
      ]),
      trial('es', 2, 1, 1, { repetition: 2 }),
      trial('bfgs', 2, 1, 1),
      trial('de', 5, 8, 1, { status: 'FAILED', reached_target: 0, evals_to_target: null }),
      trial('es', 5, 8, 1),
    );
    await insert(database(), 'experiments', { experiment_id: 'cells' });
    const ofExperiment = runs.map((run_id) => ({ run_id, experiment_id: 'cells' }));
    await insert(database(), 'runs', ...ofExperiment);
    await insert(
      database(),
      'iterations',
      ...runs.flatMap((run_id, index) => [
        { run_id, iteration: 0, evaluations: 10, best_fitness: 5 },
        { run_id, iteration: 1, evaluations: 20 + index, best_fitness: 0.5 },
      ]),
    );
    const url = 'cells/ecdf?targets=1';
    const ecdf = await ask<Ecdf>(url);
    expect(ecdf.panels).toMatchObject([
      { dimension: 2, budget: 50, budgetSetBy: 'de', absent: [] },
      { dimension: 5, budget: 20, budgetSetBy: 'de', absent: ['bfgs'] },
    ]);
    const getCells = ({ panels }: Ecdf) =>
      panels.map(({ curves }) => curves.map(({ optimizer, cells }) => [optimizer, cells]));
    expect(getCells(ecdf)).toEqual([
      [
        ['bfgs', 1],
        ['de', 1],
        ['es', 1],
      ],
      [
        ['de', 6],
        ['es', 6],
      ],
    ]);
    expect(ecdf.dropped).toEqual([
      { dimension: 2, functionId: 1, instances: 4, missingFor: ['bfgs'] },
      { dimension: 2, functionId: 8, instances: 5, missingFor: ['bfgs', 'de'] },
    ]);
    expect(ecdf.notes.map(({ message }) => message)).toEqual([
      '1 FAILED trial counts as unsolved.',
      'The results omit 9 of 16 cells (function, dimension, instance), because these optimizers lack them: bfgs; de.',
      'Evaluations to target are counted to the end of the generation that reached it.',
    ]);
    // Pooled curves are over the dimensions that all have: three optimizers share the first only.
    expect(ecdf.curves.map(({ cells }) => cells)).toEqual([1, 1, 1]);
    const [, failed] = ecdf.panels[1]?.curves ?? [];
    expect(failed?.points.at(-1)?.y).toBe(1);
    expect(ecdf.panels[1]?.curves[0]?.points.at(-1)?.y).toBeCloseTo(5 / 6, 12);
    const excluded = await ask<Ecdf>(`${url}&failed=exclude`);
    expect(excluded.panels[1]?.curves.map(({ cells }) => cells)).toEqual([5, 5]);
    expect(excluded.notes[0]?.message).toBe('The results exclude 1 FAILED trial.');
    expect(getCells(await ask<Ecdf>(`${url}&cells=all`))[0]).toEqual([
      ['bfgs', 1],
      ['de', 5],
      ['es', 10],
    ]);
    const whole = await ask<Ecdf>(`${url}&cells=all`);
    expect(whole.notes[1]?.message).toBe(
      'The optimizers share 1 of 16 cells (function, dimension, instance). Do not rank them by these results.',
    );
    const unsolved = await ask<Ecdf>(`${url}&cells=unsolved`);
    expect(
      unsolved.panels[0]?.curves.map(({ cells, points }) => [cells, points.at(-1)?.y]),
    ).toEqual([
      [10, 0.1],
      [10, 0.5],
      [10, 1],
    ]);
    expect(unsolved.notes[1]?.message).toBe('20 missing cells count as unsolved, for bfgs; de.');
    const { rows, summary, notes } = await ask<Erts>('cells/erts?cells=unsolved');
    // The four missing instances of a function of bfgs do not count: ERTs need only the others.
    expect(notes.map(({ message }) => message)).toContain(
      '16 missing cells count as unsolved, for bfgs; de.',
    );
    expect(rows.filter(({ optimizerId }) => optimizerId === 'bfgs')).toHaveLength(1);
    const unsolvedFunctions = { functions: 2, geometricMeanRatio: null };
    expect(summary.filter(({ optimizerId }) => optimizerId === 'bfgs')).toMatchObject([
      { dimension: 2, solvedFunctions: 1, unsolvedFunctions: 1, ...unsolvedFunctions },
      { dimension: 5, solvedFunctions: 0, unsolvedFunctions: 2, ...unsolvedFunctions },
    ]);
    expect((await ask<Ecdf>(`${url}&budget=7`)).panels).toMatchObject([
      { budget: 7, budgetSetBy: null },
      { budget: 7, budgetSetBy: null },
    ]);
    const equalBudgets = await ask<Ecdf>(`${url}&optimizer=es&optimizer=bfgs`);
    expect(equalBudgets.panels[0]).toMatchObject({ budget: 200, budgetSetBy: null });
  });

  type Tests = ResponseBody<'compareOptimizers'>;

  test('tests pairs of optimizers on shared instances within their common budget', async () => {
    const { interim, functions, dimensions, notes } = await ask<Tests>('cells/tests');
    expect(interim).toBe(false);
    const pair = (rows: Tests['functions'], dimension: number, functionId: number) =>
      rows
        .find((row) => row.dimension === dimension && row.functionId === functionId)
        ?.pairs.find(({ a, b }) => a === 'de' && b === 'es');
    // All five of one are faster than all five of the other: 2 of 252 labellings.
    expect(pair(functions, 2, 1)).toMatchObject({
      instances: 5,
      budget: 100,
      pValue: expect.closeTo(2 / 252, 12),
      better: 'es',
    });
    expect(pair(functions, 5, 8)).toMatchObject({ instances: 1, pValue: 1, better: 'es' });
    expect(dimensions.map(({ pairs }) => pairs.length)).toEqual([3, 1]);
    expect(dimensions[1]?.pairs[0]).toMatchObject({ functions: 2, instances: 6, better: 'es' });
    expect(notes.map(({ code }) => code)).toEqual(['TRIALS_FAILED_UNSOLVED']);
    const tested = functions.flatMap(({ pairs }) => pairs.filter(({ pValue }) => pValue !== null));
    // Twice, because the claims of both tables together are false in at most 5 %.
    expect(pair(functions, 2, 1)?.adjustedPValue).toBeCloseTo((2 * tested.length * 2) / 252, 12);
    const other = await ask<Tests>('cells/tests?target=5&failed=exclude');
    expect(pair(other.functions, 2, 1)).toMatchObject({ pValue: 1, better: 'none' });
    expect(pair(other.functions, 5, 8)).toBeUndefined();
  });

  test('compares trials that ended before their granted budget only up to their end, and notes them', async () => {
    const campaign_id = 'early';
    await insert(database(), 'coco_campaigns', {
      campaign_id,
      suite: 'early',
      status: 'COMPLETED',
    });
    await insert(database(), 'experiments', { experiment_id: 'early', config_hash: 'early' });
    const getRunId = (optimizer: string, instance: number) => `early-${optimizer}-${instance}`;
    const cells = ['a', 'b'].flatMap((optimizer) =>
      Array.from({ length: 10 }, (_, instance) => ({ optimizer, instance })),
    );
    await insert(
      database(),
      'runs',
      ...cells.map(({ optimizer, instance }) => ({
        run_id: getRunId(optimizer, instance),
        experiment_id: 'early',
      })),
    );
    // Both stop at their target of 1; the larger generations of b go beyond it.
    const getEnd = (optimizer: string, instance: number) =>
      instance + (optimizer === 'a' ? 100 : 200);
    await insert(
      database(),
      'iterations',
      ...cells.map(({ optimizer, instance }) => ({
        run_id: getRunId(optimizer, instance),
        iteration: 0,
        evaluations: getEnd(optimizer, instance),
        best_fitness: optimizer === 'a' ? 0.9 : 0.01,
      })),
    );
    await insert(
      database(),
      'coco_trials',
      ...cells.map(({ optimizer, instance }) => ({
        campaign_id,
        run_id: getRunId(optimizer, instance),
        optimizer_id: optimizer,
        instance_id: instance + 1,
        budget_evals: 1_000,
        evaluations: getEnd(optimizer, instance),
        reached_target: 1,
        evals_to_target: getEnd(optimizer, instance),
        target_value: 1,
      })),
    );
    const getPair = async (query: string) =>
      (await ask<Tests>(`early/tests?${query}`)).functions[0]?.pairs[0];
    expect(await getPair('')).toMatchObject({ budget: 1_000, better: 'a', significant: true });
    expect(await getPair('target=0.1')).toMatchObject({ budget: 100, pValue: 1, better: 'none' });
    const getCodes = async (path: string) =>
      (await ask<Pick<Ecdf, 'notes'>>(`early/${path}`)).notes.filter(
        ({ code }) => code === 'TRIALS_STOPPED_AT_TARGET',
      );
    const message =
      '10 trials stopped at their own target before their budget ended. They count as unsolved at harder targets, at which their ' +
      'results are unknown: do not compare optimizers by ERT or ECDF there.';
    // Optimizer b went beyond its target of 1, to 0.01.
    for (const path of ['erts?targets=0.1', 'erts?targets=1,0.1', 'ecdf?targets=10,0.1'])
      expect(await getCodes(path), path).toMatchObject([{ message }]);
    for (const path of [
      'erts',
      'erts?targets=1',
      'ecdf?targets=10,1',
      'ecdf?targets=0.1&optimizer=b',
    ])
      expect(await getCodes(path), path).toEqual([]);
  });

  test('tests optimizers only on instances that both have with the same target', async () => {
    await insert(database(), 'coco_campaigns', {
      campaign_id: 'aims',
      suite: 'aims',
      status: 'COMPLETED',
    });
    // Equal optimizers, but one of them has an easier target on the first instances.
    const getTrials = (optimizer_id: string, easyInstances: number) =>
      Array.from({ length: 20 }, (_, instance_id) => {
        const isEasy = instance_id < easyInstances;
        return {
          campaign_id: 'aims',
          optimizer_id,
          run_id: `aims-${optimizer_id}-${instance_id}`,
          instance_id,
          budget_evals: 1_000,
          evaluations: 500,
          reached_target: 1,
          evals_to_target: (isEasy ? 20 : 400) + instance_id,
          target_value: isEasy ? 1 : 1e-8,
        };
      });
    await insert(database(), 'coco_trials', ...getTrials('easy', 15), ...getTrials('hard', 0));
    const { functions, dimensions, notes } = await ask<Tests>('aims/tests');
    for (const row of [...functions, ...dimensions])
      expect(row.pairs).toMatchObject([{ instances: 5, pValue: 1, better: 'none' }]);
    expect(notes.map(({ code }) => code)).toEqual(['TRIALS_OF_TARGETS']);
  });

  test('claims no difference while the campaign runs', async () => {
    await insert(database(), 'coco_campaigns', { campaign_id: 'open', suite: 'open' });
    const trials = ['es', 'de'].flatMap((optimizer_id, fast) =>
      Array.from({ length: 15 }, (_, index) => ({
        campaign_id: 'open',
        optimizer_id,
        run_id: `open-${optimizer_id}-${index}`,
        instance_id: index,
        budget_evals: 1000,
        evaluations: 500,
        reached_target: 1,
        evals_to_target: 20 + index + 200 * fast,
      })),
    );
    await insert(database(), 'coco_trials', ...trials);
    const claims = async () => {
      const { interim, functions, dimensions, notes } = await ask<Tests>('open/tests');
      const pairs = [...functions, ...dimensions].flatMap((row) => row.pairs);
      return {
        interim,
        codes: notes.map(({ code }) => code),
        claimed: pairs.map((one) => one.significant),
      };
    };
    expect(await claims()).toEqual({
      interim: true,
      codes: ['CAMPAIGN_RUNNING'],
      claimed: [false, false],
    });
    await database()
      .kysely.updateTable('coco_campaigns')
      .set({ status: 'COMPLETED' })
      .where('campaign_id', '=', 'open')
      .execute();
    expect(await claims()).toEqual({ interim: false, codes: [], claimed: [true, true] });
    // A granted budget below all hits makes them equal.
    await database()
      .kysely.updateTable('coco_trials')
      .set({ budget_evals: 10 })
      .where('campaign_id', '=', 'open')
      .where('optimizer_id', '=', 'de')
      .execute();
    expect((await claims()).claimed).toEqual([false, false]);
  });

  test('continues with the same random restarts each time, only if requested', async () => {
    const url = `${small}/ecdf?${traced}&targets=1..-4:6`;
    const [plain] = (await ask<Ecdf>(url)).curves;
    const restarted = await ask<Ecdf>(`${url}&restarts=true`);
    expect(restarted.notes.map(({ code }) => code)).toContain('SIMULATED_RESTARTS');
    expect(restarted.curves[0]?.solvedPairs).toBeGreaterThan(plain?.solvedPairs ?? 0);
    expect(restarted.curves[0]?.crossAt).toBe(plain?.crossAt);
    expect(await ask<Ecdf>(`${url}&restarts=TRUE`)).toEqual(restarted);
  });

  test('adds the budget of a FAILED trial without evaluations to simulated restarts', async () => {
    await insert(database(), 'coco_campaigns', { campaign_id: 'crash', suite: 'crash' });
    await insert(database(), 'experiments', { experiment_id: 'crash', config_hash: 'crash' });
    const trial = { campaign_id: 'crash', budget_evals: 1_000, dimension: 2 };
    await insert(database(), 'runs', { run_id: 'crash-1', experiment_id: 'crash' });
    await insert(database(), 'iterations', {
      run_id: 'crash-1',
      iteration: 0,
      evaluations: 20,
      best_fitness: 0.5,
    });
    const failed = { ...trial, optimizer_id: 'es', status: 'FAILED', evaluations: null };
    await insert(
      database(),
      'coco_trials',
      { ...trial, optimizer_id: 'es', run_id: 'crash-1', evaluations: 20 },
      { ...failed, run_id: 'crash-2', instance_id: 2 },
      { ...failed, run_id: 'crash-3', instance_id: 3, evaluations: 300 },
      { ...failed, run_id: 'crash-4', instance_id: 4, budget_evals: 0 },
    );
    const url = 'crash/ecdf?targets=1&restarts=true';
    const { curves, notes } = await ask<Ecdf>(url);
    // Costs per dimension: 10 of the solved trial, then whole failed ones of 150 or 500 before it.
    const xs = curves[0]?.points.map(({ x }) => x) ?? [];
    expect(xs).toHaveLength(3);
    expect(xs[0]).toBe(10);
    expect(xs[1]).toBeGreaterThanOrEqual(160);
    expect(curves[0]).toMatchObject({ trials: 4, pairs: 4, solvedPairs: 3 });
    const getMessage = (all: Ecdf['notes']) =>
      all.find(({ code }) => code === 'SIMULATED_RESTARTS')?.message;
    const sentence = 'A FAILED trial without stored evaluations costs its budget.';
    expect(getMessage(notes)).toContain(sentence);
    const excluded = await ask<Ecdf>(`${url}&failed=exclude`);
    expect(getMessage(excluded.notes)).not.toContain(sentence);
  });

  test('refuses targets and budgets that are none, with what they must be', async () => {
    for (const wrong of ['x', '1,,2', '1..2', '2..-8:501', '1e999', '2..-8:0']) {
      const url = `/api/coco/campaigns/${small}/ecdf?targets=${encodeURIComponent(wrong)}`;
      expect((await service.getProblem(url)).detail, wrong).toBe(
        'targets must be numbers (10,1,1e-8) or powers of ten as from..to:count (2..-8:51), at most 500',
      );
    }
    const { detail } = await service.getProblem(`/api/coco/campaigns/${small}/ecdf?budget=0`);
    expect(detail).toBe('budget must be above 0');
    for (const part of ['erts', 'erts/latex', 'ecdf']) {
      expect(await service.getProblem(`/api/coco/campaigns/nobody/${part}`)).toMatchObject({
        code: 'CAMPAIGN_NOT_FOUND',
      });
    }
  });

  test('leaves as LaTeX, bold only where an optimizer is significantly faster than every other', async () => {
    const response = await fetch(`${service.url}/api/coco/campaigns/oracle-7/erts/latex`);
    expect(response.headers.get('content-disposition')).toBe(
      'attachment; filename="campaign-oracle-7.tex"',
    );
    const text = await response.text();
    expect(text).toContain('\\begin{tabular}');
    expect(text).toContain('expected runtime (ERT) in evaluations');
    expect(text).toContain('$1$ & $27.27$ & 15/15 & $2\\,315$ & 5/5');
    expect(text).toContain(
      'Bold: significantly faster than every other optimizer in a test with it',
    );
    expect(text).toContain(
      'rank-sum tests of the evaluations to the target, stratified by function',
    );
    expect(text).not.toMatch(/boldmath\$\\infty/);
    if (hasLatex()) expect(compileLatex(text).isSuccessful).toBe(true);
  });

  test('excludes failed trials, as the runner writes them, from ERT, and links to their runs', async () => {
    await letTrialsFail(database());
    const campaign = await ask<ResponseBody<'getCampaign'>>(small);
    expect(campaign).toMatchObject({
      status: 'COMPLETED_WITH_ERRORS',
      notes: 'trials=48, success=18, failed=3',
      trials: 48,
      expectedTrials: 48,
      reachedTargets: 18,
    });
    const grid = await ask<ResponseBody<'getCompleteness'>>(`${small}/completeness`);
    expect(grid.planSource).toBe('campaign');
    expect(grid.cells.map(({ present, failed }) => present - failed)).toEqual([
      3, 6, 6, 6, 6, 6, 6, 6,
    ]);
    const { rows, notes } = await ask<Erts>(`${small}/erts`);
    expect(rows.filter(({ trials }) => trials === 3)).toMatchObject([{ failedTrials: 3 }]);
    expect(notes[0]?.message).toBe('ERTs and solved trials omit 3 FAILED trials of gaussian.');
    const { items } = await ask<ResponseBody<'listTrials'>>(`${small}/trials?size=200`);
    const failed = items.filter(({ status }) => status === 'FAILED');
    const nothing = { evaluations: null, bestFitness: null, evaluationsToTarget: null };
    expect(failed).toMatchObject(failed.map(() => ({ ...nothing, reachedTarget: false })));
    const runs = failed.map(({ runId }) => fetch(`${service.url}/api/runs/${runId}`));
    expect((await Promise.all(runs)).map(({ status }) => status)).toEqual([404, 200, 200]);
    const run = await service.get<ResponseBody<'getRun'>>(
      `/api/runs/${small}-gaussian-f1-d2-i1-r1`,
    );
    expect(run).toMatchObject({ status: 'FAILED', errorMessage: failure, bestFitness: null });
    const aggregates = await ask<ResponseBody<'listAggregates'>>(`${small}/aggregates`);
    expect(aggregates.map(({ successRate }) => successRate)).toEqual([7 / 12, 0.25, 0.25, 5 / 12]);
  });
});
