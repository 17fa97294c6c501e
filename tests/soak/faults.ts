import fc from 'fast-check';
import { setTimeout as delay } from 'node:timers/promises';
import { computeQuantile } from '#server/stats/descriptive.ts';
import { requestsTo, type OpenApiDocument } from '#tests/support/generated-requests.ts';
import { Readers } from './readers.ts';
import { listFaults, say } from './report.ts';
import type { Service, Usage } from './service.ts';
import { openStore } from './store.ts';
import { Writers } from './writers.ts';

/** Requests that are generated over the whole time, in addition to those of the readers. */
const generatedRequests = 20_000;
const readerCount = 50;
const lockMillis = 8_000;
/** Shares of the time: writers alone, then faults in turn, then readers and generated requests without faults. */
const shares = { alone: 0.1, faults: 0.3, peace: 0.6 };
/** How much more memory the last third without faults may take than the middle one, by their medians. */
const mostGrowth = 0.05;
const rowsPerSecond = 60;

/**
 * Lets two programs write and 50 clients read, locks the database, kills and stops the service in turn, and sends generated
 * requests. Prints latencies and memory; returns what was wrong: lost rows, responses 500, failed writes, growing memory.
 */
export async function soakService(
  service: Service,
  place: string,
  totalMillis: number,
): Promise<string[]> {
  const writers = new Writers(place, [
    { name: 'first', rowsPerSecond },
    { name: 'second', rowsPerSecond },
  ]);
  say(`2 writers, ${readerCount} readers, ${generatedRequests} generated requests`);
  await delay(totalMillis * shares.alone);
  const alone = writers.takeLatencies();
  say(`writers alone: ${latencyText(alone)}`);

  const readers = new Readers(() => service.address, readerCount);
  await faultsInTurn(totalMillis * shares.faults);
  say(`with readers and faults: ${latencyText(writers.takeLatencies())}`);

  // Some generated request imports it too: memory is measured with the same data.
  await service.importSample();
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
  say(
    `memory by thirds: ${thirds.map(usageText).join('; ')}; ${signed(growth * 100)} % in the last`,
  );

  await readers.stop();
  await writers.stop();
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
  return listFaults([
    lost !== 0 && `${lost} rows were lost`,
    failures > 0 && `${failures} responses had status 500`,
    writers.failed > 0 && `${writers.failed} writes failed`,
    growth > mostGrowth && `memory grew by more than ${mostGrowth * 100} % in the last third`,
  ]);

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

  /** Returns what the service uses, each second of so many milliseconds. */
  async function usageDuring(millis: number): Promise<Usage[]> {
    const samples: Usage[] = [];
    const end = performance.now() + millis;
    while (performance.now() < end) {
      samples.push(service.usage());
      await delay(1_000);
    }
    return samples;
  }
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
