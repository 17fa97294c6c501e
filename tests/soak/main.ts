import fc from 'fast-check';
import { cpSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { bundleService, ensurePages, pagesDirectory } from '#build/bundle.ts';
import { findFreePort } from '#build/start/free-port.ts';
import { startPostgresServer } from '#tests/support/embedded-postgres.ts';
import { requestsTo, type OpenApiDocument } from '#tests/support/generated-requests.ts';
import { computeQuantile } from '#server/stats/descriptive.ts';
import { LivePages } from './browser.ts';
import { Readers } from './readers.ts';
import { Service, type Usage } from './service.ts';
import { openStore } from './store.ts';
import { Writers } from './writers.ts';

/** Requests that are generated over the whole time, besides those of the readers. */
const generatedRequests = 20_000;
const readerCount = 50;
const lockMillis = 8_000;
/** Shares of the time: writers alone, then faults in turn, then readers and generated requests in peace. */
const shares = { alone: 0.1, faults: 0.3, peace: 0.6 };
/** How much more memory the last third of the peace may take than the middle one, by their medians. */
const mostGrowth = 0.05;
/** Answers to the last change, and counters of PostgreSQL that come up to 10 s late. */
const settleMillis = 20_000;
const quietMillis = 60_000;

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '10' },
    postgres: { type: 'boolean', default: false },
    pages: { type: 'boolean', default: false },
  },
});
const minutes = Number(values.minutes);
if (!(minutes > 0)) throw new Error('--minutes must be a positive number');
const totalMillis = minutes * 60_000;

const folder = mkdtempSync(join(tmpdir(), 'evoscope-soak-'));
const server = values.postgres ? await startPostgresServer() : undefined;
const place = server?.url ?? join(folder, 'soak.db');
// Separate from the programs of the tests, which may be rebuilt meanwhile.
const programs = join(
  import.meta.dirname,
  '../../.cache/soak-programs',
  values.postgres ? 'postgres' : 'sqlite',
);
await bundleService(programs);
// A copy, for the same reason.
const ownPages = join(folder, 'pages');
if (values.pages) {
  await ensurePages(say);
  cpSync(pagesDirectory, ownPages, { recursive: true });
} else mkdirSync(ownPages);
const service = new Service(join(programs, 'main.js'), place, await findFreePort(), ownPages);
await service.ready();
const writers = new Writers(place, ['first', 'second']);

say(
  `${minutes} minutes on ${server ? 'PostgreSQL' : 'SQLite'}: 2 writers, ${readerCount} readers, ` +
    `${generatedRequests} generated requests${values.pages ? ', 2 windows of Chromium' : ''}`,
);
await delay(totalMillis * shares.alone);
const alone = writers.takeLatencies();
say(`writers alone: ${latencyText(alone)}`);

const pages = values.pages
  ? await LivePages.open(service.address, ['/', '/problems/onemax'])
  : undefined;
const readers = new Readers(() => service.address, readerCount);
await faultsInTurn(totalMillis * shares.faults);
say(`with readers and faults: ${latencyText(writers.takeLatencies())}`);

await importSample();
const statuses = new Map<number | 'cut', number>();
const peaceMillis = totalMillis * shares.peace;
const generating = sendGenerated(performance.now() + peaceMillis, statuses);
const thirds = [
  await usageDuring(peaceMillis / 3),
  await usageDuring(peaceMillis / 3),
  await usageDuring(peaceMillis / 3),
];
await generating;
const busy = writers.takeLatencies();
say(`with readers and generated requests: ${latencyText(busy)}`);
const [, middle = NaN, last = NaN] = thirds.map((samples) => getMedian(samples, 'megabytes'));
const growth = last / middle - 1;
say(`memory by thirds: ${thirds.map(usageText).join('; ')}; ${signed(growth * 100)} % in the last`);

await readers.stop();
await writers.stop();
const quietRequests = pages ? await requestsInQuiet(pages) : [];
await pages?.close();
await service.stop();
const store = await openStore(place);
// Generated requests may have imported other rows.
const rows = await store.count(
  `select count(*) as count from iterations where run_id like 'first-%' or run_id like 'second-%'`,
);
await store.close();
const lost = writers.rows - rows;
say(`readers' responses: ${countsText(readers.answers)}`);
say(`generated requests' responses: ${countsText(statuses)}`);
const ratio = (computeQuantile(busy, 0.99) ?? NaN) / (computeQuantile(alone, 0.99) ?? NaN);
say(
  `writers: ${writers.rows} rows acknowledged, ${lost} lost, ${writers.failed} writes failed, p99 ${ratio.toFixed(1)} times that without readers`,
);
const failures = (readers.answers.get(500) ?? 0) + (statuses.get(500) ?? 0);
rmSync(folder, { recursive: true, force: true });
await server?.remove();
const faults = [
  lost !== 0 && `${lost} rows were lost`,
  failures > 0 && `${failures} responses had status 500`,
  writers.failed > 0 && `${writers.failed} writes failed`,
  growth > mostGrowth && `memory grew by more than ${mostGrowth * 100} % in the last third`,
  quietRequests.length > 0 && `pages sent ${quietRequests.length} requests in a quiet minute`,
  (pages?.errors.length ?? 0) > 0 && `pages threw ${pages?.errors.length} errors`,
].filter((fault) => fault !== false);
say(faults.length === 0 ? 'passed' : `failed: ${faults.join('; ')}`);
process.exitCode = faults.length === 0 ? 0 : 1;

