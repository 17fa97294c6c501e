import { createConnection } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, expect, test } from 'vitest';
import type { RecordResponse } from '#shared/schemas/recording.ts';
import {
  describeOnEachEngine,
  openTestDatabase,
  type TestLocation,
} from '#tests/support/databases.ts';
import { isLong, whySkipped } from '#tests/support/long.ts';
import { parseAddress, spawnService, type ServiceProcess } from '#tests/support/service-process.ts';
import { sendRawRequest } from '#tests/support/test-service.ts';

const clientCount = 20;
const linesPerSecond = 50;
/** Time between two requests of a client. */
const batchMillis = 500;
/** Duration of the load before the service is killed, and after it was started again. */
const loadSeconds = { before: 120, after: 20 };

const config = { algorithm: 'CMA-ES', problem: 'sphere', dimension: 10 };
const makeRunLine = (runId: string) => ({ type: 'run', runId, config, seed: 1 });
const makeIterationLine = (runId: string, iteration: number) => ({
  type: 'iteration',
  runId,
  iteration,
  evaluations: iteration + 1,
  best: 1 / (iteration + 1),
  metrics: { sigma: 0.5 },
});

/** A program that records one run, and sends records again until the service has stored them. */
class RecordingProgram {
  readonly #runId: string;
  readonly #getAddress: () => string;
  #queue: object[];
  /** Iterations and restarts so far. */
  lines = 0;
  /** Reasons why the service stored nothing. */
  readonly failures = new Set<string>();

  constructor(runId: string, getAddress: () => string) {
    this.#runId = runId;
    this.#getAddress = getAddress;
    this.#queue = [makeRunLine(runId)];
  }

  /** Sends the record of the run. */
  async begin(): Promise<void> {
    expect(await this.#send()).toBe(true);
  }

  /** Records at {@link linesPerSecond} until the signal is aborted; then sends all other records. */
  async record(end: AbortSignal): Promise<void> {
    // Programs do not all send at the same moment.
    await delay(Math.random() * batchMillis);
    const began = performance.now();
    while (!end.aborted) {
      const due = Math.floor(((performance.now() - began) / 1_000) * linesPerSecond);
      while (this.lines < due) this.#addLine();
      await this.#send();
      await delay(batchMillis, undefined, { signal: end }).catch(() => {});
    }
    await this.#sendAll();
  }

  /** Ends the run. */
  async end(): Promise<void> {
    this.#queue.push({ type: 'end', runId: this.#runId, status: 'COMPLETED' });
    await this.#sendAll();
  }

  async #sendAll(): Promise<void> {
    while (this.#queue.length > 0) {
      if (!(await this.#send())) await delay(50);
    }
  }

  #addLine(): void {
    // Each 25th line is an event, which a repetition could store twice.
    const isEvent = this.lines % 25 === 24;
    this.#queue.push(
      isEvent
        ? { type: 'event', runId: this.#runId, eventType: 'restart', eventId: `${this.lines}` }
        : makeIterationLine(this.#runId, this.lines),
    );
    this.lines += 1;
  }

  /** Sends the queue; returns whether the service responded. */
  async #send(): Promise<boolean> {
    const lines = [...this.#queue];
    try {
      const response = await fetch(`${this.#getAddress()}/api/record`, {
        method: 'POST',
        headers: { 'content-type': 'application/x-ndjson' },
        body: lines.map((line) => JSON.stringify(line)).join('\n'),
      });
      const body = (await response.json()) as RecordResponse & { code?: string };
      if (response.status !== 200) {
        this.failures.add(`${response.status} ${body.code}`);
        return false;
      }
      const rejected = body.rejected.map(({ line, code }) => {
        this.failures.add(code);
        return lines[line - 1] ?? {};
      });
      this.#queue = [...rejected, ...this.#queue.slice(lines.length)];
      return true;
    } catch (error) {
      this.failures.add(String((error as Error).cause ?? error));
      return false;
    }
  }
}

let location: TestLocation;
let service: ServiceProcess;

afterEach(async () => {
  service.child.kill('SIGKILL');
  await service.exitCode;
  await location.remove();
});

async function start(port = '0'): Promise<string> {
  service = spawnService(['--record', '--db', location.url, '--port', port]);
  return parseAddress(await service.readyLine);
}

/** Returns the median time of the list of runs in milliseconds. `change` runs before each request. */
async function measureList(
  address: string,
  times: number,
  change: () => Promise<unknown>,
): Promise<number> {
  const millis: number[] = [];
  for (let i = 0; i < times; i += 1) {
    await change();
    const began = performance.now();
    const { status } = await sendRawRequest({ port: Number(new URL(address).port) }, '/api/runs');
    expect(status).toBe(200);
    millis.push(performance.now() - began);
  }
  return getQuantile(millis, 0.5);
}

function getQuantile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.ceil(share * (sorted.length - 1))] ?? NaN;
}

const postLine = (address: string, line: object) =>
  fetch(`${address}/api/record`, {
    method: 'POST',
    headers: { 'content-type': 'application/x-ndjson' },
    body: JSON.stringify(line),
  });

