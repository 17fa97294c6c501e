import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { strFromU8, unzipSync } from 'fflate';
import { parquetReadObjects } from 'hyparquet';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { writeArchivePart } from '#server/export/archive.ts';
import { sliceTraces } from '#server/export/tables.ts';
import { deleteRows } from '#server/repositories/deletion.ts';
import {
  exportQuery,
  type ExportDescription,
  type ExportedPoint,
  type ExportedRun,
} from '#shared/schemas/export.ts';
import {
  describeOnEachDatabase,
  describeOnEachEngine,
  openTestDatabase,
  type TestDatabase,
  type TestEngine,
} from '#tests/support/databases.ts';
import { findArchive } from '#tests/support/import-data.ts';
import { importThrough } from '#tests/support/imports.ts';
import { isLong, whySkipped } from '#tests/support/long.ts';
import { insert } from '#tests/support/rows.ts';
import { sendRawRequest, startService, type TestService } from '#tests/support/test-service.ts';

async function download(service: TestService, path: string) {
  const response = await sendRawRequest(service, path, {});
  if (response.status !== 200) throw new Error(response.body.toString());
  return response;
}

/** The files of an archive as texts, by name. */
async function unzip(service: TestService, path: string): Promise<Record<string, string>> {
  const { body } = await download(service, path);
  const files = Object.entries(unzipSync(new Uint8Array(body)));
  return Object.fromEntries(files.map(([name, bytes]) => [name, strFromU8(bytes)]));
}

/** A service over an empty database. */
async function startEmpty(engine: TestEngine) {
  const location = await engine.makeLocation();
  const database: TestDatabase = await openTestDatabase(location.url);
  const service = await startService(database);
  const close = async () => {
    await service.close();
    await database.close();
    await location.remove();
  };
  return { service, database, close };
}

/** All facts about the runs of a campaign and their traces, except the id of the data set. */
async function readRuns(service: TestService, campaignId: string) {
  const address = `/api/export/campaign/${campaignId}`;
  const runs = await service.get<ExportedRun[]>(`${address}/runs`);
  const points = await service.get<ExportedPoint[]>(`${address}/traces`);
  const rows = Map.groupBy(points, ({ runId }) => runId);
  return runs.map(({ experimentId: _experiment, runId, ...run }) => ({
    ...run,
    rows: (rows.get(runId) ?? []).map(({ evaluations, best }) => [evaluations, best]),
  }));
}

describeOnEachEngine('An export imported again', (engine) => {
  let from: Awaited<ReturnType<typeof startEmpty>>;
  let to: Awaited<ReturnType<typeof startEmpty>>;
  const folder = mkdtempSync(join(tmpdir(), 'evoscope-export-'));

  beforeAll(async () => {
    [from, to] = [await startEmpty(engine), await startEmpty(engine)];
  });

  afterAll(async () => {
    await from.close();
    await to.close();
    rmSync(folder, { recursive: true, force: true });
  });

  async function listCampaigns({ service }: typeof from, name: string) {
    const { items } = await service.get<{
      items: { campaignId: string; name: string; suite: string; status: string }[];
    }>('/api/coco/campaigns?size=200');
    return items.filter((one) => one.name === name);
  }

  const expectEqualRuns = async (dataSet = '', format = '') => {
    const file = findArchive(dataSet) ?? '';
    await importThrough(from.service, { file }, `name=${dataSet}`);
    const campaigns = await listCampaigns(from, dataSet);
    expect(campaigns).not.toEqual([]);
    for (const { campaignId, suite, status } of campaigns) {
      const address = `/api/export/campaign/${campaignId}/${format}.zip`;
      const { body } = await download(from.service, address);
      const zip = join(folder, `${campaignId}.zip`);
      writeFileSync(zip, body);
      const name = `${campaignId}-${format}`;
      await importThrough(to.service, { file: zip, type: 'application/zip' }, `name=${name}`);
      const [again] = await listCampaigns(to, name);
      expect(again).toMatchObject({ suite, status });
      const original = await readRuns(from.service, campaignId);
      expect(original.length).toBeGreaterThan(1);
      expect(await readRuns(to.service, again?.campaignId ?? '')).toEqual(original);
    }
  };
  const small = [
    ['coco-bfgs-2019-mini', 'coco'],
    // Runs with their first value after evaluation 1.
    ['coco-gen-cons', 'ioh'],
  ];
  const large = [
    ['ioh-gen-0.3.22', 'ioh'],
    ['coco-gen-v2.2.1', 'coco'],
    ['coco-gen-bbob', 'coco'],
    ['coco-gen-bbob', 'ioh'],
  ];
  test.each(isLong ? [...small, ...large] : small)(
    'equals the original runs of %s as %s',
    { timeout: 120_000 },
    expectEqualRuns,
  );
  // The format of its files does not depend on the database.
  const why = engine.name === 'postgres' ? whySkipped : '';
  test.skipIf(why)(
    `equals the original runs of ioh-inspector-so as ioh${why}`,
    { timeout: 120_000 },
    () => expectEqualRuns('ioh-inspector-so', 'ioh'),
  );
});

