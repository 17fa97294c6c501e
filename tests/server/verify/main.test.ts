import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { strToU8, zipSync } from 'fflate';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { makeArchiveFiles } from '#renderer/features/archive/archive.ts';
import type { Exhibit, TableRequest } from '#renderer/state/exhibits.ts';
import type { ProblemComparison } from '#shared/schemas/analysis.ts';
import type { Annotation } from '#shared/schemas/annotation.ts';
import type { ExportedExperiment } from '#shared/schemas/export.ts';
import type { Database } from '#server/db/database.ts';
import { parseRecords } from '#server/verify/archive.ts';
import { runVerifyCommand } from '#server/verify/command.ts';
import { formatCsvLine } from '#shared/csv.ts';
import {
  describeOnEachDatabase,
  makeSqliteLocation,
  openTestDatabase,
} from '#tests/support/databases.ts';
import { resolveProgramFile } from '#tests/support/programs.ts';
import { insert } from '#tests/support/rows.ts';
import { loadSample } from '#tests/support/sample.ts';
import { sendRawRequest, startService, type TestService } from '#tests/support/test-service.ts';

const page = { title: 'onemax', url: 'http://127.0.0.1/', savedAt: '2026-11-22T10:00:00.000Z' };

const folder = mkdtempSync(join(tmpdir(), 'evoscope-archives-'));

afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Runs the command on an archive with these files. */
const verify = (changed: Record<string, string>) => run(writeArchive('archive.zip', changed));

function writeArchive(name: string, contents: Record<string, string>): string {
  const file = join(folder, name);
  const entries = Object.entries(contents).map(([entry, content]) => [entry, strToU8(content)]);
  writeFileSync(file, zipSync(Object.fromEntries(entries)));
  return file;
}

/** Runs the command in this process, because a program costs half a second of processor time. */
async function run(...parameters: string[]) {
  const output = { stdout: '', stderr: '' };
  const code = await runVerifyCommand(parameters, {
    stdout: { write: (written) => (output.stdout += written) },
    stderr: { write: (written) => (output.stderr += written) },
  });
  return { code, output: output.stdout, errors: output.stderr.replaceAll(folder, '…') };
}

/** Runs the program. */
async function runProgram(...parameters: string[]) {
  const child = spawn(process.execPath, [resolveProgramFile('verifier'), ...parameters]);
  const exitCode = new Promise<number | null>((resolve) => child.once('close', resolve));
  const [output, errors, code] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    exitCode,
  ]);
  return { code, output, errors: errors.replaceAll(folder, '…') };
}

/** The archive of the pages of a problem and an experiment of the sample, as the pages make it. */
async function makeFiles(
  database: Database,
  problemType = 'onemax',
): Promise<Record<string, string>> {
  const service = await startService(database, { isInThisThread: true });
  try {
    return await readFiles(service, problemType);
  } finally {
    await service.close();
  }
}

