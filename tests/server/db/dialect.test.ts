import { sql } from 'kysely';
import { beforeAll, describe, expect, test } from 'vitest';
import {
  selectByteLength,
  truncateToBytes,
  castInt8,
  orderNullsLast,
  selectTextPrefix,
} from '#server/db/queries.ts';
import {
  describeOnEachDatabase,
  execute,
  makePostgresLocation,
  openTestDatabase,
  type TestDatabase,
} from '#tests/support/databases.ts';
import { insertIterations } from '#tests/support/rows.ts';
import { loadSample } from '#tests/support/sample.ts';

const experiment = {
  schema_version: '3.0',
  algorithm_type: 'umda',
  model_type: 'umda-bernoulli',
  problem_type: 'onemax',
  representation_type: 'bitstring',
  selection_type: 'truncation',
  replacement_type: 'elitist',
  stopping_type: 'max-iterations',
  config_yaml: '',
  config_json: '{}',
  created_at: '2026-11-21T10:00:00Z',
};

const run = { experiment_id: 'e', status: 'COMPLETED', start_time: '2026-11-21T10:00:00Z' };

async function insertRuns(database: TestDatabase, runs: Record<string, unknown>[]): Promise<void> {
  await database.kysely
    .insertInto('experiments')
    .values({ experiment_id: 'e', config_hash: 'e', ...experiment })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
  await database.kysely.deleteFrom('runs').execute();
  await database.kysely
    .insertInto('runs')
    .values(runs.map((row, index) => ({ run_id: `r${index}`, seed: 1, ...run, ...row })))
    .execute();
}

describeOnEachDatabase('Integers', (database) => {
  test('of 64 bits are written and read without rounding, as digits if a number would round them', async () => {
    const seeds = [
      0,
      -1,
      Number.MAX_SAFE_INTEGER,
      Number.MIN_SAFE_INTEGER,
      '9007199254740992',
      '-9007199254740992',
      '9223372036854775807',
      '-9223372036854775808',
      '7134074521766642662',
    ];
    await insertRuns(
      database(),
      seeds.map((seed) => ({ seed })),
    );
    const rows = await database()
      .kysely.selectFrom('runs')
      .select('seed')
      .orderBy('run_id')
      .execute();
    expect(rows.map((row) => row.seed)).toEqual(seeds);
  });

  test('are found by their digits and by their number', async () => {
    await insertRuns(database(), [{ seed: '7134074521766642662' }, { seed: 42 }]);
    const find = (seed: number | string) =>
      database().kysely.selectFrom('runs').select('run_id').where('seed', '=', seed).execute();
    expect(await find('7134074521766642662')).toEqual([{ run_id: 'r0' }]);
    expect(await find(42)).toEqual([{ run_id: 'r1' }]);
  });

  test('of counts and sums are numbers', async () => {
    await insertRuns(database(), [{ runtime_millis: 5 }, { runtime_millis: null }]);
    const row = await database()
      .kysely.selectFrom('runs')
      .select((eb) => [
        eb.fn.countAll().as('count'),
        eb.fn.sum('runtime_millis').as('sum'),
        eb.fn.avg('runtime_millis').as('average'),
      ])
      .executeTakeFirstOrThrow();
    expect(row).toEqual({ count: 2, sum: 5, average: 5 });
  });

  test('too wide for their column compare as 64 bits and equal no row', async () => {
    await insertRuns(database(), [{ iterations: 7 }]);
    const count = (value: number) =>
      database()
        .kysely.selectFrom('runs')
        .select('run_id')
        .where('iterations', '=', castInt8(value))
        .execute();
    expect(await count(7)).toHaveLength(1);
    expect(await count(2 ** 40)).toHaveLength(0);
  });
});

