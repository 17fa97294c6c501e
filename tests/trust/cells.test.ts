import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Database } from '#server/db/database.ts';
import { tableDefinitions, tableNames, type TableName } from '#server/db/tables.ts';
import {
  describeOnEachEngine,
  openTestDatabase,
  type TestDatabase,
  type TestLocation,
} from '#tests/support/databases.ts';
import { whySkipped } from '#tests/support/long.ts';
import { makeLooseTables } from '#tests/support/loose-tables.ts';
import { insert } from '#tests/support/rows.ts';
import { sendRawRequest, startService, type TestService } from '#tests/support/test-service.ts';

const badValues = {
  sqlite: {
    NULL: null,
    'an empty text': '',
    'a text': 'not a number',
    'a text of digits': '7',
    'a fraction': 1.5,
    '1e300': 1e300,
    'minus infinity': -Infinity,
    '2^53 + 1': 2n ** 53n + 1n,
    '2^63 - 1': 2n ** 63n - 1n,
    '-2^63': -(2n ** 63n),
    'bytes that are no text': Buffer.from([0xff, 0xfe, 0x00, 0xc3]),
    'a text with U+0000': 'a\0b',
  },
  postgres: { NULL: null, 'the largest': Infinity, 'not a number': NaN, 'an empty text': '' },
};

/** Values of the same types as others, which take other ways only where they are shown. */
const similarValues: ReadonlySet<string> = new Set([
  'a text of digits',
  'a fraction',
  '1e300',
  '2^53 + 1',
  '-2^63',
]);

/** The shown texts of invalid values in integer columns. */
const shownAs: Record<string, unknown> = {
  NULL: null,
  'an empty text': '',
  'a text': 'not a number',
  'a text of digits': '7',
  'a fraction': '1.5',
  '1e300': '1e+300',
  'minus infinity': '-Infinity',
  '2^53 + 1': '9007199254740993',
  '2^63 - 1': '9223372036854775807',
  '-2^63': '-9223372036854775808',
  'bytes that are no text': '\u{FFFD}\u{FFFD}\0\u{FFFD}',
  'a text with U+0000': 'a\0b',
};

/** Columns of integers that are shown: where, and under which name. */
const shownColumns: readonly [TableName, string, path: string, field: string][] = [
  ['runs', 'seed', '/runs/{id}', 'seed'],
  ['runs', 'iterations', '/runs/{id}', 'iterations'],
  ['runs', 'evaluations', '/runs/{id}', 'evaluations'],
  ['runs', 'runtime_millis', '/runs/{id}', 'runtimeMillis'],
  ['runs', 'seed', '/runs?q={id}', 'seed'],
  ['runs', 'runtime_millis', '/runs?q={id}', 'runtimeMillis'],
  ['experiments', 'max_iterations', '/experiments/{id}', 'maxIterations'],
  ['iterations', 'evaluations', '/runs/{id}/iterations', 'evaluations'],
  ['iterations', 'evaluations', '/runs/{id}/iterations?fields=scalars', 'evaluations'],
  ['checkpoints', 'iteration', '/runs/{id}/checkpoints', 'iteration'],
  ['coco_trials', 'function_id', '/runs/{id}', 'functionId'],
  ['coco_trials', 'dimension', '/runs/{id}', 'dimension'],
  ['coco_trials', 'instance_id', '/runs/{id}', 'instanceId'],
  ['experiment_params', 'value_boolean', '/experiments/{id}/params', 'valueBoolean'],
];

const getColumns = (table: TableName) => Object.keys(tableDefinitions[table].columns);

/** Returns the bad value, or on PostgreSQL the nearest one that a column of its type can store; undefined if there is none. */
function fitting(engine: string, table: TableName, column: string, value: unknown): unknown {
  if (engine === 'sqlite') return value;
  const columns = tableDefinitions[table].columns as Readonly<Record<string, string>>;
  const type = columns[column] ?? '';
  if (value === null) return type === 'ID' ? undefined : null;
  if (type.startsWith('TEXT')) return value === '' ? '' : undefined;
  if (typeof value !== 'number') return undefined;
  if (type.startsWith('DOUBLE')) return value;
  if (Number.isNaN(value)) return undefined;
  return type.startsWith('INTEGER') ? 2 ** 31 - 1 : 2n ** 63n - 1n;
}

