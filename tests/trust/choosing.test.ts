import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import SqliteDatabase from 'better-sqlite3';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { CurrentDatabase } from '#shared/schemas/databases.ts';
import type { ProblemDocument } from '#shared/schemas/error.ts';
import { openDatabase, createUnopenedDatabase } from '#server/db/open.ts';
import { isLong, whySkipped } from '#tests/support/long.ts';
import { writeSampleFile } from '#tests/support/sample-file.ts';
import { parseAddress, spawnService, type ServiceProcess } from '#tests/support/service-process.ts';

const patience = { timeout: 60_000 };
/** By hand with more: `SWITCHES=50`. */
const switches = Number(process.env['SWITCHES'] ?? 4);

let folder: string;
let service: ServiceProcess;
let url: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'evoscope-switching-'));
  writeSampleFile(join(folder, 'a.db'));
  writeSampleFile(join(folder, 'b.db'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

async function start(): Promise<void> {
  const flags = ['--choose', folder, '--port', '0', '--log-level', 'warn'];
  service = spawnService(flags, { isMeasured: true });
  url = parseAddress(await service.readyLine);
}
async function post(path: string, body: object) {
  const headers = { 'content-type': 'application/json' };
  const answer = await fetch(url + path, { method: 'POST', headers, body: JSON.stringify(body) });
  return {
    status: answer.status,
    body: (await answer.json()) as CurrentDatabase & ProblemDocument,
  };
}
const open = (file: string, more: object = {}) => post('/api/databases/open', { file, ...more });
const listed = async () => {
  const answer = await fetch(`${url}/api/runs`);
  const body = (await answer.json()) as { total: number };
  return { id: answer.headers.get('x-evoscope-database'), ...body };
};

/** The resources that a process uses. */
function held() {
  const of = `/proc/${service.child.pid}`;
  return {
    threads: readdirSync(`${of}/task`).length,
    files: readdirSync(`${of}/fd`).length,
    megabytes: Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`${of}/status`, 'utf8'))?.[1]) / 1_024,
  };
}

/** Locks a file until it ends. */
const lock = `
  const database = new (require('node:sqlite').DatabaseSync)(process.argv[1]);
  database.exec('pragma locking_mode = exclusive; begin exclusive');
  console.log('locked');
  setTimeout(() => {}, 60_000);`;

test('A file that another program locks after its preparation is chosen without a wait', async () => {
  const file = join(folder, 'locked.db');
  writeSampleFile(file);
  const source = { dialect: 'sqlite', file, mode: 'rw', isImmutable: false } as const;
  const ready = await openDatabase(source);
  await ready.close();
  const locker = spawn(process.execPath, ['-e', lock, file]);
  await once(locker.stdout, 'data');
  const began = performance.now();
  const opened = createUnopenedDatabase(source, ready);
  expect(opened).toMatchObject({
    name: 'locked.db',
    isReadOnly: false,
    ertColumn: ready.ertColumn,
  });
  await opened.close();
  expect(performance.now() - began).toBeLessThan(1_000);
  locker.kill('SIGKILL');
  await once(locker, 'exit');
});

async function stop(): Promise<void> {
  service.child.kill('SIGTERM');
  await service.exitCode;
}