/** A lock that makes all writers wait, a kill and a restart in turn, until the time is over. */
async function faultsInTurn(millis: number): Promise<void> {
  const end = performance.now() + millis;
  const turns = [
    async () => {
      const runner = await openStore(place);
      await runner.lock();
      await delay(Math.min(lockMillis, millis / 4));
      await runner.run('rollback');
      await runner.close();
      return 'a lock';
    },
    async () => `a kill, ${Math.round(await service.restart('SIGKILL'))} ms`,
    async () => `a stop, ${Math.round(await service.restart('SIGTERM'))} ms`,
  ];
  for (let turn = 0; performance.now() < end; turn += 1) {
    const text = await turns[turn % turns.length]?.();
    say(`fault: ${text}`);
    await delay(Math.min(5_000, Math.max(0, end - performance.now())));
  }
}

/** Begins an import that some generated request sends too, so that memory is measured with the same data. */
async function importSample(): Promise<void> {
  const headers = { 'content-type': 'application/json' };
  const body = JSON.stringify({ sample: true });
  const answer = await fetch(`${service.address}/api/import`, { method: 'POST', headers, body });
  if (answer.status !== 202) throw new Error(`The sample was not imported: ${await answer.text()}`);
}

/** Sends the generated requests, as many at a time as fit into the time that there is. */
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
        // The service closes idle connections, perhaps just when one is used again.
        () => 'cut' as const,
      );
      answers.set(status, (answers.get(status) ?? 0) + 1);
      if (status === 500) say(`500: ${method} ${path} ${hasBody ? body : ''}`);
    }
  };
  await Promise.all(Array.from({ length: 8 }, send));
  if (sample.length > 0) say(`${sample.length} generated requests were not sent in time`);
}

/** What the service uses, each second of so many milliseconds; prints what its windows use. */
async function usageDuring(millis: number): Promise<Usage[]> {
  const samples: Usage[] = [];
  const end = performance.now() + millis;
  while (performance.now() < end) {
    samples.push(service.usage());
    await delay(1_000);
  }
  for (const { path, heapMegabytes, nodes } of (await pages?.usage()) ?? []) {
    say(`window ${path}: ${heapMegabytes.toFixed(1)} MB of heap, ${nodes} nodes`);
  }
  return samples;
}

/** Opens a window for each kind of page and returns what they request in a minute in which nothing changes. */
async function requestsInQuiet(live: LivePages): Promise<string[]> {
  const response = await fetch(`${service.address}/api/runs?size=2`);
  const { items } = (await response.json()) as {
    items: { runId: string; experimentId: string }[];
  };
  const [run = '', other = ''] = items.map(({ runId }) => encodeURIComponent(runId));
  const paths = [
    `/runs/${run}?tab=insights`,
    `/compare?run=${run}&run=${other}`,
    `/experiments/${encodeURIComponent(items[0]?.experimentId ?? '')}`,
    '/experiments',
    '/problems',
    '/problems/onemax?tab=across',
    '/coco',
  ];
  for (const path of paths) await live.openMore(path);
  await delay(settleMillis);
  const requests = await live.requestsDuring(quietMillis);
  say(`requests of ${paths.length + 2} windows in a quiet minute: ${requests.length}`);
  for (const path of new Set(requests)) say(`  ${path}`);
  for (const error of live.errors) say(`  page error: ${error}`);
  return requests;
}

function getMedian(samples: readonly Usage[], key: keyof Usage): number {
  const sorted = samples.map((sample) => sample[key]).sort((one, next) => one - next);
  return computeQuantile(sorted, 0.5) ?? NaN;
}

function latencyText(millis: readonly number[]): string {
  const at = (part: number) => `${(computeQuantile(millis, part) ?? NaN).toFixed(1)} ms`;
  return `${millis.length} writes, p50 ${at(0.5)}, p99 ${at(0.99)}, longest ${at(1)}`;
}

function usageText(samples: readonly Usage[]): string {
  return `${Math.round(getMedian(samples, 'megabytes'))} MB, ${getMedian(samples, 'handles')} handles`;
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