describeOnEachEngine('A database with an invalid value in every column', (engine) => {
  const values: Readonly<Record<string, unknown>> = badValues[engine.name];
  /** The paths that read the rows with a value, by its name. */
  const seeded: Record<string, string[]> = {};
  let location: TestLocation;
  let database: TestDatabase;
  let service: TestService;

  beforeAll(async () => {
    location = await engine.makeLocation();
    await makeLooseTables(location, engine.name, { hasTypes: false });
    database = await openTestDatabase(location.url);
    await database.kysely.transaction().execute(async (kysely) => {
      const into = { ...database, kysely };
      await good(into, 'good', 'good');
      for (const name of Object.keys(values)) seeded[name] = await seed(into, name);
    });
    service = await startService(database, { isInThisThread: true });
  });
  afterAll(async () => {
    await service.close();
    await database.close();
    await location.remove();
  });

  const [similarNames = [], names = []] = [true, false].map((isSimilar) =>
    Object.keys(values).filter((name) => similarValues.has(name) === isSimilar),
  );
  const checkRows = async (name: string) => expect(await getFaults(seeded[name] ?? [])).toEqual([]);
  test.each(names)('(%s) responds to every request for its rows', checkRows);
  test.skipIf(whySkipped).each(similarNames)(
    `(%s) responds to every request for its rows${whySkipped}`,
    checkRows,
  );

  test('responds to every request for lists and analyses', async () => {
    const pages = await Promise.all(['runs', 'experiments'].map(lastPage));
    const paths = [
      ...getPaths('runs', 'good', 'good'),
      ...sortedPaths(Math.max(...pages)),
      ...otherPaths,
    ];
    expect(await getFaults(paths)).toEqual([]);
  }, 60_000);

  // PostgreSQL has no integer column that would take them.
  if (engine.name === 'sqlite') {
    test.each(Object.keys(shownAs))(
      'shows (%s) as it is stored where an integer should be',
      async (name) => {
        const answers = shownColumns.map(async ([table, column, path, field]) => {
          const id = encodeURIComponent(`${table}.${column} ${name}`);
          const answer = await service.get<unknown>(`/api${path.replace('{id}', id)}`);
          const found = JSON.stringify(answer).includes(
            `"${field}":${JSON.stringify(shownAs[name])}`,
          );
          return found ? [] : [`${table}.${column}: ${JSON.stringify(answer)}`];
        });
        expect((await Promise.all(answers)).flat()).toEqual([]);
      },
    );

    test('compares no text as a number, including empty text', async () => {
      for (const name of ['a text', 'an empty text']) {
        const runs = ['iterations', 'runtime_millis'].map(
          (column) => `run=${encodeURIComponent(`runs.${column} ${name}`)}`,
        );
        const answer = await service.get(`/api/analysis/runs?${runs.join('&')}`);
        expect(answer, name).toMatchObject({
          runs: [{ iterationsDone: null }, { elapsedMillis: null }],
        });
      }
    });

    test('omits and counts iterations without a whole number', async () => {
      for (const [name, leftOut] of [
        ['a text', 1],
        ['a fraction', 1],
        ['NULL', 1],
        ['2^63 - 1', 0],
      ] as const) {
        const run = `/api/runs/${encodeURIComponent(`iterations.iteration ${name}`)}`;
        expect(await service.get(run)).toMatchObject({ iterationsLeftOut: leftOut });
        expect(await service.get(`${run}/iterations?fields=scalars`)).toHaveLength(1 - leftOut);
      }
    });
  }

  const lastPage = async (list: string) => {
    const { totalPages } = await service.get<{ totalPages: number }>(`/api/${list}?size=200`);
    return totalPages - 1;
  };

  /** The responses to these requests that are errors of the service. */
  async function getFaults(paths: readonly string[]): Promise<string[]> {
    const left = [...new Set(paths)];
    const faults: string[] = [];
    const ask = async () => {
      for (let path = left.pop(); path !== undefined; path = left.pop()) {
        const { status, body } = await sendRawRequest(service, path);
        if (status >= 500) faults.push(`${status} ${path}: ${body.toString()}`);
      }
    };
    await Promise.all([1, 2, 3, 4].map(ask));
    return faults;
  }

  /**
   * Writes for each column one more run or experiment with a row that has the bad value in it; returns the
   * paths that read these rows.
   */
  async function seed(into: Database, name: string): Promise<string[]> {
    const paths: string[] = [];
    for (const table of tableNames) {
      for (const column of getColumns(table)) {
        const bad = fitting(engine.name, table, column, values[name]);
        if (bad === undefined) continue;
        const id = `${table}.${column} ${name}`;
        const experimentId = table.startsWith('experiment') ? id : 'good';
        await good(into, id, experimentId, table);
        await insertBad(into, table, id, { [column]: bad });
        paths.push(...getPaths(table, id, experimentId));
      }
    }
    return paths;
  }

  /** A run with a few rows of each kind, and its experiment, without the table that gets a bad row. */
  async function good(
    into: Database,
    runId: string,
    experimentId: string,
    except?: TableName,
  ): Promise<void> {
    if (except !== 'experiments' && experimentId === runId) {
      await insert(into, 'experiments', { experiment_id: experimentId, config_hash: runId });
    }
    if (except !== 'runs') {
      await insert(into, 'runs', {
        run_id: runId,
        experiment_id: experimentId,
        best_fitness: 3,
        iterations: 3,
        evaluations: 30,
        runtime_millis: 5,
      });
    }
    if (except === undefined || except === 'runs') {
      const rows = [1, 2, 3].map((iteration) => ({
        id: lastId++,
        run_id: runId,
        iteration,
        evaluations: 10 * iteration,
        best_fitness: iteration,
      }));
      await insert(into, 'iterations', ...rows);
    }
  }

  let lastId = 1;

  async function insertBad(
    into: Database,
    table: TableName,
    id: string,
    bad: Record<string, unknown>,
  ) {
    const columns = getColumns(table);
    const row: Record<string, unknown> = {
      ...(columns.includes('id') && { id: lastId++ }),
      ...(columns.includes('run_id') && { run_id: id }),
      ...(columns.includes('experiment_id') && {
        experiment_id: table === 'runs' ? 'good' : id,
      }),
      ...(table === 'iterations' && { iteration: 4 }),
      ...(table === 'experiment_params' && { param_path: 'algorithm.x' }),
      ...bad,
    };
    await insert(into, table, row);
  }
});