async function readFiles(
  service: TestService,
  problemType: string,
): Promise<Record<string, string>> {
  async function get(path: string): Promise<string> {
    const { status, body } = await sendRawRequest(service, path, {});
    if (status !== 200) throw new Error(body.toString());
    return body.toString();
  }

  const exhibit = async (request: TableRequest, address: string): Promise<Exhibit> => {
    const query = new URLSearchParams({ format: 'csv', table: request.table });
    for (const [name, value] of Object.entries(request.query)) query.append(name, String(value));
    const content = await get(`${address}?${query.toString()}`);
    const files = async () => [{ ending: 'csv', content }];
    const id = `${request.endpoint}-${request.table}`;
    return { kind: 'table', id, title: '', caption: '', files, request };
  };
  const comparison = await service.get<ProblemComparison>(`/api/analysis/problem/${problemType}`);
  const instance = comparison.instances.find(({ selected }) => selected)?.id ?? '';
  const experiments = await service.get<ExportedExperiment[]>(
    `/api/export/problem/${problemType}/experiments`,
  );
  const experimentId = experiments[0]?.experimentId ?? '';
  const makeProblemRequest = (table: string) =>
    exhibit(
      {
        endpoint: 'compareProblem',
        table,
        params: { problemType },
        query: { instance, target: '38' },
      },
      `/api/analysis/problem/${problemType}`,
    );
  const makeExperimentRequest = (table: string) =>
    exhibit(
      { endpoint: 'analyseExperiment', table, params: { experimentId }, query: {} },
      `/api/experiments/${experimentId}/analysis`,
    );
  const across = { endpoint: 'compareAcross', table: 'cells', params: {}, query: {} };
  const exhibits = [
    ...(await Promise.all(
      ['groups', 'pairs', 'ranks', 'instances', 'verdict'].map(makeProblemRequest),
    )),
    ...(await Promise.all(
      ['summary', 'convergence', 'ecdf-total', 'groups'].map(makeExperimentRequest),
    )),
  ];
  const parameters = await exhibit(
    {
      endpoint: 'describeParameters',
      table: 'values',
      params: {},
      query: { instance, target: '38' },
    },
    '/api/analysis/parameters',
  );
  const unverified: Exhibit = { ...exhibits[0]!, id: 'cells', request: across };
  const latex: Exhibit = {
    kind: 'table',
    id: 'tables',
    title: '',
    caption: '',
    files: async () => [{ ending: 'tex', content: 'umda & $0.95$' }],
  };
  return makeArchiveFiles(page, [...exhibits, parameters, unverified, latex], {
    runs: await get(`/api/export/problem/${problemType}/runs?format=csv`),
    traces: await get(`/api/export/problem/${problemType}/traces?format=csv`),
    experiments,
    trials: null,
    campaigns: [],
    annotations: (await service.get<Annotation[]>('/api/annotations?kind=algorithm')).map(
      ({ kind, id, displayName, tags, note, isBaseline }) => {
        return { kind, id, displayName, tags, note, isBaseline };
      },
    ),
  });
}

/**
 * Adds two algorithms on a problem. Each run has 31 iterations, and improves in every third. The runs of A spend half
 * of the evaluations of those of B.
 */
async function insertGroups(
  database: Database,
  problemType: string,
  config: object,
  getFitness: (seed: number, iteration: number) => number = (seed, iteration) =>
    10 - Math.floor(iteration / 3) / 2 + seed / 3,
): Promise<void> {
  for (const [index, algorithm] of ['A', 'B'].entries()) {
    const experiment_id = `${problemType}-${algorithm}`;
    await insert(database, 'experiments', {
      experiment_id,
      config_hash: experiment_id,
      algorithm_type: algorithm,
      problem_type: problemType,
      config_json: JSON.stringify(config),
    });
    for (let seed = 0; seed < 6; seed += 1) {
      const run_id = `${experiment_id}-${seed}`;
      const evaluations = 310 * (index + 1);
      const best_fitness = getFitness(seed, 30);
      await insert(database, 'runs', { run_id, experiment_id, seed, evaluations, best_fitness });
      const rows = Array.from({ length: 31 }, (_, iteration) => ({
        run_id,
        iteration,
        evaluations: 10 * (index + 1) * (iteration + 1),
        best_fitness: getFitness(seed, iteration),
      }));
      await insert(database, 'iterations', ...rows);
    }
  }
}

