import { setTimeout as delay } from 'node:timers/promises';
import SqliteDatabase from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { fileOf, makeSqlitePlace, type TestPlace } from '#tests/support/databases.ts';
import { writeSampleFile } from '#tests/support/sample-file.ts';
import { addressIn, spawnService, type ServiceProcess } from '#tests/support/service-process.ts';

let place: TestPlace;
let service: ServiceProcess | undefined;
let others: SqliteDatabase.Database[];

beforeEach(async () => {
  place = await makeSqlitePlace();
  writeSampleFile(fileOf(place));
  others = [];
});
afterEach(async () => {
  for (const other of others) other.close();
  service?.child.kill('SIGKILL');
  await service?.exited;
  await place.remove();
});

/** A limit that holds on a machine which has much else to do; what is caught takes 10 s and more. */
const slackly = (millis: number) => 1.5 * millis + 1_000;

/** Another program that has the file open. */
function another(): SqliteDatabase.Database {
  const handle = new SqliteDatabase(fileOf(place));
  others.push(handle);
  return handle;
}

async function start(...flags: string[]): Promise<string> {
  service = spawnService(['--db', fileOf(place), '--port', '0', ...flags]);
  return addressIn(await service.readyLine);
}

/** Asks for health a few times, and says how long the longest answer took. */
async function slowestHealth(address: string): Promise<number> {
  let slowest = 0;
  for (let times = 0; times < 3; times += 1) {
    const began = performance.now();
    const response = await fetch(`${address}/api/health`);
    expect([200, 503]).toContain(response.status);
    await response.text();
    slowest = Math.max(slowest, performance.now() - began);
  }
  return slowest;
}

async function millisToStop(): Promise<number> {
  const began = performance.now();
  service?.child.kill('SIGTERM');
  await service?.exited;
  return performance.now() - began;
}

describe('While another program has a file locked that has no write-ahead log', () => {
  const holders: Record<string, () => Promise<string>> = {
    'and the service only reads it': async () => {
      const address = await start('--read-only');
      another().exec('begin exclusive');
      return address;
    },
    'as one that was reading when the service started kept it from getting one': async () => {
      const reader = another();
      reader.exec('begin');
      reader.prepare('select count(*) from runs').get();
      const address = await start();
      reader.exec('rollback; begin exclusive');
      return address;
    },
    'for all its time': async () => {
      const address = await start('--read-only');
      const owner = another();
      owner.pragma('locking_mode = exclusive');
      owner.exec("update runs set status = status where run_id = 'nobody'");
      owner.exec('begin exclusive; commit');
      return address;
    },
  };

  test.each(Object.keys(holders))(
    '%s, health answers within 2 s and SIGTERM ends it within 5 s',
    async (name) => {
      const address = (await holders[name]?.()) ?? '';
      const requests = Array.from({ length: 6 }, () => fetch(`${address}/api/runs`));
      const answers = Promise.allSettled(requests);
      expect(await slowestHealth(address)).toBeLessThan(slackly(2_000));
      const page = performance.now();
      expect((await fetch(`${address}/api/runs?size=x`)).status).toBe(400);
      expect(performance.now() - page).toBeLessThan(slackly(500));
      expect(await millisToStop()).toBeLessThan(slackly(5_000));
      for (const answer of await answers) {
        if (answer.status === 'fulfilled') expect([200, 503]).toContain(answer.value.status);
      }
    },
  );
});

describe('While queries take long', () => {
  const rows = 150;
  const search = `/api/runs/long/events?q=${encodeURIComponent('ézz')}`;

  beforeEach(() => {
    const writer = another();
    writer.exec(`insert into runs (run_id, experiment_id, seed, status, start_time)
      select 'long', experiment_id, 1, 'COMPLETED', '' from experiments limit 1`);
    const add = writer.prepare(
      "insert into events (run_id, event_type, payload_json, created_at) values ('long', 'x', hex(zeroblob(500000)), '')",
    );
    writer.transaction(() => Array.from({ length: rows }, () => add.run()))();
  });

  test('health answers at once, and SIGTERM ends the service within 5 s', async () => {
    const address = await start();
    const answers = Promise.allSettled(Array.from({ length: 8 }, () => fetch(address + search)));
    await delay(500);
    expect(await slowestHealth(address)).toBeLessThan(slackly(2_000));
    expect(await millisToStop()).toBeLessThan(slackly(5_000));
    await answers;
  });
});
