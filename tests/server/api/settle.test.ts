import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest';
import { sql } from 'kysely';
import { openDatabase } from '#server/db/open.ts';
import type { ResponseBody } from '#shared/api.ts';
import { describeOnEachDatabase } from '#tests/support/databases.ts';
import { resolveProgramFile } from '#tests/support/programs.ts';
import { insert } from '#tests/support/rows.ts';
import { startService, type TestService } from '#tests/support/test-service.ts';

const root = join(import.meta.dirname, '../../..');
const patience = { timeout: 60_000, interval: 100 };

/** So many minutes ago, as the runner writes it. */
function ago(minutes: number): string {
  return new Date(Date.now() - minutes * 60_000).toISOString();
}

describeOnEachDatabase('POST /api/runs/{runId}/settle', (database) => {
  let service: TestService;
  let runner: ChildProcess | undefined;

  beforeAll(async () => {
    service = await startService(database(), { isInThisThread: true });
    await insert(database(), 'experiments', {});
  });
  afterEach(() => endRunner());
  afterAll(() => service.close());

  const settle = async (runId: string, body?: object) => {
    const response = await fetch(`${service.url}/api/runs/${runId}/settle`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
    });
    return { status: response.status, answer: (await response.json()) as Record<string, unknown> };
  };
  const makeRefusal = async (runId: string) => (await settle(runId)).answer;
  const isSqlite = () => database().dialect.name === 'sqlite';
  const getRun = (runId: string) => service.get<ResponseBody<'getRun'>>(`/api/runs/${runId}`);

  async function endRunner(): Promise<void> {
    if (runner?.exitCode !== null || runner.signalCode !== null) return;
    runner.kill('SIGKILL');
    await once(runner, 'exit');
  }

  async function startRunner(): Promise<string> {
    const flags = ['--live', '--interval', '1000', '--iterations', '5000', '--seeds', '1'];
    const script = [resolveProgramFile('sample-runner'), '--db', database().url, ...flags];
    runner = spawn(process.execPath, [...script, '--only', 'onemax40-pbil'], {
      cwd: root,
      stdio: 'ignore',
    });
    return vi.waitUntil(async () => {
      const { items } = await service.get<ResponseBody<'listRuns'>>(
        '/api/runs?status=RUNNING&sortBy=start_time',
      );
      const run = items.find(({ runId, progress }) => runId !== 'quiet' && progress?.evaluations);
      return run?.runId;
    }, patience);
  }

  /** Lets all that a run wrote lie an hour further back, as if that hour had passed. */
  async function letAnHourPass(runId: string): Promise<void> {
    const { kysely } = database();
    const earlier = (time: string) =>
      new Date(Date.parse(time) - 3_600_000).toISOString().replace('Z', '000Z');
    const rows = await kysely
      .selectFrom('iterations')
      .select(['id', 'created_at'])
      .where('run_id', '=', runId)
      .execute();
    for (const { id, created_at } of rows) {
      await kysely
        .updateTable('iterations')
        .set({ created_at: earlier(created_at) })
        .where('id', '=', id)
        .execute();
    }
  }

  test(
    'ends a run whose runner was killed, which then can be deleted with its experiment',
    { timeout: 120_000 },
    async () => {
      const runId = await startRunner();
      expect(await makeRefusal(runId)).toMatchObject({ code: 'STILL_ALIVE', status: 409 });
      await endRunner();
      const alive = await makeRefusal(runId);
      expect(alive).toMatchObject({ code: 'STILL_ALIVE' });
      expect(alive['detail']).toMatch(
        /last wrote at \S+Z: it counts as silent after 1 min 0 s\. Wait, or request a stop instead$/,
      );
      const experiment = `/api/experiments/${(await getRun(runId)).experimentId}`;
      const deletion = () => fetch(`${service.url}${experiment}`, { method: 'DELETE' });
      expect((await deletion()).status).toBe(409);

      await letAnHourPass(runId);
      const { progress } = await getRun(runId);
      expect(progress?.silent).toBe(true);
      const insights = await service.get<ResponseBody<'getInsights'>>(
        `/api/runs/${runId}/insights`,
      );
      expect(insights.diagnosis[0]).toMatchObject({ code: 'SILENT', severity: 'warning' });
      const lastActivityAt = progress?.lastActivityAt;
      expect(await settle(runId, { reason: 'the machine was restarted' })).toEqual({
        status: 200,
        answer: { runId, settled: true, lastActivityAt },
      });
      expect(await getRun(runId)).toMatchObject({
        status: 'FAILED',
        endTime: lastActivityAt,
        errorMessage: `Settled by hand: silent since ${lastActivityAt}. the machine was restarted`,
        progress: null,
      });
      const { items } = await service.get<ResponseBody<'listEvents'>>(
        `/api/runs/${runId}/events?eventType=run_settled`,
      );
      expect(JSON.parse(items[0]?.payloadJson ?? '')).toMatchObject({
        runId,
        lastActivityAt,
        reason: 'the machine was restarted',
      });
      expect(await makeRefusal(runId)).toMatchObject({
        status: 409,
        code: 'NOT_RUNNING',
        detail: `Run "${runId}" is FAILED, not RUNNING. Select a RUNNING run`,
      });
      expect((await deletion()).status).toBe(200);
    },
  );

  test(
    'is refused while the run writes, for any clock of its runner',
    { timeout: 120_000 },
    async () => {
      const runId = await startRunner();
      expect(await makeRefusal(runId)).toMatchObject({ code: 'STILL_ALIVE' });
      await putClockBack();
      await letAnHourPass(runId);
      const { progress } = await vi.waitUntil(async () => {
        const run = await getRun(runId);
        return run.progress?.silent && run;
      }, patience);
      const before = progress?.evaluations;
      expect(await makeRefusal(runId)).toMatchObject({
        status: 409,
        code: 'STILL_ALIVE',
        detail: expect.stringMatching(
          /" wrote while the service watched it for \d\.\d s: request a stop instead$/,
        ) as string,
      });
      await sql`drop trigger clock ${sql.raw(isSqlite() ? '' : 'on iterations')}`.execute(
        database().kysely,
      );
      const run = await getRun(runId);
      expect(run.status).toBe('RUNNING');
      expect(Number(run.progress?.evaluations)).toBeGreaterThan(Number(before));
      const types = await service.get<ResponseBody<'listEventTypes'>>(
        `/api/runs/${runId}/event-types`,
      );
      expect(types.map(({ eventType }) => eventType)).not.toContain('run_settled');
    },
  );

  test('needs 10 minutes without activity, and reports the last activity', async () => {
    await insert(database(), 'runs', { run_id: 'quiet', status: 'RUNNING', start_time: ago(20) });
    await insert(database(), 'iterations', { run_id: 'quiet', iteration: 0, created_at: ago(9) });
    expect((await getRun('quiet')).progress?.silent).toBe(true);
    expect((await makeRefusal('quiet'))['detail']).toMatch(
      /last wrote at .*: you can settle it 10 min 0 s later\. Wait until then$/,
    );
    const row = { iteration: 1, created_at: ago(11) };
    await database()
      .kysely.updateTable('iterations')
      .set(row)
      .where('run_id', '=', 'quiet')
      .execute();
    expect((await settle('quiet')).answer).toMatchObject({ lastActivityAt: row.created_at });
    expect((await getRun('quiet')).errorMessage).toBe(
      `Settled by hand: silent since ${row.created_at}.`,
    );
  });

  test('changes nothing if the run is missing or not RUNNING, or the database read-only', async () => {
    await insert(database(), 'runs', { run_id: 'done' });
    expect(await makeRefusal('nobody')).toMatchObject({ status: 404, code: 'RUN_NOT_FOUND' });
    expect(await makeRefusal('done')).toMatchObject({
      code: 'NOT_RUNNING',
      detail: 'Run "done" is COMPLETED, not RUNNING. Select a RUNNING run',
    });
    expect((await settle('done', { reason: 'x'.repeat(1_001) })).answer).toMatchObject({
      status: 400,
      code: 'VALIDATION_FAILED',
    });
    const readOnly = await startService({
      ...(await openDatabase(database().location, { isReadOnly: true })),
    });
    const problem = await readOnly.getProblem('/api/runs/quiet/settle', { method: 'POST' });
    expect(problem).toMatchObject({ status: 409, code: 'READ_ONLY' });
    await readOnly.close();
  });

  /** A runner's rows come with a time an hour ago from here on. */
  async function putClockBack(): Promise<void> {
    const { kysely } = database();
    if (isSqlite()) {
      await sql`create trigger clock after insert on iterations when new.created_at > ${sql.lit(ago(30))}
        begin update iterations set created_at = strftime('%Y-%m-%dT%H:%M:%fZ', new.created_at, '-1 hour')
          where id = new.id; end`.execute(kysely);
      return;
    }
    await sql`create function put_back() returns trigger language plpgsql as $$ begin
      new.created_at := to_char(new.created_at::timestamptz at time zone 'UTC' - interval '1 hour',
        'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'); return new; end $$`.execute(kysely);
    await sql`create trigger clock before insert on iterations for each row execute function put_back()`.execute(
      kysely,
    );
  }
});