describeOnEachEngine('A table of traces imported', (engine) => {
  let from: Awaited<ReturnType<typeof startEmpty>>;
  const folder = mkdtempSync(join(tmpdir(), 'evoscope-traces-'));

  beforeAll(async () => {
    from = await startEmpty(engine);
  });

  afterAll(async () => {
    await from.close();
    rmSync(folder, { recursive: true, force: true });
  });

  test('has the functions, instances and rows of exported runs, also of runs with equal seeds', async () => {
    const file = findArchive('coco-bfgs-2019-mini') ?? '';
    await importThrough(from.service, { file }, 'name=original');
    const findCampaign = async (name: string) => {
      const address = '/api/coco/campaigns?size=200';
      const { items } = await from.service.get<{ items: { campaignId: string; name: string }[] }>(
        address,
      );
      return items.find((campaign) => campaign.name === name)?.campaignId ?? '';
    };
    const original = await findCampaign('original');
    const { body } = await download(
      from.service,
      `/api/export/campaign/${original}/traces?format=csv`,
    );
    const table = join(folder, 'traces.csv');
    // Equal seeds, as programs write them that do not store a seed.
    const [headings = '', ...lines] = body.toString().split('\r\n');
    const seedColumn = headings.split(',').indexOf('seed');
    const rows = lines.map((line) =>
      line === '' ? line : line.split(',').with(seedColumn, '7').join(','),
    );
    writeFileSync(table, [headings, ...rows].join('\r\n'));
    await importThrough(from.service, { file: table, type: 'text/csv' }, 'name=again');
    const describeRuns = async (campaignId: string) =>
      (await readRuns(from.service, campaignId))
        .filter((run) => run.rows.length > 0)
        .map((run) => [
          run.algorithm,
          run.suite,
          run.functionId,
          run.dimension,
          run.instance,
          run.rows,
        ]);
    const originalRuns = await describeRuns(original);
    expect(originalRuns.length).toBeGreaterThan(10);
    expect(await describeRuns(await findCampaign('again'))).toEqual(originalRuns);
  });

  test('has the type of an exported problem without a number as its name', async () => {
    const table = join(folder, 'onemax.csv');
    const headings =
      'runId,experimentId,algorithm,problemType,suite,functionId,dimension,instance,seed,direction,evaluations,best';
    const rows = ['a', 'b'].flatMap((id) => [
      `${id},e1,cga,onemax,,,40,0,1,max,1,12`,
      `${id},e1,cga,onemax,,,40,0,1,max,9,20`,
    ]);
    writeFileSync(table, [headings, ...rows].join('\n'));
    await importThrough(from.service, { file: table, type: 'text/csv' }, 'name=plain');
    const { items } = await from.service.get<{
      items: { problemType: string; experimentId: string }[];
    }>('/api/experiments?param=import.dataset%20%3D%20plain&trials=include');
    expect(items).toMatchObject([{ problemType: 'onemax' }]);
    const address = `/api/export/experiment/${items[0]?.experimentId}/runs`;
    const runs = await from.service.get<ExportedRun[]>(address);
    expect(runs).toMatchObject([
      { direction: 'max', evaluations: 9, bestFitness: 20 },
      { direction: 'max', evaluations: 9, bestFitness: 20 },
    ]);
  });

  test('has the values of the rows of IOHinspector, not the final value of their run', async () => {
    const table = join(folder, 'inspector.csv');
    const headings =
      'algorithm_name,function_id,dimension,instance,run_id,evals,best_y,evaluations,raw_y';
    const rows = ['f1', 'f2'].flatMap((name) =>
      ['1,9', '30,0.5', '400,0.5'].map((point) => `A,${name},2,1,1,400,0.5,${point}`),
    );
    writeFileSync(table, [headings, ...rows].join('\n'));
    await importThrough(from.service, { file: table, type: 'text/csv' }, 'name=inspector');
    const { items } = await from.service.get<{ items: { problemType: string }[] }>(
      '/api/experiments?param=import.dataset%20%3D%20inspector&trials=include&sortBy=problem_type&sortDir=asc',
    );
    expect(items.map(({ problemType }) => problemType)).toEqual(['f1', 'f2']);
    const points = await from.service.get<ExportedPoint[]>('/api/export/problem/f2/traces');
    expect(points.map(({ evaluations, best }) => [evaluations, best])).toEqual([
      [1, 9],
      [30, 0.5],
      [400, 0.5],
    ]);
  });
});