/** The paths that read a row of a table which belongs to this run, or else to this experiment. */
function getPaths(table: TableName, runId: string, experimentId: string): string[] {
  const run = `/api/runs/${encodeURIComponent(runId)}`;
  const experiment = `/api/experiments/${encodeURIComponent(experimentId)}`;
  switch (table) {
    case 'iterations':
      return [run, `${run}/iterations`, `${run}/iterations?fields=scalars`];
    case 'events':
      return [`${run}/events?previewBytes=10`, `${run}/events?q=a`, `${run}/event-types`];
    case 'checkpoints':
      return [`${run}/checkpoints`];
    case 'experiments':
      return [experiment, `${experiment}/analysis`];
    case 'experiment_params':
      return [`${experiment}/params`];
    default:
      return [run];
  }
}

const sortKeys = {
  runs: [
    'start_time',
    'best_fitness',
    'runtime_millis',
    'status',
    'seed',
    'run_name',
    'problem_type',
    'iterations',
    'evaluations',
    'end_time',
  ],
  experiments: ['created_at', 'run_name', 'total_runs', 'best_fitness'],
};

/** All pages of the lists, up to this one, by each of their keys. */
function sortedPaths(lastPage: number): string[] {
  return Object.entries(sortKeys).flatMap(([list, keys]) =>
    keys.flatMap((key) =>
      Array.from(
        { length: lastPage + 1 },
        (_, page) => `/api/${list}?size=200&page=${page}&sortBy=${key}`,
      ),
    ),
  );
}

const otherPaths = [
  '/api/experiments/good/runs?size=200&sortBy=seed',
  '/api/runs?q=o&params=algorithm.x&param=algorithm.x%20%3E%201',
  '/api/experiments?q=o&params=algorithm.x',
  '/api/analysis/problems',
  '/api/analysis/problem/onemax',
  '/api/analysis/problem/onemax/latex',
  '/api/facets',
  '/api/param-paths',
  '/api/dashboard/summary',
  '/api/health',
  '/api/experiments/good/deletion-preview',
  '/api/experiments/good/latex',
  '/api/runs/good/params',
  '/api/experiments/good/analysis',
  '/api/experiments/good/analysis/latex',
  '/api/experiments/good/traces',
  '/api/coco/campaigns',
  ...[
    '',
    '/optimizers',
    '/aggregates',
    '/trials?size=500',
    '/erts',
    '/erts/latex',
    '/tests',
    '/ecdf',
    '/completeness',
    '/references',
    '/deletion-preview',
  ].map((path) => `/api/coco/campaigns/c1${path}`),
  ...['', '/experiments', '/runs', '/traces'].map((path) => `/api/export/campaign/c1${path}`),
];
