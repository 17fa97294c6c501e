import {
  createExperimentRecord,
  record,
  type Recorder,
  createClock,
  formatEpochSeconds,
  formatInstant,
} from '#server/recording/recorder.ts';
import { describeOnEachDatabase, type TestDatabase } from '#tests/support/databases.ts';
import { afterEach, expect, test, vi } from 'vitest';
import { parseJavaJson, readRunnerRows } from '#tests/support/runner-sample.ts';

afterEach(() => void vi.useRealTimers());

const startOfSecond = 1_795_254_850_000_000_000n;
const timeText = '2026-11-21T09:54:10Z';
const [storedRow] = readRunnerRows('select config_json from experiments limit 1');
const experiment = createExperimentRecord(parseJavaJson(storedRow!['config_json']));

const getRun = (runId: string) => ({
  run_id: runId,
  experiment_id: experiment.experimentId,
  seed: '7134074521766642662',
  status: 'RUNNING',
  start_time: timeText,
});
const getIteration = (runId: string, iteration: number, bestFitness = 1) => ({
  run_id: runId,
  iteration,
  evaluations: iteration * 10,
  best_fitness: bestFitness,
  mean_fitness: bestFitness,
  std_fitness: 0,
  metrics_json: null,
  diagnostics_json: null,
  created_at: timeText,
});

async function recordRun(recorder: Recorder, runId: string): Promise<void> {
  await recorder.writeExperiment(experiment, startOfSecond);
  await recorder.writeRuns([getRun(runId)]);
}

async function countRows({ kysely }: TestDatabase, table: 'runs' | 'iterations'): Promise<number> {
  const { rows } = await kysely
    .selectFrom(table)
    .select((eb) => eb.fn.countAll<number>().as('rows'))
    .executeTakeFirstOrThrow();
  return rows;
}

describeOnEachDatabase('a recorder', (database) => {
  test('writes a data set of many runs and iterations in one transaction', async () => {
    const runIds = Array.from({ length: 3000 }, (_, index) => `many-${index}`);
    const iterations = runIds.flatMap((runId) =>
      Array.from({ length: 5 }, (_, index) => getIteration(runId, index)),
    );
    await record(database(), async (recorder) => {
      await recorder.writeExperiment(experiment, startOfSecond);
      await recorder.writeRuns(runIds.map(getRun));
      await recorder.writeIterations(iterations);
      await recorder.writeObjectives(
        runIds.map((run_id) => ({ run_id, objective_name: 'best_obj_0', objective_value: 1 })),
      );
    });
    expect(await countRows(database(), 'runs')).toBe(3000);
    expect(await countRows(database(), 'iterations')).toBe(15_000);
    const run = await database()
      .kysely.selectFrom('runs')
      .select('seed')
      .where('run_id', '=', 'many-2999')
      .executeTakeFirstOrThrow();
    expect(run.seed).toBe('7134074521766642662');
  });

  test('writes nothing if its work fails', async () => {
    const failedRecord = record(database(), async (recorder) => {
      await recordRun(recorder, 'undone');
      throw new Error('the file ends in the middle');
    });
    await expect(failedRecord).rejects.toThrow('the file ends in the middle');
    const rows = await database()
      .kysely.selectFrom('runs')
      .select('run_id')
      .where('run_id', '=', 'undone')
      .execute();
    expect(rows).toEqual([]);
  });

  test('overwrites an iteration of the same number, but not a run', async () => {
    await record(database(), async (recorder) => {
      await recordRun(recorder, 'again');
      await recorder.writeIterations([getIteration('again', 0, 1), getIteration('again', 1, 2)]);
    });
    await record(database(), async (recorder) => {
      await recorder.writeRuns([{ ...getRun('again'), status: 'FAILED' }]);
      await recorder.writeIterations([getIteration('again', 1, 3)]);
    });
    const { kysely } = database();
    const run = await kysely
      .selectFrom('runs')
      .select('status')
      .where('run_id', '=', 'again')
      .executeTakeFirst();
    const values = await kysely
      .selectFrom('iterations')
      .select('best_fitness')
      .where('run_id', '=', 'again')
      .orderBy('iteration')
      .execute();
    expect(run?.status).toBe('RUNNING');
    expect(values.map(({ best_fitness }) => best_fitness)).toEqual([1, 3]);
  });

  test('changes a run only if it has the requested status', async () => {
    await record(database(), (recorder) => recordRun(recorder, 'ending'));
    const statusAfter = async (status: string) => {
      await record(database(), (recorder) =>
        recorder.changeRun('ending', { status, end_time: timeText }, 'RUNNING'),
      );
      const row = await database()
        .kysely.selectFrom('runs')
        .select('status')
        .where('run_id', '=', 'ending')
        .executeTakeFirst();
      return row?.status;
    };
    expect(await statusAfter('COMPLETED')).toBe('COMPLETED');
    expect(await statusAfter('STOPPED')).toBe('COMPLETED');
  });

  test('starts the payload of an event with its run and time', async () => {
    await record(database(), async (recorder) => {
      await recordRun(recorder, 'telling');
      await recorder.writeEvents([
        { runId: 'telling', type: 'imported', instant: startOfSecond, members: { files: 2 } },
      ]);
    });
    const event = await database()
      .kysely.selectFrom('events')
      .select(['event_type', 'payload_json', 'created_at'])
      .where('run_id', '=', 'telling')
      .executeTakeFirst();
    expect(event).toEqual({
      event_type: 'imported',
      payload_json: '{"runId":"telling","timestamp":1795254850.000000000,"files":2}',
      created_at: timeText,
    });
  });

  test('writes nothing for empty lists', async () => {
    await record(database(), async (recorder) => {
      await recorder.writeRuns([]);
      await recorder.writeIterations([]);
      await recorder.writeEvents([]);
    });
  });
});

test.each([
  [0n, '2026-11-21T09:54:10Z'],
  [500_000_000n, '2026-11-21T09:54:10.500Z'],
  [518_673_000n, '2026-11-21T09:54:10.518673Z'],
  [518_673_913n, '2026-11-21T09:54:10.518673913Z'],
  [7n, '2026-11-21T09:54:10.000000007Z'],
])('%d ns after a second are printed with as many digits as needed', (nanoseconds, text) => {
  expect(formatInstant(startOfSecond + nanoseconds)).toBe(text);
});

test('seconds since the epoch have nine fractional digits', () => {
  expect(formatEpochSeconds(startOfSecond + 1_000n)).toBe('1795254850.000001000');
});

test('the clock returns the time of day and is monotonic', () => {
  const clock = createClock();
  const [firstTime, secondTime] = [clock(), clock()];
  expect(secondTime).toBeGreaterThanOrEqual(firstTime);
  expect(Math.abs(Number(firstTime / 1_000_000n) - Date.now())).toBeLessThan(2000);
});

test('the clock returns the time of day after the computer has slept for an hour', () => {
  const clock = createClock();
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 3_600_000 });
  const [firstTime, secondTime] = [clock(), clock()];
  expect(Math.abs(Number(firstTime / 1_000_000n) - Date.now())).toBeLessThan(2000);
  expect(secondTime).toBeGreaterThanOrEqual(firstTime);
});
