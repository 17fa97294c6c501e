import fc from 'fast-check';
import { setTimeout as delay } from 'node:timers/promises';
import { computeQuantile } from '#server/stats/descriptive.ts';
import { generateRequests, type OpenApiDocument } from '#tests/support/generated-requests.ts';
import { Readers } from './readers.ts';
import { listFaults, printLine } from './report.ts';
import type { Service, Usage } from './service.ts';
import { openStore } from './store.ts';
import { Writers } from './writers.ts';

/** Number of generated requests over the whole time, in addition to those of the readers. */
const generatedRequests = 20_000;
const readerCount = 50;
const lockMillis = 8_000;
/** Shares of the time: only writers, then faults in turn, then readers and generated requests without faults. */
const shares = { alone: 0.1, faults: 0.3, peace: 0.6 };
/** Maximum growth of the memory from the middle to the last third without faults, by their medians. */
const maximumGrowth = 0.05;
const rowsPerSecond = 60;

/**
 * Lets two programs write and 50 clients read, locks the database, kills and stops the service in turn, and sends
 * generated requests. Prints latencies and memory. Returns the faults: lost rows, responses 500, failed writes, growing
 * memory.
 */
export async function soakService(
  service: Service,
  location: string,
  totalMillis: number,
): Promise<string[]> {
  const writers = new Writers(location, [
    { name: 'first', rowsPerSecond },
    { name: 'second', rowsPerSecond },
  ]);
  printLine(`2 writers, ${readerCount} readers, ${generatedRequests} generated requests`);
  await delay(totalMillis * shares.alone);
  const aloneLatencies = writers.takeLatencies();
  printLine(`writers alone: ${formatLatencies(aloneLatencies)}`);

  const readers = new Readers(() => service.address, readerCount);
  await causeFaults(totalMillis * shares.faults);
  printLine(`with readers and faults: ${formatLatencies(writers.takeLatencies())}`);

  // A generated request may also import it. Memory is measured with the same data.
  await service.importSample();
  const statuses = new Map<number | 'cut', number>();
  const peaceMillis = totalMillis * shares.peace;
  const generatedPromise = sendGenerated(performance.now() + peaceMillis, statuses);
  const thirds = [
    await measureUsage(peaceMillis / 3),
    await measureUsage(peaceMillis / 3),
    await measureUsage(peaceMillis / 3),
  ];
  await generatedPromise;
  const busyLatencies = writers.takeLatencies();
  printLine(`with readers and generated requests: ${formatLatencies(busyLatencies)}`);
  const [, middleMegabytes = NaN, lastMegabytes = NaN] = thirds.map((samples) =>
    getMedian(samples, 'megabytes'),
  );
  const growth = lastMegabytes / middleMegabytes - 1;
  printLine(
    `memory by thirds: ${thirds.map(formatUsage).join('; ')}; ${formatSigned(growth * 100)} % in the last`,
  );

  await readers.stop();
  await writers.stop();
  await service.stop();
  const store = await openStore(location);
  // Generated requests may have imported other rows.
  const rows = await store.count(
    `select count(*) as count from iterations where run_id like 'first-%' or run_id like 'second-%'`,
  );
  await store.close();
  const lostRows = writers.rows - rows;
  printLine(`readers' responses: ${formatCounts(readers.statusCounts)}`);
  printLine(`generated requests' responses: ${formatCounts(statuses)}`);
  const ratio =
    (computeQuantile(busyLatencies, 0.99) ?? NaN) / (computeQuantile(aloneLatencies, 0.99) ?? NaN);
  printLine(
    `writers: ${writers.rows} rows acknowledged, ${lostRows} lost, ${writers.failedWrites} writes failed, p99 ${ratio.toFixed(1)} times that without readers`,
  );
  const failures = (readers.statusCounts.get(500) ?? 0) + (statuses.get(500) ?? 0);
  return listFaults([
    lostRows !== 0 && `${lostRows} rows were lost`,
    failures > 0 && `${failures} responses had status 500`,
    writers.failedWrites > 0 && `${writers.failedWrites} writes failed`,
    growth > maximumGrowth && `memory grew by more than ${maximumGrowth * 100} % in the last third`,
  ]);

  /** Locks the database, kills the service and restarts it in turn until the time is over. */
  async function causeFaults(millis: number): Promise<void> {
    const end = performance.now() + millis;
    const faultActions = [
      async () => {
        const runner = await openStore(location);
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
      const text = await faultActions[turn % faultActions.length]?.();
      printLine(`fault: ${text}`);
      await delay(Math.min(5_000, Math.max(0, end - performance.now())));
    }
  }

  /** Sends the generated requests, eight at a time, until the time is over. */
  async function sendGenerated(
    end: number,
    statusCounts: Map<number | 'cut', number>,
  ): Promise<void> {
    const result = await fetch(`${service.address}/api/openapi.json`);
    const requests = generateRequests((await result.json()) as OpenApiDocument);
    const count = Math.ceil((generatedRequests * totalMillis) / Math.max(totalMillis, 600_000));
    const pendingRequests = fc.sample(requests, count);
    const send = async () => {
      for (
        let request = pendingRequests.pop();
        request && performance.now() < end;
        request = pendingRequests.pop()
      ) {
        const { path, method, headers, body } = request;
        const hasBody = method !== 'GET' && method !== 'HEAD' && body !== undefined;
        const url = service.address + path.replaceAll('#', '%23');
        const requestOptions = {
          method,
          headers,
          redirect: 'manual' as const,
          ...(hasBody && { body }),
        };
        const status = await fetch(url, requestOptions).then(
          async (response) => (await response.arrayBuffer(), response.status),
          // The service closes idle connections, possibly when one is used again.
          () => 'cut' as const,
        );
        statusCounts.set(status, (statusCounts.get(status) ?? 0) + 1);
        if (status === 500) printLine(`500: ${method} ${path} ${hasBody ? body : ''}`);
      }
    };
    await Promise.all(Array.from({ length: 8 }, send));
    if (pendingRequests.length > 0)
      printLine(`${pendingRequests.length} generated requests were not sent in time`);
  }

  /** Returns the usage of the service, measured every second for this time. */
  async function measureUsage(millis: number): Promise<Usage[]> {
    const samples: Usage[] = [];
    const end = performance.now() + millis;
    while (performance.now() < end) {
      samples.push(service.measureUsage());
      await delay(1_000);
    }
    return samples;
  }
}

function getMedian(samples: readonly Usage[], key: keyof Usage): number {
  const sortedValues = samples.map((sample) => sample[key]).sort((a, b) => a - b);
  return computeQuantile(sortedValues, 0.5) ?? NaN;
}

function formatLatencies(millis: readonly number[]): string {
  const formatQuantile = (part: number) =>
    `${(computeQuantile(millis, part) ?? NaN).toFixed(1)} ms`;
  return `${millis.length} writes, p50 ${formatQuantile(0.5)}, p99 ${formatQuantile(0.99)}, longest ${formatQuantile(1)}`;
}

function formatUsage(samples: readonly Usage[]): string {
  return `${Math.round(getMedian(samples, 'megabytes'))} MB, ${getMedian(samples, 'handles')} handles`;
}

function formatCounts(counts: ReadonlyMap<number | string, number>): string {
  return [...counts].map(([status, count]) => `${count} × ${status}`).join(', ') || 'none';
}

function formatSigned(value: number): string {
  return `${value < 0 ? '' : '+'}${value.toFixed(1)}`;
}