describeOnEachDatabase('The command verify', (database) => {
  beforeAll(() => loadSample(database()));

  /** Runs the command on the archive of a problem. */
  async function verifyProblem(problemType: string) {
    return verify(await makeFiles(database(), problemType));
  }

  const agreement =
    /^All \d{3,} values in 10 verified tables agree\. The program skipped 1 table\.$/m;

  test('passes on runs that an iteration limit ended before their evaluation limit', async () => {
    const stopping = { maxEvaluations: 10_000, maxIterations: 30 };
    await insertGroups(database(), 'two-limits', { stopping });
    expect((await verifyProblem('two-limits')).output).toMatch(agreement);
  });

  test('passes on runs that the budgets of their trials limit', async () => {
    await insertGroups(database(), 'trial-budgets', { stopping: { maxEvaluations: 1_000 } });
    await insert(database(), 'coco_campaigns', { campaign_id: 'budgets' });
    for (const [index, algorithm] of ['A', 'B'].entries()) {
      for (let seed = 0; seed < 6; seed += 1)
        await insert(database(), 'coco_trials', {
          campaign_id: 'budgets',
          optimizer_id: algorithm,
          instance_id: seed,
          run_id: `trial-budgets-${algorithm}-${seed}`,
          budget_evals: 320 * (index + 1),
        });
    }
    expect((await verifyProblem('trial-budgets')).output).toMatch(agreement);
  });

  test('passes on runs with an infinite fitness, and without evaluations in their row', async () => {
    await insertGroups(database(), 'infinite', {}, (seed) => (seed < 2 ? Infinity : seed));
    await database()
      .kysely.updateTable('runs')
      .set({ evaluations: null, status: 'FAILED', best_fitness: null })
      .where('run_id', 'in', ['infinite-A-0', 'infinite-B-0'])
      .execute();
    expect((await verifyProblem('infinite')).output).toMatch(agreement);
  });

  test('passes on resumed runs whose count of evaluations restarted', async () => {
    await insertGroups(database(), 'resumed', {});
    const { kysely } = database();
    await kysely
      .updateTable('runs')
      .set({ evaluations: 150, resumed_from: 'x.ckpt.yaml' })
      .where('run_id', 'like', 'resumed-A-%')
      .execute();
    await kysely
      .updateTable('iterations')
      .set((eb) => ({ evaluations: eb('evaluations', '-', 160) }))
      .where('run_id', 'like', 'resumed-A-%')
      .where('iteration', '>=', 16)
      .execute();
    expect((await verifyProblem('resumed')).output).toMatch(agreement);
  });

  test('passes on an instance whose parameters contain a secret', async () => {
    const params = { dimension: 3, url: 'https://user:hunter2@host/data' };
    await insertGroups(database(), 'secret', { problem: { params } });
    const files = await makeFiles(database(), 'secret');
    expect(files['query.json']).not.toContain('hunter2');
    expect((await verify(files)).output).toMatch(agreement);
  });

  test('passes on parameters that vary, next to one with a secret', async () => {
    await insertGroups(database(), 'parameters', {});
    for (const [index, algorithm] of ['A', 'B'].entries()) {
      const params = { populationSize: 50 * (index + 1), url: `https://user:hunter${index}@host/` };
      await database()
        .kysely.updateTable('experiments')
        .set({ config_json: JSON.stringify({ algorithm: { params } }) })
        .where('experiment_id', '=', `parameters-${algorithm}`)
        .execute();
    }
    const files = await makeFiles(database(), 'parameters');
    expect(files['tables/describeParameters-values.csv']).toMatch(/populationSize.*,50,/);
    expect((await verify(files)).output).toMatch(agreement);
  });

  test('passes on an unchanged archive, and names the tables that it cannot verify', async () => {
    const { code, output, errors } = await verify(await makeFiles(database()));
    expect(errors).toBe('');
    expect(output).toMatch(agreement);
    expect(output).toContain(
      'The program cannot verify tables/cells.csv: it depends on data that archives do not contain',
    );
    expect(code).toBe(0);
  });

  test('passes on an unchanged archive of a campaign, and finds a changed trial', async () => {
    const service = await startService(database(), { isInThisThread: true });
    const address = '/api/coco/campaigns/bbob-small';
    const params = { campaignId: 'bbob-small' };
    const get = async (path: string) => (await sendRawRequest(service, path, {})).body.toString();
    const exhibit = async (endpoint: string, table: string, path: string): Promise<Exhibit> => {
      const content = await get(`${address}/${path}?format=csv&table=${table}`);
      const request = { endpoint, table, params, query: {} };
      const readContent = async () => [{ ending: 'csv', content }];
      return { kind: 'table', id: table, title: '', caption: '', files: readContent, request };
    };
    const exhibits = [
      await exhibit('listErts', 'erts', 'erts'),
      await exhibit('listErts', 'summary', 'erts'),
      await exhibit('getEcdf', 'areas-by-dimension', 'ecdf'),
    ];
    const files = await makeArchiveFiles(page, exhibits, {
      runs: await get('/api/export/campaign/bbob-small/runs?format=csv'),
      traces: await get('/api/export/campaign/bbob-small/traces?format=csv'),
      trials: await get(`${address}/trials?format=csv`),
      experiments: await service.get('/api/export/campaign/bbob-small/experiments'),
      campaigns: [
        {
          ...params,
          name: 'BBOB f1 f8, d2 d3',
          suite: 'bbob',
          status: 'COMPLETED',
          references: await service.get(`${address}/references`),
        },
      ],
      annotations: [],
    });
    await service.close();
    expect((await verify(files)).output).toMatch(
      /^All \d{2,} values in 3 verified tables agree\.\n$/,
    );
    const trials = (files['data/trials.csv'] ?? '').replace(
      /,COMPLETED,true,/,
      ',COMPLETED,false,',
    );
    const { code, output } = await verify({ ...files, 'data/trials.csv': trials });
    expect(output).toMatch(
      /^tables\/erts\.csv, row \d+, solvedTrials: stored \d+, recomputed \d+$/m,
    );
    expect(code).toBe(1);
  });
});