/** Reads counts of stored rows, which the service has returned as numbers or, on PostgreSQL, as strings. */
async function countRows(): Promise<object> {
  const database = await openTestDatabase(location.url);
  try {
    const { kysely } = database;
    const iterations = await kysely
      .selectFrom('iterations')
      .select((eb) => eb.fn.countAll().as('rows'))
      .executeTakeFirstOrThrow();
    const events = await kysely
      .selectFrom('events')
      .where('event_type', '=', 'restart')
      .select((eb) => eb.fn.countAll().as('rows'))
      .executeTakeFirstOrThrow();
    const runs = await kysely.selectFrom('runs').select(['status']).execute();
    return {
      iterations: Number(iterations.rows),
      events: Number(events.rows),
      completed: runs.filter(({ status }) => status === 'COMPLETED').length,
    };
  } finally {
    await database.close();
  }
}

const load = `${clientCount} programs with ${linesPerSecond} lines a second each`;

describeOnEachEngine(`A service that records ${load}`, (engine) => {
  test.skipIf(whySkipped)(
    `responds to lists as before, and loses and repeats nothing when it is killed${whySkipped}`,
    async () => {
      location = await engine.makeLocation();
      let address = await start();
      const programs = Array.from(
        { length: clientCount },
        (_, index) => new RecordingProgram(`program ${index}`, () => address),
      );
      for (const program of programs) await program.begin();
      const end = new AbortController();
      const ended = Promise.all(programs.map((program) => program.record(end.signal)));
      const until = performance.now() + loadSeconds.before * 1_000;
      const medians: number[] = [];
      while (performance.now() < until) {
        medians.push(await measureList(address, 5, () => delay(20)));
      }
      const loadMillis = getQuantile(medians, 0.5);
      expect(programs.flatMap(({ failures }) => [...failures])).toEqual([]);

      service.child.kill('SIGKILL');
      await service.exitCode;
      address = await start(new URL(address).port);
      await delay(loadSeconds.after * 1_000);
      end.abort();
      await ended;
      // The idle time of lists with the same rows.
      let probes = 0;
      await postLine(address, makeRunLine('probe'));
      const idleMillis = await measureList(address, 100, () =>
        // A list that has not changed since the last request comes from the cache.
        postLine(address, makeIterationLine('probe', (probes += 1))),
      );
      for (const program of programs) await program.end();
      const lines = programs.reduce((sum, program) => sum + program.lines, 0);
      const events = programs.reduce((sum, program) => sum + Math.floor(program.lines / 25), 0);
      process.stdout.write(
        `${engine.name}: ${lines} lines; list ${idleMillis.toFixed(1)} ms idle, ${loadMillis.toFixed(1)} ms under load.\n`,
      );
      expect(await countRows()).toEqual({
        iterations: lines - events + probes,
        events,
        completed: clientCount,
      });
      expect(loadMillis).toBeLessThanOrEqual(2 * idleMillis);
    },
    600_000,
  );
});

/** More than the service accepts at the same time; the gate has no time for so many. */
const connectionCount = isLong ? 1_200 : 150;

/** Sends a record on its own connection; returns the status and body, or the reason why there was no response. */
async function postAlone(address: string, line: object): Promise<string> {
  const socket = createConnection(Number(new URL(address).port), '127.0.0.1');
  const { promise, resolve } = Promise.withResolvers<string>();
  let response = '';
  socket.on('data', (data) => (response += String(data)));
  socket.on('error', (error) => resolve(response || String(error)));
  socket.on('close', () => resolve(response || 'closed without a response'));
  const body = JSON.stringify(line);
  socket.write(
    `POST /api/record HTTP/1.1\r\nHost: ${new URL(address).host}\r\nConnection: close\r\n` +
      `Content-Type: application/x-ndjson\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
  );
  const text = await promise;
  return text.replace(/^HTTP\/1.1 (\d+) .*?\r\n\r\n/s, '$1 ');
}

describeOnEachEngine(`A service with ${connectionCount} connections that record`, (engine) => {
  const why = engine.name === 'postgres' ? whySkipped : '';
  test.skipIf(why)(
    `stores the records that it accepts, and refuses others with the reason until clients send them again${why}`,
    async () => {
      location = await engine.makeLocation();
      const address = await start();
      await postLine(address, makeRunLine('r'));
      let lines: object[] = Array.from({ length: connectionCount }, (_, i) =>
        makeIterationLine('r', i),
      );
      const began = performance.now();
      let refusals = 0;
      while (lines.length > 0) {
        const responses = await Promise.all(lines.map((line) => postAlone(address, line)));
        lines = lines.filter((_, index) => !responses[index]?.startsWith('200 {"accepted":1,'));
        refusals += lines.length;
        const others = responses.filter((text) => !text.startsWith('200 '));
        for (const text of others) {
          // The service closes connections above its maximum before it reads a request.
          expect(text).toMatch(
            /^429 .*The service is storing other requests, so it stored nothing of this one\. Send it again in a second\.|^closed without a response$|ECONNRESET/,
          );
        }
      }
      const seconds = ((performance.now() - began) / 1_000).toFixed(1);
      process.stdout.write(
        `${engine.name}: ${refusals} refusals, all stored after ${seconds} s.\n`,
      );
      expect(await countRows()).toEqual({ iterations: connectionCount, events: 0, completed: 0 });
    },
    60_000,
  );
});