describeOnEachDatabase('Measured numbers', (database) => {
  test('that are not finite are NULL through the dialect, and sort last with NULL', async () => {
    const isSqlite = database().dialect.name === 'sqlite';
    const notFiniteValues = isSqlite
      ? [Infinity, -Infinity, 'poor', null]
      : [Infinity, -Infinity, NaN, null];
    const values = [1.5, -2, 0, 1e308, ...notFiniteValues];
    await insertRuns(
      database(),
      values.map((best_fitness) => ({ best_fitness })),
    );
    const { kysely, dialect } = database();
    const finiteFitness = dialect.selectFiniteNumber(sql.ref('best_fitness'));
    const read = async (direction: 'asc' | 'desc') => {
      const query = kysely.selectFrom('runs').select(finiteFitness.as('best'));
      const rows = await query.orderBy(finiteFitness, orderNullsLast(direction)).execute();
      return rows.map((row) => row.best);
    };
    expect(await read('asc')).toEqual([-2, 0, 1.5, 1e308, null, null, null, null]);
    expect(await read('desc')).toEqual([1e308, 1.5, 0, -2, null, null, null, null]);
  });

  test('keep every digit', async () => {
    const values = [0.1 + 0.2, 5e-324, -1.7976931348623157e308, 4.9e-9];
    await insertRuns(
      database(),
      values.map((best_fitness) => ({ best_fitness })),
    );
    const rows = await database()
      .kysely.selectFrom('runs')
      .select('best_fitness')
      .orderBy('run_id')
      .execute();
    expect(rows.map((row) => row.best_fitness)).toEqual(values);
  });

  test('are the same when read from the literal of the dialect, which has no other meaning', async () => {
    const isSqlite = database().dialect.name === 'sqlite';
    const values = [
      0.1 + 0.2,
      5e-324,
      -1.7976931348623157e308,
      7,
      null,
      ...(isSqlite ? ['x'] : []),
    ];
    await insertRuns(
      database(),
      values.map((best_fitness) => ({ best_fitness })),
    );
    const literal = database().dialect.quoteLiteral(sql.ref('best_fitness'));
    const rows = await database()
      .kysely.selectFrom('runs')
      .select(literal.as('best'))
      .orderBy('run_id')
      .execute();
    const texts = rows.map((row) => row.best);
    expect(texts.slice(0, 4).map(Number)).toEqual(values.slice(0, 4));
    expect(texts.slice(4)).toEqual(isSqlite ? ['NULL', "'x'"] : ['NULL']);
  });

  test('in an integer column are NULL if they are text or fractions', async () => {
    const isSqlite = database().dialect.name === 'sqlite';
    const iterations = isSqlite ? [3, 'many', 2.5, null] : [3, null, null, null];
    await insertRuns(
      database(),
      iterations.map((value) => ({ iterations: value })),
    );
    const integer = database().dialect.selectInteger(sql.ref<number | null>('iterations'));
    const rows = await database()
      .kysely.selectFrom('runs')
      .select(integer.as('iterations'))
      .orderBy('run_id')
      .execute();
    expect(rows.map((row) => row.iterations)).toEqual([3, null, null, null]);
  });
});

