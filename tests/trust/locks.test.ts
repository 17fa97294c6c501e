import { setTimeout as delay } from 'node:timers/promises';
import SqliteDatabase from 'better-sqlite3';
import { describe, expect, onTestFinished, test } from 'vitest';
import { makeSqliteLocation } from '#tests/support/databases.ts';
import { whySkipped } from '#tests/support/long.ts';
import { writeSampleFile } from '#tests/support/sample-file.ts';
import { parseAddress, spawnService, type ServiceProcess } from '#tests/support/service-process.ts';

/** A file that others lock, and the service over it; each test has its own. */
class LockedPlace {
  static async make(): Promise<LockedPlace> {
    const location = await makeSqliteLocation();
    writeSampleFile(location.file);
    return new LockedPlace(location);
  }

  readonly #place: Awaited<ReturnType<typeof makeSqliteLocation>>;
  readonly #others: SqliteDatabase.Database[] = [];
  #service: ServiceProcess | undefined;

  private constructor(location: Awaited<ReturnType<typeof makeSqliteLocation>>) {
    this.#place = location;
  }

  /** Another program that has the file open. */
  another(): SqliteDatabase.Database {
    const handle = new SqliteDatabase(this.#place.file);
    this.#others.push(handle);
    return handle;
  }

  /** Starts the service and waits until each kind of its threads has responded; returns its address. */
  async start(...flags: string[]): Promise<string> {
    this.#service = spawnService(['--db', this.#place.file, '--port', '0', ...flags]);
    const address = parseAddress(await this.#service.readyLine);
    for (const path of ['/api/health', '/api/runs', '/api/analysis/problems']) {
      const response = await fetch(address + path);
      expect(response.status).toBe(200);
      await response.text();
    }
    return address;
  }

  async millisToStop(): Promise<number> {
    const began = performance.now();
    this.#service?.child.kill('SIGTERM');
    await this.#service?.exitCode;
    return performance.now() - began;
  }

  async remove(): Promise<void> {
    for (const other of this.#others) other.close();
    this.#service?.child.kill('SIGKILL');
    await this.#service?.exitCode;
    await this.#place.remove();
  }
}

/** Starting a service takes long on a busy machine; only the times below are measured. */
const patience = { timeout: 120_000 };

/** Maximum time of health, SIGTERM, and a request that waits for nothing, in any state of the database. */
const limits = { health: 2_000, stop: 5_000, refusal: 1_500 };

/** Time of a response that waits for nothing: on a busy machine everything takes so much longer. */
async function millisOfRefusal(address: string): Promise<number> {
  const began = performance.now();
  expect((await fetch(`${address}/api/runs?size=x`)).status).toBe(400);
  const millis = performance.now() - began;
  expect(millis).toBeLessThan(limits.refusal);
  return millis;
}

/** Requests health a few times; returns how much longer than a refusal the longest response took. */
async function slowestHealth(address: string): Promise<number> {
  let slowest = 0;
  for (let times = 0; times < 3; times += 1) {
    const began = performance.now();
    const [refusal, health] = await Promise.all([
      millisOfRefusal(address),
      fetch(`${address}/api/health`).then(async (response) => {
        expect([200, 503]).toContain(response.status);
        await response.text();
        return performance.now() - began;
      }),
    ]);
    slowest = Math.max(slowest, health - refusal);
  }
  return slowest;
}

// One after the other: the start of another service would delay the responses that are measured.
describe('While another program locks a file without a write-ahead log', () => {
  const holders: Record<string, (place: LockedPlace) => Promise<string>> = {
    'and the service only reads it': async (place) => {
      const address = await place.start('--read-only');
      place.another().exec('begin exclusive');
      return address;
    },
    'as one that was reading when the service started kept it from getting one': async (place) => {
      const reader = place.another();
      reader.exec('begin');
      reader.prepare('select count(*) from runs').get();
      const address = await place.start();
      reader.exec('rollback; begin exclusive');
      return address;
    },
    'for all its time': async (place) => {
      const address = await place.start('--read-only');
      const owner = place.another();
      owner.pragma('locking_mode = exclusive');
      owner.exec("update runs set status = status where run_id = 'nobody'");
      owner.exec('begin exclusive; commit');
      return address;
    },
  };

  // The gate has time for one of them.
  for (const [name, lock] of Object.entries(holders)) {
    const why = name === 'for all its time' ? '' : whySkipped;
    const title = `${name}, health answers within 2 s and SIGTERM ends it within 5 s${why}`;
    test.skipIf(why)(title, patience, async () => {
      const place = await LockedPlace.make();
      onTestFinished(() => place.remove());
      const address = await lock(place);
      const requests = Array.from({ length: 6 }, () => fetch(`${address}/api/runs`));
      const answers = Promise.allSettled(requests);
      expect(await slowestHealth(address)).toBeLessThan(limits.health);
      const refusal = await millisOfRefusal(address);
      expect((await place.millisToStop()) - refusal).toBeLessThan(limits.stop);
      for (const answer of await answers) {
        if (answer.status === 'fulfilled') expect([200, 503]).toContain(answer.value.status);
      }
    });
  }
});

describe('While queries take long', () => {
  const rows = 150;
  const search = `/api/runs/long/events?q=${encodeURIComponent('ézz')}`;

  const addLongRun = (place: LockedPlace) => {
    const writer = place.another();
    writer.exec(`insert into runs (run_id, experiment_id, seed, status, start_time)
      select 'long', experiment_id, 1, 'COMPLETED', '' from experiments limit 1`);
    const add = writer.prepare(
      "insert into events (run_id, event_type, payload_json, created_at) values ('long', 'x', hex(zeroblob(500000)), '')",
    );
    writer.transaction(() => Array.from({ length: rows }, () => add.run()))();
  };

  test('the health check responds immediately, and SIGTERM ends the service within 5 s', async () => {
    const place = await LockedPlace.make();
    onTestFinished(() => place.remove());
    addLongRun(place);
    const address = await place.start();
    const answers = Promise.allSettled(Array.from({ length: 8 }, () => fetch(address + search)));
    await delay(500);
    expect(await slowestHealth(address)).toBeLessThan(limits.health);
    const refusal = await millisOfRefusal(address);
    expect((await place.millisToStop()) - refusal).toBeLessThan(limits.stop);
    await answers;
  });
});