/** Names that are no file names, or would end a quotation or a line. */
const hostileNames = ['../../etc/passwd', 'CON', "O'Neil', funcId = 9", 'a\nb/c\\d', '..', 'con'];

describeOnEachDatabase('An export', (database, engine) => {
  let service: TestService;

  beforeAll(async () => {
    await insertCampaign();
    await insertOthers();
    service = await startService(database());
  });

  afterAll(() => service.close());

  const insertExperiment = (experiment_id: string, rest: Record<string, unknown>) =>
    insert(database(), 'experiments', { experiment_id, config_hash: experiment_id, ...rest });

  /** Adds a run with these points. */
  async function insertRun(
    run: Record<string, unknown> & { run_id: string },
    points: readonly (readonly [evaluations: number, fitness: number])[],
  ): Promise<void> {
    await insert(database(), 'runs', run);
    // The last number looks like many iterations, so that responses have several parts.
    const rows = points.map(([evaluations, best_fitness], index) => ({
      run_id: run.run_id,
      iteration: index < 2 ? index : 60_000,
      evaluations,
      best_fitness,
    }));
    if (rows.length > 0) await insert(database(), 'iterations', ...rows);
  }

  async function insertCampaign(): Promise<void> {
    await insert(database(), 'coco_campaigns', { campaign_id: 'c1', name: 'Four runs' });
    const config = {
      algorithm: { params: { lambda: 10, token: 'secret', code: 'f()' }, type: 'cma-es' },
      problem: { params: { dimension: 2, functionId: 1, suite: 'bbob' }, type: 'coco-bbob' },
      representation: { params: { length: 2 }, type: 'real-vector' },
    };
    const config_json = JSON.stringify(config);
    await insert(database(), 'experiments', { problem_type: 'coco-bbob', config_json });
    const trial = (run_id: string, instance_id: number, rest: object = {}) =>
      insert(database(), 'coco_trials', { run_id, instance_id, repetition: 1, ...rest });
    await insertRun(
      { run_id: 'solved', evaluations: 30, best_fitness: 1e-9, seed: '9007199254740993' },
      [
        [1, 100.5],
        [20, 1e-9],
        [30, 1e-9],
      ],
    );
    // The final value is better than the last iteration; the first iteration has several evaluations.
    await insertRun({ run_id: 'late', evaluations: 50, best_fitness: -0.5 }, [
      [10, 3],
      [20, 5],
      [40, 2.25],
    ]);
    await insertRun({ run_id: 'running', status: 'RUNNING' }, [[1, 7]]);
    await insertRun({ run_id: 'traceless', evaluations: 12, best_fitness: 4 }, []);
    await insertRun({ run_id: 'empty', status: 'FAILED' }, []);
    await insertRun({ run_id: 'failed', status: 'FAILED' }, [[1, 5]]);
    await trial('solved', 1);
    await trial('late', 2);
    await trial('running', 3);
    await trial('traceless', 4);
    await trial('empty', 5);
    await trial('failed', 6, { status: 'FAILED' });
  }

  async function insertOthers(): Promise<void> {
    const problem = { type: 'onemax', params: { direction: 'max' } };
    for (const [index, name] of hostileNames.entries()) {
      await insertExperiment(`hostile-${index}`, {
        algorithm_type: name,
        problem_type: 'onemax',
        config_json: JSON.stringify({ problem, representation: { params: { length: 40 } } }),
      });
      const run = { run_id: `h${index}`, experiment_id: `hostile-${index}`, evaluations: 10 };
      await insertRun(run, [
        [0, 12],
        [1, 13],
        [10, 20],
      ]);
    }
    await insertExperiment('no-dimension', { problem_type: 'knapsack' });
    await insertRun({ run_id: 'k1', experiment_id: 'no-dimension' }, [[1, 5]]);
    await insertExperiment('several', {
      problem_type: 'zdt',
      config_json: JSON.stringify({ representation: { params: { length: 3 } } }),
    });
    await insertRun({ run_id: 'z1', experiment_id: 'several' }, [[1, 5]]);
    const objective = { run_id: 'z1', objective_value: 1 };
    await insert(
      database(),
      'run_objectives',
      { ...objective, objective_name: 'best_obj_0' },
      { ...objective, objective_name: 'best_obj_1' },
    );
    await insertExperiment('without-runs', {});
    await insertExperiment('infinite', { problem_type: 'infinite' });
    const run = { experiment_id: 'infinite', evaluations: 9 };
    await insertRun({ ...run, run_id: 'i1', best_fitness: Infinity }, [[9, Infinity]]);
    await insertRun({ ...run, run_id: 'i2', best_fitness: -Infinity }, [[4, 2]]);
    await insertExperiment('unknown', {
      problem_type: 'unknown',
      config_json: JSON.stringify({ representation: { params: { length: 3 } } }),
    });
    const unknownEnd = { run_id: 'u1', experiment_id: 'unknown', evaluations: null };
    await insertRun({ ...unknownEnd, best_fitness: 1 }, [
      [3, 8],
      [7, 8],
    ]);
  }

  test.each(['ioh', 'coco'])(
    'writes the frozen files of IOHprofiler or COCO: %s',
    async (format) => {
      const path = `/api/export/campaign/c1/${format}.zip`;
      const { headers } = await download(service, path);
      expect(headers['content-type']).toBe('application/zip');
      expect(headers['content-disposition']).toBe(`attachment; filename="c1.${format}.zip"`);
      const files = await unzip(service, path);
      const text = Object.entries(files).map(([name, content]) => `=== ${name}\n${content}`);
      await expect(text.join('\n')).toMatchFileSnapshot(
        `../../fixtures/export/frozen-${format}.txt`,
      );
    },
  );

  test('contains a better final fitness at the last evaluation of the trace if the run has none', async () => {
    const files = await unzip(service, '/api/export/problem/unknown/ioh.zip');
    const rows = Object.entries(files).find(([path]) => path.endsWith('.dat'));
    expect(rows?.[1]).toMatch(/^3 8\D*$/m);
    expect(rows?.[1]).toMatch(/^7 1\D*$/m);
  });

  test('has one folder per algorithm, for any names of the algorithms', async () => {
    const files = await unzip(service, '/api/export/problem/onemax/ioh.zip');
    const paths = Object.keys(files).filter((path) => path !== 'README.txt');
    const folders = new Set(paths.map((path) => path.split('/')[0] ?? ''));
    expect(folders.size).toBe(hostileNames.length);
    expect(new Set([...folders].map((name) => name.toLowerCase())).size).toBe(folders.size);
    for (const path of paths) expect(path).toMatch(/^[\w()+-][\w.()+/-]*$/);
    for (const folder of folders) expect(folder).not.toMatch(/^\.|^(con|nul)$/i);
    const names = paths
      .filter((path) => path.endsWith('.json'))
      .map(
        (path) => (JSON.parse(files[path] ?? '') as { algorithm: { name: string } }).algorithm.name,
      );
    expect(names.sort()).toEqual(hostileNames.map((name) => name.replace('\n', ' ')).sort());
  });

  test('has an index for each direction of a function that differs between dimensions', async () => {
    for (const [length, lastFitness] of [
      [5, 9],
      [10, 1],
    ] as const) {
      const experiment_id = `mine-${length}`;
      const config_json = JSON.stringify({ representation: { params: { length } } });
      await insertExperiment(experiment_id, { problem_type: 'mine', config_json });
      await insertRun({ run_id: `m${length}`, experiment_id }, [
        [1, 5],
        [10, lastFitness],
      ]);
    }
    const { body } = await download(service, '/api/export/problem/mine/ioh.zip');
    const paths: string[] = [];
    unzipSync(new Uint8Array(body), { filter: ({ name }) => paths.push(name) > 0 });
    expect(paths.filter((path) => path.endsWith('.json'))).toHaveLength(2);
    expect(new Set(paths).size).toBe(paths.length);
  });

  test('counts evaluations from 1, and a run begins only once', async () => {
    const files = await unzip(service, '/api/export/experiment/hostile-1/ioh.zip');
    expect(files['README.txt']).toContain('exported by Evoscope as IOHprofiler data: 1 run.\n');
    const data = Object.entries(files).find(([name]) => name.endsWith('.dat'))?.[1];
    expect(data).toBe('evaluations raw_y\n1 13\n10 20\n');
  });

  test('reports for each format how many runs it can express, and why not', async () => {
    const describeRuns = (path: string) => service.get<ExportDescription>(`/api/export/${path}`);
    expect(await describeRuns('campaign/c1')).toEqual({
      runs: 6,
      ioh: { runs: 4, reason: null },
      coco: { runs: 4, reason: null },
      tables: { runs: 6, reason: null },
    });
    const { ioh, coco } = await describeRuns('problem/onemax');
    expect(ioh).toEqual({ runs: 6, reason: null });
    expect(coco.reason).toBe(
      'Evoscope cannot export 6 runs: the fitness is maximised, and COCO data describe minimisation.',
    );
  });

  test.each([
    [
      'problem/onemax/coco.zip',
      422,
      'Evoscope cannot export 6 runs: the fitness is maximised, and COCO data describe minimisation. Select other runs for COCO data, or export tables',
    ],
    [
      'experiment/no-dimension/ioh.zip',
      422,
      'Evoscope cannot export 1 run: the dimension is unknown, and the format requires it. Select other runs for IOHprofiler data, or export tables',
    ],
    [
      'experiment/several/ioh.zip',
      422,
      'Evoscope cannot export 1 run: the problem has several objectives, and the format stores the values of one. Select other runs for IOHprofiler data, or export tables',
    ],
    [
      'experiment/several/coco.zip',
      422,
      'Evoscope cannot export 1 run: the problem belongs to no BBOB suite, and COCO data store differences to known optima. Select other runs for COCO data, or export tables',
    ],
    [
      'experiment/without-runs/ioh.zip',
      422,
      'There are no runs to export. Select other runs for IOHprofiler data, or export tables',
    ],
    [
      'campaign/none/ioh.zip',
      404,
      'There is no campaign with the id "none". Select another campaign',
    ],
    [
      'experiment/none/coco.zip',
      404,
      'There is no experiment with the id "none". Select another experiment',
    ],
    [
      'problem/none/traces',
      404,
      'There is no experiment on the problem "none". Select another problem',
    ],
    [
      'problem/onemax/runs?instance=x',
      404,
      'There is no instance "x" of the problem "onemax" to export. Select another instance',
    ],
    ['run/r1/ioh.zip', 400, 'kind must be one of campaign, problem, experiment'],
    [
      'experiment/hostile-0/ioh.zip?dimension=2',
      400,
      'dimension does not apply to the kind experiment: use only direction',
    ],
    ['campaign/c1/ioh.zip?dimension=two', 400, 'dimension must be a whole number'],
    [
      'campaign/c1/ioh.zip?dimension=3000000000',
      400,
      'dimension must be from -2147483647 to 2147483647',
    ],
  ])('refuses %s with %i', async (path, status, detail) => {
    const problem = await service.getProblem(`/api/export/${path}`);
    expect(problem).toMatchObject({ status, detail });
  });

  test('refuses more iterations than an archive can contain', async () => {
    const config_json = JSON.stringify({ representation: { params: { length: 3 } } });
    await insertExperiment('huge', { problem_type: 'sphere', config_json });
    await insert(database(), 'runs', { run_id: 'huge-run', experiment_id: 'huge' });
    await insert(database(), 'iterations', { run_id: 'huge-run', iteration: 50_000_000 });
    expect(await service.getProblem('/api/export/experiment/huge/ioh.zip')).toMatchObject({
      code: 'ANSWER_TOO_LARGE',
      detail:
        'The runs have 50\u2009000\u2009001 iterations, and an archive contains at most 50\u2009000\u2009000. Export fewer runs',
    });
  });

  test('reports the trials without a run, and those whose run another trial has', async () => {
    const campaign_id = 'shared';
    await insert(database(), 'coco_campaigns', { campaign_id, name: 'Shared' });
    const trial = (run_id: string, instance_id: number, rest: object = {}) =>
      insert(database(), 'coco_trials', { campaign_id, run_id, instance_id, ...rest });
    for (const run_id of ['shared-1', 'shared-2']) await insertRun({ run_id }, [[1, 7]]);
    await trial('shared-1', 1);
    await trial('shared-1', 2);
    await trial('shared-2', 3);
    await trial('no-run', 4);
    await trial('no-run', 4, { dimension: 7, optimizer_id: 'other' });
    const readNotes = async (path: string) => {
      const { 'README.txt': readme = '' } = await unzip(service, path);
      return readme.split('\n').filter((line) => line.includes('trial'));
    };
    const sharedNote = '- Evoscope cannot export 1 trial: another trial has the same run.';
    const getMissingNote = (trials: string) =>
      `- Evoscope cannot export ${trials}: the run or its experiment is missing.`;
    for (const format of ['coco.zip', 'ioh.zip']) {
      const path = `/api/export/campaign/shared/${format}`;
      expect(await readNotes(path)).toEqual([getMissingNote('2 trials'), sharedNote]);
      expect(await readNotes(`${path}?dimension=2`)).toEqual([
        getMissingNote('1 trial'),
        sharedNote,
      ]);
    }
    expect(await readNotes('/api/export/campaign/c1/ioh.zip')).not.toContain(sharedNote);
  });

  test('lists the experiments of a campaign in the order of their ids', async () => {
    const campaign_id = 'ordered';
    await insert(database(), 'coco_campaigns', { campaign_id, name: 'Ordered' });
    const ids = ['order-2', 'order-10', 'order-1', 'Order-3'];
    for (const [index, experiment_id] of ids.entries()) {
      const run_id = `of-${experiment_id}`;
      await insert(database(), 'experiments', { experiment_id, config_hash: experiment_id });
      await insert(database(), 'runs', { run_id, experiment_id });
      await insert(database(), 'coco_trials', { campaign_id, run_id, instance_id: index });
    }
    const experiments = await service.get<{ experimentId: string }[]>(
      '/api/export/campaign/ordered/experiments',
    );
    expect(experiments.map(({ experimentId }) => experimentId)).toEqual(ids.toSorted());
  });

  test('contains only the selected optimizers, functions and dimensions', async () => {
    const count = async (query: string) =>
      (await service.get<ExportedRun[]>(`/api/export/campaign/c1/runs?${query}`)).length;
    expect(await count('optimizer=O1&functionId=1&dimension=2')).toBe(6);
    expect(await count('dimension=3')).toBe(0);
    expect(await count('optimizer=o2')).toBe(0);
  });

  test('distinguishes an infinite fitness from a missing one, in JSON and tables', async () => {
    const path = '/api/export/experiment/infinite';
    const runs = await service.get<ExportedRun[]>(`${path}/runs`);
    expect(runs).toMatchObject([
      { runId: 'i1', bestFitness: null, infinity: 1, newestIteration: 0, trialBudget: null },
      { runId: 'i2', bestFitness: null, infinity: -1, newestIteration: 0, trialBudget: null },
    ]);
    const { body } = await download(service, `${path}/runs?format=csv`);
    expect(body.toString()).toMatch(/,9,Inf,,1,0,\r\n.*,9,-Inf,,-1,0,\r\n$/);
    const points = await service.get<ExportedPoint[]>(`${path}/traces`);
    expect(points.map(({ runId, evaluations, best }) => [runId, evaluations, best])).toEqual([
      ['i1', 9, null],
      ['i2', 4, 2],
    ]);
  });

  test('has the instances of recorded runs, as instances of one function', async () => {
    for (const instance of [3, 5]) {
      const problem = { type: 'maxsat', params: { instance, dimension: 4, clauses: 9 } };
      const id = `recorded-${instance}`;
      const config_json = JSON.stringify({ problem });
      await insertExperiment(id, { problem_type: 'maxsat', config_json });
      await insertRun({ run_id: id, experiment_id: id, evaluations: 10 }, [[1, 12]]);
    }
    const runs = await service.get<ExportedRun[]>('/api/export/problem/maxsat/runs');
    expect(runs.map(({ instance }) => instance)).toEqual([3, 5]);
    const files = await unzip(service, '/api/export/problem/maxsat/ioh.zip');
    expect(Object.keys(files).filter((name) => name.endsWith('.json'))).toEqual([
      'umda/IOHprofiler_f1_maxsat.json',
    ]);
    expect(files['README.txt']).not.toContain('unknown instance');
  });

  test('fails as an archive if a run is deleted before its rows are read, and omits it in a table', async () => {
    const subject = { kind: 'experiment' as const, subjectId: 'deleted' };
    const query = exportQuery.parse({});
    const config_json = JSON.stringify({ representation: { params: { length: 3 } } });
    await insertExperiment('deleted', { problem_type: 'sphere', config_json });
    // Each run has so many iterations that it is a separate part.
    for (const run_id of ['deleted-1', 'deleted-2'])
      await insertRun({ run_id, experiment_id: 'deleted', evaluations: 30, best_fitness: 2 }, [
        [1, 9],
        [20, 2],
        [30, 2],
      ]);
    const archive = await writeArchivePart(database(), 'ioh', { subject, query });
    const traces = await sliceTraces(database(), { params: subject, query });
    await deleteRows(database(), { campaignIds: [], experimentIds: ['deleted'] });
    await expect(
      writeArchivePart(database(), 'ioh', { subject, query }, archive.nextState ?? undefined),
    ).rejects.toMatchObject({
      code: 'RUN_NOT_FOUND',
      message: 'Run "deleted-2" was deleted during the export. Export again',
    });
    const nextSlice = { params: subject, query, ...traces.nextInput };
    expect((await sliceTraces(database(), nextSlice)).rows).toEqual([]);
  });

  test.runIf(engine === 'sqlite')('contains a run whose id is stored as bytes', async () => {
    const run_id = Buffer.from('bytes');
    const config_json = JSON.stringify({ representation: { params: { length: 3 } } });
    await insertExperiment('bytes', { problem_type: 'bytes', config_json });
    const run = { run_id, experiment_id: 'bytes', evaluations: 9, best_fitness: 4 };
    await insert(database(), 'runs', run);
    await insert(database(), 'iterations', { run_id, iteration: 7, evaluations: 1 });
    const files = await unzip(service, '/api/export/experiment/bytes/ioh.zip');
    const dataFile = Object.keys(files).find((name) => name.endsWith('.dat')) ?? '';
    expect(files[dataFile]).toContain('9 4');
  });

  test('states the budget of the trial and the newest iteration of a run', async () => {
    const [run] = await service.get<ExportedRun[]>('/api/export/campaign/c1/runs');
    expect(run).toMatchObject({ runId: 'solved', newestIteration: 60_000, trialBudget: 100 });
  });

  test('is a Parquet file with the rows of the JSON', async () => {
    const path = '/api/export/campaign/c1/traces';
    const { body, headers } = await download(service, `${path}?format=parquet`);
    expect(headers['content-disposition']).toBe('attachment; filename="traces.parquet"');
    const rows = await parquetReadObjects({ file: new Uint8Array(body).buffer });
    const points = await service.get<ExportedPoint[]>(path);
    expect(points.length).toBeGreaterThan(5);
    const toText = (value: unknown) => (typeof value === 'bigint' ? String(value) : value);
    expect(rows.map((row) => Object.values(row).map(toText))).toEqual(
      points.map((point) =>
        Object.values(point).map((value, index) =>
          ['functionId', 'dimension', 'instance', 'seed'].includes(Object.keys(point)[index] ?? '')
            ? String(value)
            : value,
        ),
      ),
    );
  });
});