describeOnEachDatabase('Text', (database) => {
  const ids = ['B', 'a', 'Z', 'é', 'b-1', 'b1', '_', '😀', '\uFFFD', 'Ä'];
  const idsByCodePoint = ['B', 'Z', '_', 'a', 'b-1', 'b1', 'Ä', 'é', '\uFFFD', '😀'];

  test('sorts and compares by code point', async () => {
    await insertRuns(
      database(),
      ids.map((run_id) => ({ run_id })),
    );
    const { kysely, dialect } = database();
    const id = dialect.orderByCodePoint(sql.ref<string>('run_id'));
    const sortedRows = await kysely.selectFrom('runs').select('run_id').orderBy(id).execute();
    expect(sortedRows.map((row) => row.run_id)).toEqual(idsByCodePoint);
    const rowsAboveA = await kysely
      .selectFrom('runs')
      .select((eb) => [eb.fn.countAll().as('count'), eb.fn.max(id).as('last')])
      .where(id, '>', 'a')
      .executeTakeFirst();
    expect(rowsAboveA).toEqual({ count: 6, last: '😀' });
  });

  test('is read as a string also if a row contains bytes', async () => {
    if (database().dialect.name === 'postgres') return;
    await insertRuns(database(), [{ best_summary: Buffer.from('0101é') }]);
    const row = await database()
      .kysely.selectFrom('runs')
      .select('best_summary')
      .executeTakeFirst();
    expect(row).toEqual({ best_summary: '0101é' });
  });

  test('with U+0000 in a filter is no error and matches nothing', async () => {
    await insertRuns(database(), [{}]);
    const { kysely, dialect } = database();
    const id = sql.ref<string>('run_id');
    const query = kysely.selectFrom('runs').select('run_id');
    expect(await query.where('run_id', '=', 'r0\0').execute()).toEqual([]);
    expect(await query.where(dialect.containsText(id, 'r\0')).execute()).toEqual([]);
    expect(await query.where(dialect.equalsText(id, 'r0\0x')).execute()).toEqual([]);
  });

  test('is truncated without reading the other characters, and measured in bytes', async () => {
    await insertRuns(database(), [{ best_summary: 'aé😀b' }, { best_summary: null }]);
    const summary = sql.ref<string | null>('best_summary');
    const rows = await database()
      .kysely.selectFrom('runs')
      .select([selectByteLength(summary).as('bytes'), selectTextPrefix(summary, 3).as('start')])
      .orderBy('run_id')
      .execute();
    expect(rows).toEqual([
      { bytes: 8, start: 'aé😀' },
      { bytes: null, start: null },
    ]);
  });

  test('from a substring on is read without the other characters, and is NULL without the substring', async () => {
    const texts = ['{"x":"é😀","size":12,"y":0}', '{"size"', 'none', null];
    await insertRuns(
      database(),
      texts.map((best_summary) => ({ best_summary })),
    );
    const selectedText = database().dialect.selectTextFrom(sql.ref('best_summary'), '"size"', 9);
    const rows = await database()
      .kysely.selectFrom('runs')
      .select(selectedText.as('text'))
      .orderBy('run_id')
      .execute();
    expect(rows.map((row) => row.text)).toEqual(['"size":12', '"size"', null, null]);
  });
});

describeOnEachDatabase('The end of a long text', (database) => {
  const texts = ['{"a":[],"z":12}', 'z', '', null, 'ä.repeat', '0123456789'];

  beforeAll(() =>
    insertRuns(
      database(),
      texts.map((best_summary) => ({ best_summary })),
    ),
  );

  test('has the requested number of bytes or is the whole text, and is NULL for NULL', async () => {
    const end = database().dialect.selectTextEnd(sql.ref('best_summary'), 7);
    const rows = await database()
      .kysely.selectFrom('runs')
      .select(end.as('found'))
      .orderBy('run_id')
      .execute();
    const found = rows.map((row) => row.found);
    expect(found).toEqual(['"z":12}', 'z', null, null, '.repeat', '3456789']);
  });
});

