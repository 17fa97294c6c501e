import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { text } from 'node:stream/consumers';
import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest';
import {
  describeOnEachDatabase,
  describeOnEachEngine,
  makeSqliteLocation,
  openTestDatabase,
  type TestDatabase,
} from '#tests/support/databases.ts';
import { resolveProgramFile } from '#tests/support/programs.ts';

const programFile = resolveProgramFile('sample-runner');

const children: ChildProcess[] = [];
afterEach(() => {
  for (const runner of children.splice(0)) runner.kill('SIGKILL');
  vi.unstubAllEnvs();
});

function startRunner(...options: string[]): ChildProcess {
  const runner = spawn(process.execPath, [programFile, ...options], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  children.push(runner);
  return runner;
}

async function finish(runner: ChildProcess) {
  const [stdout, stderr, [code]] = await Promise.all([
    text(runner.stdout!),
    text(runner.stderr!),
    once(runner, 'exit'),
  ]);
  return { stdout, stderr, code: code as number | null };
}

/** Waits until the run has reached an iteration; resolves with the status of the run. */
async function waitForIteration(database: TestDatabase, runId: string, minimum: number) {
  for (let attempt = 0; attempt < 200; attempt++) {
    const row = await database.kysely
      .selectFrom('iterations')
      .innerJoin('runs', 'runs.run_id', 'iterations.run_id')
      .select(['iteration', 'status'])
      .where('iterations.run_id', '=', runId)
      .where('iteration', '>=', minimum)
      .executeTakeFirst();
    if (row) return row.status;
    await wait(50);
  }
  throw new Error(`${runId} never reached iteration ${minimum}`);
}

describeOnEachDatabase('npm run sample', (database) => {
  const getRun = (runId: string) =>
    database()
      .kysely.selectFrom('runs')
      .selectAll()
      .where('run_id', '=', runId)
      .executeTakeFirstOrThrow();

  test('stops a run when another process requests it, and acknowledges the request', async () => {
    const options = ['--only', 'sphere10-gauss', '--seeds', '1', '--interval', '60'];
    const runner = startRunner('--db', database().url, ...options);
    const end = finish(runner);
    expect(await waitForIteration(database(), 'sphere10-gauss-r01', 2)).toBe('RUNNING');
    await database()
      .kysely.insertInto('control_requests')
      .values({
        scope: 'run',
        target_id: 'sphere10-gauss-r01',
        action: 'STOP',
        requested_at: new Date().toISOString(),
        requested_by: 'test',
        reason: 'seen enough',
        status: 'PENDING',
      })
      .execute();
    const { stdout, code } = await end;
    expect(code).toBe(0);
    expect(stdout).toMatch(/^sphere10-gauss-r01 +STOPPED +iteration \d+, evaluations \d+, best /);
    const run = await getRun('sphere10-gauss-r01');
    expect(run).toMatchObject({
      status: 'STOPPED',
      error_message: 'Stop requested from dashboard controls',
    });
    expect(run.iterations).toBeLessThan(30);
    const request = await database()
      .kysely.selectFrom('control_requests')
      .selectAll()
      .executeTakeFirstOrThrow();
    expect(request).toMatchObject({
      status: 'ACKNOWLEDGED',
      acknowledged_by_run_id: 'sphere10-gauss-r01',
      reason: 'seen enough',
    });
    expect(request.acknowledged_at! > request.requested_at).toBe(true);
  });

  test.each([
    ['SIGTERM', 143, 0],
    ['SIGINT', 130, 2],
  ] as const)(
    'ends all running runs as STOPPED without results on %s',
    async (signal, exitCode, before) => {
      const options = ['--only', 'onemax40-pbil', '--live', '--interval', '60'];
      const runner = startRunner('--db', database().url, ...options);
      const end = finish(runner);
      const runIds = [1, 2].map((repetition) => `onemax40-pbil-r0${before + repetition}`);
      for (const runId of runIds) await waitForIteration(database(), runId, 1);
      runner.kill(signal);
      expect((await end).code).toBe(exitCode);
      for (const runId of runIds) {
        const run = await getRun(runId);
        expect(run).toMatchObject({
          status: 'STOPPED',
          error_message: 'Run interrupted by a signal',
          best_fitness: null,
          iterations: null,
        });
        expect(run.end_time).not.toBeNull();
      }
    },
  );
});

describeOnEachEngine('npm run sample', (engine) => {
  let location: Awaited<ReturnType<typeof engine.makeLocation>>;
  beforeAll(async () => void (location = await engine.makeLocation()));
  afterAll(() => location.remove());

  test('prints one line per run and writes the runs into an empty database', async () => {
    const options = ['--only', 'onemax40-umda', '--seeds', '3', '--iterations', '4'];
    const runner = startRunner('--db', location.url, ...options);
    const { stdout, stderr, code } = await finish(runner);
    expect({ stderr, code }).toEqual({ stderr: '', code: 0 });
    expect(stdout.trimEnd().split('\n')).toEqual(
      [1, 2, 3].map((repetition) =>
        expect.stringMatching(
          new RegExp(
            `^onemax40-umda-r0${repetition} +COMPLETED iteration 4, evaluations 120, best `,
          ),
        ),
      ),
    );
    const database = await openTestDatabase(location.url);
    const { runs } = await database.kysely
      .selectFrom('runs')
      .select(({ fn }) => fn.countAll<number>().as('runs'))
      .executeTakeFirstOrThrow();
    await database.close();
    expect(runs).toBe(3);
  });
});

test('writes nothing into a read-only database and exits with 2', async () => {
  const location = await makeSqliteLocation();
  await (await openTestDatabase(location.url)).close();
  const { stderr, code } = await finish(startRunner('--db', `${location.url}?mode=ro`));
  await location.remove();
  expect({ stderr, code }).toEqual({
    stderr:
      'The command cannot write to test.db, which is read-only. Name another database with --db\n',
    code: 2,
  });
});

test('writes nothing of a campaign after SIGINT and exits with 130', async () => {
  const location = await makeSqliteLocation();
  const runner = startRunner('--db', location.url, '--coco');
  const end = finish(runner);
  await expect.poll(() => existsSync(location.file), { interval: 5, timeout: 10_000 }).toBe(true);
  runner.kill('SIGINT');
  expect(await end).toMatchObject({
    stderr: 'The import was cancelled and changed nothing\n',
    code: 130,
  });
  await location.remove();
});

test('prints all options with --help and exits with 0', async () => {
  const { stdout, code } = await finish(startRunner('--help'));
  expect(code).toBe(0);
  for (const option of ['--db', '--live', '--interval', '--seeds', '--iterations', '--only']) {
    expect(stdout).toContain(option);
  }
});

test.each(['SVC_DB_USER', 'SVC_DB_PASSWORD'])(
  'exits with 2 and the reason if the file of %s cannot be read',
  async (variable) => {
    vi.stubEnv(`${variable}_FILE`, '/missing/file');
    expect(await finish(startRunner('--db', '/nowhere/at/all/x.db'))).toEqual({
      stdout: '',
      stderr: `${variable}_FILE must name a readable file with the value in its first line\n`,
      code: 2,
    });
  },
);

test.each([
  [['--seeds', '3'], '--db is missing: name the database to write into'],
  [
    ['--db', 'x.db', '--seeds', 'many'],
    '--seeds must be a whole number from 1 to 1000000, not "many"',
  ],
  [['--db', '/nowhere/at/all/x.db'], 'The folder /nowhere/at/all of the database does not exist'],
  [['--db', 'mysql://host/x'], 'Unsupported database URL "mysql:…"'],
])('reports the error in the options %j and exits with 2', async (options, message) => {
  const { stdout, stderr, code } = await finish(startRunner(...options));
  expect(code).toBe(2);
  expect(stdout).toBe('');
  expect(stderr).toContain(message);
});