describe('Choosing another database', () => {
  beforeAll(start);
  afterAll(stop);

  test.skipIf(whySkipped)(
    `many times leaks no thread, no open file and no memory${whySkipped}`,
    { timeout: 300_000 },
    async () => {
      const turnTo = async (turn: number) => {
        const stream = turn % 4 === 0 ? await fetch(`${url}/api/changes`) : undefined;
        expect((await open(turn % 2 ? 'a.db' : 'b.db')).status).toBe(200);
        expect((await listed()).total).toBe(159);
        // The threads of analyses have most of the memory.
        expect((await fetch(`${url}/api/analysis/problem/onemax`)).status).toBe(200);
        await stream?.text();
      };
      // What a process starts once, as it is first needed, is no loss.
      for (let turn = 0; turn < 2; turn += 1) await turnTo(turn);
      const before = held();
      for (let turn = 0; turn < switches; turn += 1) await turnTo(turn);
      await expect
        .poll(() => held().threads, { timeout: 20_000 })
        .toBeLessThan(before.threads + switches / 2);
      // A database that is not let go of would hold three files a turn.
      await expect
        .poll(() => held().files, { timeout: 20_000 })
        .toBeLessThan(before.files + switches);
      expect(held().megabytes).toBeLessThan(before.megabytes + 100);
    },
  );

  test(
    'by many at the same time opens one of them, and each response belongs to the database that it names',
    patience,
    async () => {
      const answers = await Promise.all(
        Array.from({ length: 4 }, (_, index) => open(index % 2 ? 'a.db' : 'b.db')),
      );
      expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
      const { id } = await listed();
      expect(answers.map(({ body }) => body.id)).toContain(id);
    },
  );

  test('is refused during an import, and possible after it', patience, async () => {
    await open('into.db', { create: true });
    // The import waits while another program holds its lock.
    const other = new SqliteDatabase(join(folder, 'into.db'));
    other.exec('begin immediate');
    const sent = {
      method: 'POST',
      headers: { 'content-type': 'text/csv' },
      body: 'evaluations,best\n1,1\n',
    };
    const started = await fetch(`${url}/api/import?direction=min`, sent);
    expect(started.status).toBe(202);
    expect((await open('b.db')).body.code).toBe('IMPORT_RUNNING');
    expect((await open('a.db')).body.detail).toMatch(
      /^An import of "upload" into the current database is running: wait/,
    );
    other.exec('rollback');
    other.close();
    await expect.poll(async () => (await open('a.db')).status).toBe(200);
    expect(service.output().stderr).not.toContain('did not expect');
  });

  test('lets an earlier deletion complete and respond', patience, async () => {
    writeSampleFile(join(folder, 'cleared.db'));
    await open('cleared.db');
    const { items } = (await (await fetch(`${url}/api/experiments?size=200`)).json()) as {
      items: { experimentId: string; runningRuns: number }[];
    };
    const experimentIds = items
      .filter(({ runningRuns }) => runningRuns === 0)
      .map(({ experimentId }) => experimentId);
    const deletion = post('/api/experiments/delete-bulk', { experimentIds });
    const opened = open('a.db');
    expect((await deletion).body).toMatchObject({ deletedCount: experimentIds.length });
    expect((await opened).status).toBe(200);
    expect((await listed()).total).toBe(159);
    await open('cleared.db');
    expect((await listed()).total).toBeLessThan(10);
  });

  test(
    'reports a deleted file; after a later deletion, another file can be chosen',
    patience,
    async () => {
      writeSampleFile(join(folder, 'short-lived.db'));
      await open('short-lived.db');
      renameSync(join(folder, 'short-lived.db'), join(folder, 'moved.db'));
      await expect.poll(async () => (await fetch(`${url}/api/runs`)).status).toBe(503);
      expect((await open('moved.db')).status).toBe(200);
      expect((await listed()).total).toBe(159);
      expect((await open('short-lived.db')).body.code).toBe('CREATE_NEEDED');
    },
  );

  test(
    'to the open file under its new name waits until the service has closed it',
    patience,
    async () => {
      const [file, moved] = [join(folder, 'before.db'), join(folder, 'after.db')];
      writeSampleFile(file);
      const database = new SqliteDatabase(file);
      const runId = database.prepare('select run_id from runs').pluck().get() as string;
      database
        .prepare(
          `with recursive n (i) as (select 1 union all select i + 1 from n where i < 30)
           insert into events (run_id, event_type, payload_json, created_at)
           select ?, 'x', hex(zeroblob(1500000)), '' from n`,
        )
        .run(runId);
      database.close();
      await open('before.db');
      // A search that takes a second or more keeps the file open.
      const search = fetch(`${url}/api/runs/${runId}/events?q=\u00e9zzz`);
      await listed();
      renameSync(file, moved);
      const opened = open('after.db');
      expect(await opened).toMatchObject({ status: 200, body: { name: 'after.db' } });
      expect((await listed()).total).toBe(159);
      await search;
    },
  );
});

describe('Choosing another database, while the service ends,', () => {
  afterEach(stop);

  test('does not delay SIGTERM at any time', patience, async () => {
    for (const afterMillis of isLong ? [0, 150, 400] : [150]) {
      await start();
      await open('a.db');
      const opened = open('b.db').catch(() => undefined);
      await new Promise((resolve) => setTimeout(resolve, afterMillis));
      const asked = performance.now();
      service.child.kill('SIGTERM');
      expect(await service.exitCode).toBe(0);
      expect(performance.now() - asked).toBeLessThan(5_000);
      await opened;
      expect(readdirSync(folder).filter((name) => /^[ab]\.db-wal$/.test(name))).toEqual([]);
    }
  });

  test('to interrupted sample data leaves no file', patience, async () => {
    await start();
    const made = post('/api/databases/sample', { file: 'half.db' }).catch(() => undefined);
    await expect.poll(() => readdirSync(folder).includes('half.db')).toBe(true);
    service.child.kill('SIGTERM');
    expect(await service.exitCode).toBe(0);
    await made;
    expect(readdirSync(folder).filter((name) => name.startsWith('half'))).toEqual([]);
  });
});
