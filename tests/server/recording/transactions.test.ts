import { expect, test } from 'vitest';
import type { Database } from '#server/db/database.ts';
import { callMlflow } from '#server/mlflow/operations.ts';
import { storeRecords } from '#server/recording/record-lines.ts';
import { describeOnEachDatabase } from '#tests/support/databases.ts';
import { isLong } from '#tests/support/long.ts';
import { deleteAllRows } from '#tests/support/rows.ts';

/** Other writers of a SQLite file wait during a transaction. The limit in the gate allows for a busy machine. */
const maximumMillis = isLong ? 50 : 500;

/** Returns a database, and the durations of its write transactions in milliseconds. */
function timeTransactions(database: Database): { timedDatabase: Database; durations: number[] } {
  const durations: number[] = [];
  const { dialect } = database;
  const timedDatabase: Database = {
    ...database,
    dialect: {
      ...dialect,
      withWriteTransaction: async (work) => {
        const startMillis = performance.now();
        try {
          return await dialect.withWriteTransaction(work);
        } finally {
          durations.push(performance.now() - startMillis);
        }
      },
    },
  };
  return { timedDatabase, durations };
}

const getMedian = (values: readonly number[]) =>
  [...values].sort((a, b) => a - b)[values.length >> 1] ?? NaN;

/** Returns a database that another program locks after some write transactions. */
function lockAfter(database: Database, transactionCount: number, error: Error): Database {
  let count = 0;
  const { dialect } = database;
  return {
    ...database,
    dialect: {
      ...dialect,
      withWriteTransaction: (work) => {
        count += 1;
        if (count > transactionCount) throw error;
        return dialect.withWriteTransaction(work);
      },
      classifyFailure: (failure) => (failure === lockError ? 'busy' : 'other'),
    },
  };
}

const lockError = new Error('locked');

describeOnEachDatabase('A request of records', (database) => {
  const config = { algorithm: 'CMA-ES', problem: 'sphere' };
  const records = [
    { type: 'run', runId: 'r', seed: 1, config },
    ...Array.from({ length: 99 }, (_, iteration) => ({
      type: 'iteration',
      runId: 'r',
      iteration,
      evaluations: iteration,
      best: 1,
    })),
  ];
  const text = records.map((record) => JSON.stringify(record)).join('\n');
  const input = { isRecording: true, text, furtherRuns: [] };

  test('rejects the records after a lock, and stores them when they are sent again', async () => {
    await deleteAllRows(database());
    const { accepted, rejected } = await storeRecords(lockAfter(database(), 1, lockError), input);
    expect(accepted).toBeGreaterThan(0);
    const message = 'Another program is writing to the database: send this record again';
    const lockedLines = records.map((_, index) => index + 1).slice(accepted);
    expect(lockedLines.length).toBeGreaterThan(0);
    expect(rejected).toEqual(lockedLines.map((line) => ({ line, code: 'BUSY', message })));
    const iterations = await database().kysely.selectFrom('iterations').selectAll().execute();
    expect(iterations).toHaveLength(accepted - 1);
    expect(await storeRecords(database(), input)).toMatchObject({
      accepted: lockedLines.length,
      unchanged: accepted,
      rejected: [],
    });
  });

  test('fails if the database is locked from the start, and with any other error', async () => {
    await deleteAllRows(database());
    await expect(storeRecords(lockAfter(database(), 0, lockError), input)).rejects.toMatchObject({
      code: 'RECORDING_BUSY',
      message:
        'Another program is writing to the database, so the service stored nothing. Send the request again in a second.',
    });
    const error = new Error('disk full');
    await expect(storeRecords(lockAfter(database(), 1, error), input)).rejects.toBe(error);
  });
});

describeOnEachDatabase('A transaction that records', (database) => {
  test('takes at most 50 ms of a long request', async () => {
    await deleteAllRows(database());
    const config = { algorithm: 'CMA-ES', problem: 'sphere' };
    const runs = Array.from({ length: 20 }, (_, i) => ({
      type: 'run',
      runId: `r${i}`,
      seed: i,
      config,
    }));
    const iterations = Array.from({ length: 3_000 }, (_, i) => ({
      type: 'iteration',
      runId: `r${i % 20}`,
      iteration: Math.floor(i / 20),
      evaluations: i,
      best: 1 / (i + 1),
      metrics: { sigma: 0.5, condition: 3 },
    }));
    const { timedDatabase, durations } = timeTransactions(database());
    const text = [...runs, ...iterations].map((line) => JSON.stringify(line)).join('\n');
    const { accepted } = await storeRecords(timedDatabase, {
      isRecording: true,
      text,
      furtherRuns: [],
    });
    expect(accepted).toBe(3_020);
    process.stdout.write(describeDurations('3,020 records', durations));
    // The median: single transactions also contain the pauses of a busy machine.
    expect(getMedian(durations)).toBeLessThanOrEqual(maximumMillis);
    expect(durations.length).toBeGreaterThan(5);
  });

  test('takes at most 50 ms of a request with large experiments', async () => {
    await deleteAllRows(database());
    const text = Array.from({ length: 40 }, (_, i) => {
      const config = Object.fromEntries(Array.from({ length: 300 }, (_value, j) => [`p${j}`, i]));
      return JSON.stringify({ type: 'run', runId: `r${i}`, seed: i, config });
    }).join('\n');
    const { timedDatabase, durations } = timeTransactions(database());
    const { accepted } = await storeRecords(timedDatabase, {
      isRecording: true,
      text,
      furtherRuns: [],
    });
    expect(accepted).toBe(40);
    process.stdout.write(describeDurations('40 experiments', durations));
    expect(durations.length).toBeGreaterThan(2);
    expect(getMedian(durations)).toBeLessThanOrEqual(maximumMillis);
  });

  test('stores a batch of MLflow with 1,000 metrics in at most 50 ms', async () => {
    await deleteAllRows(database());
    const call = (operation: 'runs/create' | 'runs/log-batch', input: unknown) =>
      callMlflow({ database: timedDatabase, isRecording: true }, { operation, input });
    const { timedDatabase, durations } = timeTransactions(database());
    const created = await call('runs/create', { experiment_id: '0' });
    const { run } = JSON.parse(created) as { run: { info: { run_id: string } } };
    durations.length = 0;
    for (let batch = 0; batch < 5; batch += 1) {
      const metrics = Array.from({ length: 1_000 }, (_, i) => ({
        key: ['best', 'evaluations', 'sigma', 'condition'][i % 4],
        value: i,
        timestamp: 1e12 + i,
        step: batch * 250 + Math.floor(i / 4),
      }));
      await call('runs/log-batch', { run_id: run.info.run_id, metrics });
    }
    const rows = await database().kysely.selectFrom('iterations').selectAll().execute();
    expect(rows).toHaveLength(1_250);
    process.stdout.write(describeDurations('1,000 metrics each', durations));
    expect(getMedian(durations)).toBeLessThanOrEqual(maximumMillis);
  });

  const describeDurations = (work: string, durations: readonly number[]) =>
    `${database().dialect.name}: ${work} in transactions (${durations.length}), median ` +
    `${getMedian(durations).toFixed(1)} ms, longest ${Math.max(...durations).toFixed(1)} ms.\n`;
});