describe('The command verify', () => {
  let files: Record<string, string>;

  beforeAll(async () => {
    const location = await makeSqliteLocation();
    const database = await openTestDatabase(location.url);
    await loadSample(database);
    files = await makeFiles(database);
    await database.close();
    await location.remove();
  });

  test('as a program writes to its streams, and ends with the exit code of the result', async () => {
    const { 'tables/tables.tex': _latex, ...withoutLatex } = files;
    const results = await Promise.all([
      runProgram(writeArchive('unchanged.zip', files)),
      runProgram(writeArchive('changed.zip', withoutLatex)),
      runProgram(join(folder, 'none.zip')),
    ]);
    expect(results).toEqual([
      { code: 0, output: expect.stringMatching(/^All \d{3,} values in 10 /m), errors: '' },
      { code: 1, output: expect.stringContaining('tables.tex: the file is missing\n'), errors: '' },
      { code: 2, output: '', errors: expect.stringContaining('There is no file or folder at') },
    ]);
  });

  test('finds a changed digit in a table', async () => {
    const name = 'tables/compareProblem-groups.csv';
    const content = files[name] ?? '';
    const [headings = [], first = []] = content.split('\r\n').map((line) => line.split(','));
    const column = headings.indexOf('ert');
    const storedValue = first[column] ?? '';
    const changedValue = storedValue.replace(/\d/, (digit) => String((Number(digit) + 1) % 10));
    const line = first.with(column, changedValue).join(',');
    const { code, output } = await verify({
      ...files,
      [name]: content.replace(first.join(','), line),
    });
    expect(output).toContain(
      `${name}, row 1, ert: stored ${changedValue}, recomputed ${storedValue}\n`,
    );
    expect(output).toContain('1 difference in 10 verified tables. The program skipped 1 table.\n');
    expect(code).toBe(1);
  });

  test.each([
    [
      'a row of a table',
      'tables/compareProblem-pairs.csv',
      /pairs\.csv: the table has \d+ rows, recomputed: \d+/,
    ],
    ['a run', 'data/runs.csv', /groups\.csv, row \d+, totalRuns: stored \d+, recomputed \d+/],
    [
      'a point of a trace',
      'data/traces.csv',
      /data\/traces\.csv: the data have changed since the page saved the archive/,
    ],
  ])('finds that %s was removed', async (_what, name, message) => {
    const lines = (files[name] ?? '').split('\r\n');
    const { code, output } = await verify({ ...files, [name]: lines.toSpliced(1, 1).join('\r\n') });
    expect(output).toMatch(message);
    expect(code).toBe(1);
  });

  test('finds changed LaTeX, a changed table that it does not recompute, and missing LaTeX', async () => {
    const { 'tables/tables.tex': latex = '', 'tables/cells.csv': cells = '', ...others } = files;
    const changed = await verify({
      ...others,
      'tables/tables.tex': latex.replace('0.95', '0.96'),
      'tables/cells.csv': `${cells}x\r\n`,
    });
    for (const file of ['tables/cells.csv', 'tables/tables.tex'])
      expect(changed.output).toContain(
        `${file}: the file has changed since the page saved the archive\n`,
      );
    expect(changed.output).toContain(
      '2 differences in 10 verified tables. The program skipped 1 table.\n',
    );
    expect(changed.code).toBe(1);
    const { output, code } = await verify({ ...others, 'tables/cells.csv': cells });
    expect(output).toContain('tables/tables.tex: the file is missing\n');
    expect(code).toBe(1);
  });

  test('finds that a run was moved to an unknown experiment', async () => {
    const [headings = '', first = '', ...lines] = (files['data/runs.csv'] ?? '').split('\r\n');
    const experimentId = first.split(',')[headings.split(',').indexOf('experimentId')] ?? '';
    const runs = [headings, first.replace(`,${experimentId},`, ',unknown,'), ...lines];
    const { code, output, errors } = await verify({ ...files, 'data/runs.csv': runs.join('\r\n') });
    expect(errors).toBe('');
    expect(output).toMatch(
      /^data\/runs\.csv: the data have changed since the page saved the archive$/m,
    );
    expect(code).toBe(1);
  });

  test('finds a changed request that is invalid', async () => {
    const content = files['query.json']?.replace('"target": "38"', '"target": "x"') ?? '';
    const { code, output, errors } = await verify({ ...files, 'query.json': content });
    expect(errors).toBe('');
    expect(output).toMatch(/^tables\/compareProblem-groups\.csv: the request is invalid: target /m);
    expect(code).toBe(1);
  });

  test('finds a changed request for an unknown instance', async () => {
    const content = files['query.json']?.replaceAll(/"instance": "\w+"/g, '"instance": "x"') ?? '';
    const { code, output, errors } = await verify({ ...files, 'query.json': content });
    expect(errors).toBe('');
    expect(output).toMatch(
      /^tables\/compareProblem-groups\.csv: the program cannot recompute it: There is no instance "x" of the problem "onemax"/m,
    );
    expect(code).toBe(1);
  });

  test('finds that a table is missing', async () => {
    const { ['tables/compareProblem-ranks.csv']: _removed, ...otherFiles } = files;
    const { code, output } = await verify(otherFiles);
    expect(output).toContain('tables/compareProblem-ranks.csv: the file is missing');
    expect(code).toBe(1);
  });

  test('refuses a name of an experiment that the archive does not contain', async () => {
    const content = JSON.parse(files['query.json'] ?? '') as { data: object };
    const names = { displayName: 'name', tags: [], note: '', isBaseline: false };
    const data = { ...content.data, annotations: [{ kind: 'experiment', id: 'none', ...names }] };
    const { code, errors } = await verify({
      ...files,
      'query.json': JSON.stringify({ ...content, data }),
    });
    expect(errors).toMatch(
      /^The program cannot verify the archive: .*none.*\. Save the archive again, then try again\n$/,
    );
    expect(code).toBe(2);
  });

  test('refuses files that are no archives, lack data or have another version', async () => {
    const { 'data/traces.csv': _traces, ...withoutTraces } = files;
    const content = JSON.parse(files['query.json'] ?? '') as object;
    const withContent = (change: object) => ({
      ...files,
      'query.json': JSON.stringify({ ...content, ...change }),
    });
    const textArchive = join(folder, 'text.zip');
    writeFileSync(textArchive, 'no archive');
    const results = [
      await verify(withoutTraces),
      await verify({ 'README.md': '' }),
      await verify(withContent({ version: 2 })),
      await verify(withContent({ format: 'other' })),
      await verify(withContent({ data: {} })),
      await verify({ ...files, 'query.json': '{' }),
      await run(textArchive),
      await run(join(folder, 'none.zip')),
      await run(),
      await run('--other'),
    ];
    expect(results.map(({ code }) => code)).toEqual(results.map(() => 2));
    expect(results.map(({ errors }) => errors)).toEqual([
      '…/archive.zip has no data/traces.csv, so the program cannot recompute its numbers. Save the archive again\n',
      '…/archive.zip has no query.json: it is not an archive of a page, or an earlier version of Evoscope saved it. Save the archive again\n',
      '…/archive.zip has version 2, and this program verifies version 1. Use the version of Evoscope that saved it\n',
      '…/archive.zip is not an archive of a page: its query.json has another format. Choose an archive that a page saved\n',
      '…/archive.zip: query.json is invalid at data.experiments. Save the archive again\n',
      '…/archive.zip: query.json is not JSON. Save the archive again\n',
      'text.zip has the name of an archive, but other content. Choose an archive or a folder\n',
      'There is no file or folder at …/none.zip. Correct the path\n',
      'Expected 1 path, got 0. Name one archive to verify\nSee evoscope verify --help\n',
      expect.stringContaining("Unknown option '--other'"),
    ]);
  }, 120_000);
});

describe('parseRecords', () => {
  test.each(['=x', ' -x', '＋x', '\tx', '\rx', '\nx', '-5', "'x", ' x'])(
    'returns the text %j as it was before the CSV',
    (value) => {
      const table = formatCsvLine(['runId']) + formatCsvLine([value]);
      expect(parseRecords('data/runs.csv', table)).toEqual([{ runId: value }]);
    },
  );
});
