import Sqlite from 'better-sqlite3';
import fc from 'fast-check';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { bundleService } from '#build/bundle-service.ts';
import { requestsTo, type OpenApiDocument } from '#tests/support/generated-requests.ts';
import { quantile } from '#server/stats/quantile.ts';
import { Readers } from './readers.ts';
import { Service } from './service.ts';
import { Writers } from './writers.ts';

/** Requests that are generated over the whole time, besides those of the readers. */
const generatedRequests = 20_000;
const readerCount = 50;
const lockMillis = 8_000;
/** The time by quarters of this: writers alone, faults by turns, then readers and generated requests in peace. */
const shares = { alone: 0.1, faults: 0.3, peace: 0.6 };

const { values } = parseArgs({ options: { minutes: { type: 'string', default: '10' } } });
const minutes = Number(values.minutes);
if (!(minutes > 0)) throw new Error('--minutes must be a positive number');
const totalMillis = minutes * 60_000;

const folder = mkdtempSync(join(tmpdir(), 'evoscope-soak-'));
const file = join(folder, 'soak.db');
// Apart from the programs of the tests, which may be made anew meanwhile.
const programs = join(import.meta.dirname, '../../.cache/soak-programs');
await bundleService(programs);
const service = new Service(join(programs, 'main.js'), file);
await service.ready();
const writers = new Writers(file, ['first', 'second']);

say(
  `${minutes} minutes: 2 writers, ${readerCount} readers, ${generatedRequests} generated requests`,
);
await delay(totalMillis * shares.alone);
const alone = writers.takeLatencies();
say(`writers alone: ${latencyText(alone)}`);

const readers = new Readers(() => service.address, readerCount);
await faultsByTurns(totalMillis * shares.faults);
say(`with readers and faults: ${latencyText(writers.takeLatencies())}`);

await importSample();
const peaceMillis = totalMillis * shares.peace;
const peaceEnd = performance.now() + peaceMillis;
/** As long as heaps take to grow and be collected: what is least in it is what stays. */
const measureMillis = Math.min(30_000, peaceMillis / 4);
const statuses = new Map<number | 'cut', number>();
const generating = sendGenerated(peaceEnd, statuses);
// A service that has just been started grows for nearly two minutes: caches and heaps fill up to where they stay.
const warmUpMillis = Math.min(120_000, peaceMillis / 2);
await delay(warmUpMillis);
const early = await service.usage(measureMillis);
say(`after ${Math.round(warmUpMillis / 1_000)} s of peace: ${usageText(early)}`);
await generating;
await delay(Math.max(0, peaceEnd - performance.now() - measureMillis));
const late = await service.usage(measureMillis);
const busy = writers.takeLatencies();
say(`with readers and generated requests: ${latencyText(busy)}`);
say(
  `at the end: ${usageText(late)}, ${signed((late.megabytes / early.megabytes - 1) * 100)} % memory`,
);

await readers.stop();
await writers.stop();
await service.stop();
const lost = writers.rows - countRows();
say(`readers' answers: ${countsText(readers.answers)}`);
say(`generated requests' answers: ${countsText(statuses)}`);
const ratio = (quantile(busy, 0.99) ?? NaN) / (quantile(alone, 0.99) ?? NaN);
say(
  `writers: ${writers.rows} rows acknowledged, ${lost} lost, ${writers.failed} writes failed, p99 ${ratio.toFixed(1)} times that without readers`,
);
const failures = (readers.answers.get(500) ?? 0) + (statuses.get(500) ?? 0);
rmSync(folder, { recursive: true, force: true });
process.exitCode = lost === 0 && failures === 0 && writers.failed === 0 ? 0 : 1;

/** A lock that holds all writers up, a kill and a restart by turns, until the time is over. */
async function faultsByTurns(millis: number): Promise<void> {
  const end = performance.now() + millis;
  const faults = [
    async () => {
      const runner = new Sqlite(file, { timeout: 10_000 });
      runner.exec('begin immediate');
      await delay(Math.min(lockMillis, millis / 4));
      runner.exec('rollback');
      runner.close();
      return 'a lock';
    },
    async () => `a kill, ${Math.round(await service.restart('SIGKILL'))} ms`,
    async () => `a stop, ${Math.round(await service.restart('SIGTERM'))} ms`,
  ];
  for (let turn = 0; performance.now() < end; turn += 1) {
    const text = await faults[turn % faults.length]?.();
    say(`fault: ${text}`);
    await delay(Math.min(5_000, Math.max(0, end - performance.now())));
  }
}

/** Begins an import that some generated request asks for too, so that memory is measured with the same data. */
async function importSample(): Promise<void> {
  const headers = { 'content-type': 'application/json' };
  const body = JSON.stringify({ sample: true });
  const answer = await fetch(`${service.address}/api/import`, { method: 'POST', headers, body });
  if (answer.status !== 202) throw new Error(`The sample was not imported: ${await answer.text()}`);
}

/** Sends the generated requests, as many at a time as take the time that there is. */
async function sendGenerated(end: number, answers: Map<number | 'cut', number>): Promise<void> {
  const response = await fetch(`${service.address}/api/openapi.json`);
  const requests = requestsTo((await response.json()) as OpenApiDocument);
  const count = Math.ceil((generatedRequests * totalMillis) / Math.max(totalMillis, 600_000));
  const sample = fc.sample(requests, count);
  const send = async () => {
    for (let next = sample.pop(); next && performance.now() < end; next = sample.pop()) {
      const { path, method, headers, body } = next;
      const hasBody = method !== 'GET' && method !== 'HEAD' && body !== undefined;
      const url = service.address + path.replaceAll('#', '%23');
      const init = { method, headers, redirect: 'manual' as const, ...(hasBody && { body }) };
      const status = await fetch(url, init).then(
        async (sent) => (await sent.arrayBuffer(), sent.status),
        // The service closes connections that rest, perhaps just when one is used again.
        () => 'cut' as const,
      );
      answers.set(status, (answers.get(status) ?? 0) + 1);
    }
  };
  await Promise.all(Array.from({ length: 8 }, send));
  if (sample.length > 0) say(`${sample.length} generated requests were not sent in time`);
}

function countRows(): number {
  const database = new Sqlite(file, { readonly: true });
  // Generated requests may have imported others.
  const rows = database
    .prepare(
      `select count(*) from iterations where run_id like 'first-%' or run_id like 'second-%'`,
    )
    .pluck()
    .get();
  database.close();
  return Number(rows);
}

function latencyText(millis: readonly number[]): string {
  const at = (part: number) => `${(quantile(millis, part) ?? NaN).toFixed(1)} ms`;
  return `${millis.length} writes, p50 ${at(0.5)}, p99 ${at(0.99)}, longest ${at(1)}`;
}

function usageText({ megabytes, handles }: { megabytes: number; handles: number }): string {
  return `${Math.round(megabytes)} MB, ${handles} handles`;
}

function countsText(counts: ReadonlyMap<number | string, number>): string {
  return [...counts].map(([status, count]) => `${count} × ${status}`).join(', ') || 'none';
}

function signed(value: number): string {
  return `${value < 0 ? '' : '+'}${value.toFixed(1)}`;
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}