describeOnEachDatabase('A search', (database) => {
  const names = [
    'Plain',
    '100%_sure',
    'back\\slash',
    'star*[x]?',
    'Größe ÄPFEL',
    'caret^].$()',
    '',
  ];

  beforeAll(() =>
    insertRuns(
      database(),
      names.map((run_id) => ({ run_id })),
    ),
  );

  const search = async (part: string) => {
    const condition = database().dialect.containsText(sql.ref('run_id'), part);
    const rows = await database()
      .kysely.selectFrom('runs')
      .select('run_id')
      .where(condition)
      .execute();
    return rows.map((row) => row.run_id);
  };

  test.each([
    ['PLAIN', ['Plain']],
    ['lai', ['Plain']],
    ['%', ['100%_sure']],
    ['0%_S', ['100%_sure']],
    ['_', ['100%_sure']],
    ['\\', ['back\\slash']],
    ['k\\S', ['back\\slash']],
    ['*[X]?', ['star*[x]?']],
    ['GRÖSSE', []],
    ['grÖß', ['Größe ÄPFEL']],
    ['äpfel', ['Größe ÄPFEL']],
    ['ß%', []],
    ['^].$(', ['caret^].$()']],
    ['ö^', []],
    ["'; drop table runs; --", []],
  ])('for %j finds %j', async (part, expected) => {
    expect(await search(part)).toEqual(expected);
  });

  test('for the empty text finds every row', async () => {
    expect(await search('')).toHaveLength(names.length);
  });

  test.each([
    ['plain', ['Plain']],
    ['lain', []],
    ['100%_SURE', ['100%_sure']],
    ['100xysure', []],
    ['größe äpfel', ['Größe ÄPFEL']],
    ['größe', []],
    ['', ['']],
  ])('for the whole text %j finds %j', async (value, expected) => {
    const condition = database().dialect.equalsText(sql.ref('run_id'), value);
    const rows = await database()
      .kysely.selectFrom('runs')
      .select('run_id')
      .where(condition)
      .execute();
    expect(rows.map((row) => row.run_id)).toEqual(expected);
  });

  test('is compared with many values or none, with any characters', async () => {
    const oddId = `"'],{}\\ü😀`;
    await insertRuns(database(), [{ run_id: oddId }, { run_id: 'other' }]);
    const listIdsAmong = async (values: string[]) => {
      const { kysely, dialect } = database();
      const query = kysely.selectFrom('runs').select('run_id');
      const rows = await query.where(dialect.isAmong(sql.ref('run_id'), values)).execute();
      return rows.map((row) => row.run_id);
    };
    const unknownIds = Array.from({ length: 70_000 }, (_, index) => `none-${index}`);
    expect(await listIdsAmong([...unknownIds, oddId])).toEqual([oddId]);
    expect(await listIdsAmong(['with\0NUL', oddId])).toEqual([oddId]);
    expect(await listIdsAmong(['OTHER'])).toEqual([]);
    expect(await listIdsAmong([])).toEqual([]);
  });

  test('has no special characters next to letters outside ASCII', async () => {
    const specialId = 'ä*?[]^-\\.$(){}|+%_"\'é';
    await insertRuns(database(), [{ run_id: specialId }, { run_id: 'äXé' }]);
    expect(await search(specialId.toUpperCase())).toEqual([specialId]);
    expect(await search('Ä*')).toEqual([specialId]);
  });

  test('accepts the maximum number of parameters of the dialect', async () => {
    const values = Array.from({ length: database().dialect.maximumParameters }, () => 'x');
    const query = database().kysely.selectFrom('runs').select('run_id');
    expect(await query.where('run_id', 'in', values).execute()).toEqual([]);
    await expect(query.where('run_id', 'in', [...values, 'y']).execute()).rejects.toThrow();
  });
});

describeOnEachDatabase('A write transaction', (database) => {
  const request = {
    scope: 'run',
    target_id: 'r',
    action: 'STOP',
    requested_at: '2026-11-21T10:00:00Z',
    status: 'PENDING',
  };
  const countRequests = async () =>
    (await database().kysely.selectFrom('control_requests').select('target_id').execute()).length;

  test('is rolled back when its work throws', async () => {
    const failingWrite = database().dialect.withWriteTransaction(async (transaction) => {
      await transaction.insertInto('control_requests').values(request).execute();
      throw new Error('no');
    });
    await expect(failingWrite).rejects.toThrow('no');
    expect(await countRequests()).toBe(0);
  });

  test('returns the result of its work, and its rows are stored', async () => {
    const result = await database().dialect.withWriteTransaction(async (transaction) => {
      await transaction.insertInto('control_requests').values(request).execute();
      return 'done';
    });
    expect(result).toBe('done');
    expect(await countRequests()).toBe(1);
  });

  test('waits for the previous transaction, while readers see committed rows', async () => {
    const steps: string[] = [];
    const { promise: go, resolve: letGo } = Promise.withResolvers<void>();
    const { dialect } = database();
    const first = dialect.withWriteTransaction(async (transaction) => {
      const requestsQuery = transaction.selectFrom('control_requests').select('status');
      await dialect.lockRows(requestsQuery).execute();
      await transaction.updateTable('control_requests').set({ reason: 'first' }).execute();
      steps.push('first holds');
      await go;
      steps.push('first ends');
    });
    await expect.poll(() => steps).toEqual(['first holds']);
    const second = dialect.withWriteTransaction(async (transaction) => {
      const requestsQuery = transaction.selectFrom('control_requests').select('reason');
      const [row] = await dialect.lockRows(requestsQuery).execute();
      steps.push(`second sees ${row?.reason}`);
    });
    const committedRows = await database()
      .kysely.selectFrom('control_requests')
      .select('reason')
      .execute();
    expect(committedRows).toEqual([{ reason: null }]);
    letGo();
    await Promise.all([first, second]);
    expect(steps).toEqual(['first holds', 'first ends', 'second sees first']);
  });
});

describeOnEachDatabase('The change cursor', (database) => {
  test('is constant while nothing is written, and differs immediately after inserts, updates and deletes of the service', async () => {
    await loadSample(database());
    const { dialect } = database();
    let lastCursor = await dialect.readChangeCursor();
    const expectChange = async () => {
      expect(await dialect.readChangeCursor()).not.toBe(lastCursor);
      await expect
        .poll(async () => {
          const previousCursor = lastCursor;
          lastCursor = await dialect.readChangeCursor();
          return lastCursor === previousCursor;
        })
        .toBe(true);
    };
    await dialect.withWriteTransaction((transaction) =>
      transaction
        .insertInto('events')
        .values({ run_id: 'x', event_type: 'x', payload_json: '{}', created_at: 'x' })
        .execute(),
    );
    await expectChange();
    await dialect.withWriteTransaction((transaction) =>
      transaction
        .updateTable('runs')
        .set({ status: 'STOPPED' })
        .where('status', '=', 'RUNNING')
        .execute(),
    );
    await expectChange();
    await dialect.withWriteTransaction((transaction) =>
      transaction.deleteFrom('events').where('run_id', '=', 'x').execute(),
    );
    await expectChange();
    await database().kysely.selectFrom('runs').selectAll().execute();
    expect(await dialect.readChangeCursor()).toBe(lastCursor);
  });
});

test('The change cursor and the counters of changed iterations on PostgreSQL include partitions in other schemas', async () => {
  const location = await makePostgresLocation();
  const database = await openTestDatabase(location.url);
  await execute(location, [
    'create schema parts',
    'alter table iterations rename to unpartitioned',
    'create table iterations (like unpartitioned including defaults) partition by range (iteration)',
    'create table parts.all_iterations partition of iterations default',
  ]);
  await insertRuns(database, [{}]);
  await insertIterations(database, 'r0', 3);
  const { dialect } = database;
  const readCounters = () =>
    Promise.all([dialect.readChangeCursor(), dialect.readIterationChanges()]);
  const settle = async () => {
    let counters = '';
    await expect
      .poll(
        async () => {
          const lastCounters = counters;
          counters = String(await readCounters());
          return counters === lastCounters;
        },
        { interval: 1_500 },
      )
      .toBe(true);
    return readCounters();
  };
  for (const statement of [
    'update iterations set best_fitness = 5 where iteration = 1',
    'delete from iterations where iteration = 1',
  ]) {
    const [cursor, changes] = await settle();
    await execute(location, [statement]);
    await expect.poll(() => dialect.readChangeCursor(), { timeout: 15_000 }).not.toBe(cursor);
    await expect.poll(() => dialect.readIterationChanges(), { timeout: 15_000 }).not.toBe(changes);
  }
  await database.close();
  await location.remove();
}, 60_000);

test('PostgreSQL shows rows that replace others after TRUNCATE or from a dump, although their numbers are equal', async () => {
  const location = await makePostgresLocation();
  const database = await openTestDatabase(location.url);
  await insertRuns(database, [{}]);
  await insertIterations(database, 'r0', 3);
  const { dialect } = database;
  const texts = new Set<string>();
  for (const statements of [
    [],
    ['create table copy as table iterations', 'truncate iterations'],
    ['drop table iterations', 'alter table copy rename to iterations'],
  ]) {
    await execute(location, statements);
    texts.add(await dialect.readIterationChanges());
  }
  expect(texts.size).toBe(3);
  await database.close();
  await location.remove();
});

describeOnEachDatabase('The size', (database) => {
  test('grows with the rows', async () => {
    const bytesBefore = await database().dialect.readDatabaseSizeBytes();
    await loadSample(database());
    expect(await database().dialect.readDatabaseSizeBytes()).toBeGreaterThan(
      bytesBefore + 1_000_000,
    );
  });
});

describe('truncateToBytes', () => {
  test.each([
    ['abc', 2, 'ab'],
    ['abc', 3, 'abc'],
    ['abc', 9, 'abc'],
    ['aé', 2, 'a'],
    ['aé', 3, 'aé'],
    ['😀', 3, ''],
    ['😀x', 4, '😀'],
    ['', 5, ''],
    ['a', 0, ''],
  ])('%j, %j is %j', (text, bytes, expected) => {
    expect(truncateToBytes(text, bytes)).toBe(expected);
  });
});
