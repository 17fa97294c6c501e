import { setTimeout as delay } from 'node:timers/promises';
import { chromium, type Page } from 'playwright';
import { chromiumArguments, ensureChromium } from '#build/gate/chromium.ts';
import { listFaults, printLine } from './report.ts';
import type { Service } from './service.ts';
import { Writers } from './writers.ts';

/**
 * A run that continues for the whole time, and two sequences of short runs: 100 rows per second together. The pages
 * show the same amount of data all the time: each row needs memory of a page that shows its run.
 */
const writers = [
  { name: 'long', rowsPerSecond: 10, rowsPerRun: 3_000, isEndless: true },
  { name: 'first', rowsPerSecond: 45 },
  { name: 'second', rowsPerSecond: 45 },
];
const paths = [
  '/',
  '/runs/long-0',
  '/runs/long-0?tab=insights',
  '/experiments',
  '/experiments/long-0',
  '/problems/onemax',
  '/coco',
];
/** Maximum number of experiments. Older ones are deleted. */
const maximumExperiments = 40;
/**
 * V8 counts the code that it compiles as part of the heap: 4 to 8 MB in the first half hour of a page with charts.
 * Without it, the growth of the scripts' objects is visible.
 */
const interpretedScripts = '--js-flags=--no-turbofan --no-maglev --no-sparkplug';
/** Timeout of a page, which may take minutes on a busy machine. */
const timeoutMillis = 180_000;
/** Share of the time in which browsers fill their caches. */
const warmUpShare = 1 / 6;
const sampleMillis = 60_000;
/** Time for the last responses and the counters of PostgreSQL, which have a delay of up to 10 s. */
const settlingMillis = 20_000;
const quietMillis = 60_000;
/** Largest growth of the heap of a page after the warm-up, in megabytes per hour. */
const heapGrowthLimit = 1;

interface PageSample {
  hours: number;
  heapMegabytes: number;
  nodes: number;
}

/** A visible window of Chromium, and its requests under `/api`. */
interface Window {
  path: string;
  page: Page;
  requests: string[];
  samples: PageSample[];
}

/**
 * Shows seven windows of one browser profile while programs write 100 rows per second, with a bounded number of
 * experiments. Then hides the windows, and shows them again when nothing is written. Prints the heap after a forced
 * collection, the nodes and the requests of each window; returns the faults: a heap that grows, requests of a hidden
 * window or in a quiet minute, exceptions.
 */
export async function soakPages(
  service: Service,
  location: string,
  totalMillis: number,
): Promise<string[]> {
  await service.importSample();
  const writerPrograms = new Writers(location, writers);
  await waitForRun(service, 'long-0');

  const browser = await chromium.launch({
    args: [...chromiumArguments, interpretedScripts],
    executablePath: ensureChromium(),
  });
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 } });
  context.setDefaultTimeout(timeoutMillis);
  const errors: string[] = [];
  context.on('weberror', (event) => errors.push(String(event.error())));
  const windows: Window[] = [];
  for (const path of paths) windows.push(await openWindow(path));

  async function openWindow(path: string): Promise<Window> {
    const page = await context.newPage();
    const requests: string[] = [];
    page.on('request', (request) => {
      const { pathname, search } = new URL(request.url());
      if (pathname.startsWith('/api/')) requests.push(pathname + search);
    });
    await page.goto(service.address + path);
    await page.locator('main .skeleton').first().waitFor({ state: 'detached' });
    return { path, page, requests, samples: [] };
  }

  let deletedExperiments = 0;
  const startMillis = performance.now();
  const getElapsedMillis = () => performance.now() - startMillis;
  printLine(`${windows.length} windows, ${writers.length} writers, 100 rows per second`);
  while (getElapsedMillis() < totalMillis) {
    await delay(Math.min(sampleMillis, totalMillis / 20));
    for (const { page, samples } of windows) {
      samples.push({ hours: getElapsedMillis() / 3_600_000, ...(await measurePage(page)) });
    }
    const lastHeaps = windows.map(({ samples }) => samples.at(-1)?.heapMegabytes.toFixed(1));
    deletedExperiments += await deleteOldExperiments(service);
    printLine(
      `${(getElapsedMillis() / 60_000).toFixed(1)} min: heap ${lastHeaps.join(' ')} MB, ${writerPrograms.rows} rows, service ${service.measureUsage().megabytes.toFixed(0)} MB`,
    );
  }
  const liveMinutes = getElapsedMillis() / 60_000;
  const liveRequests = windows.map(({ requests }) => requests.length);

  /** Returns the number of requests of each window within a minute, after the last responses. */
  async function countRequests(): Promise<number[]> {
    await delay(settlingMillis);
    const requestCounts = windows.map(({ requests }) => requests.length);
    await delay(quietMillis);
    return windows.map(({ requests }, index) => requests.length - (requestCounts[index] ?? 0));
  }

  for (const { page } of windows) await setVisibility(page, 'hidden');
  const hiddenRequests = await countRequests();
  await writerPrograms.stop();
  for (const { page } of windows) await setVisibility(page, 'visible');
  const quietRequests = await countRequests();
  await browser.close();
  await service.stop();

  const growths = windows.map(({ samples }) =>
    computeSlope(samples.slice(Math.floor(samples.length * warmUpShare))),
  );
  printTable(
    ['window', 'MB', 'MB/h', 'nodes', 'nodes at the end', 'requests/min', 'hidden', 'quiet'],
    windows.map(({ path, samples }, index) => {
      const firstSample = samples[Math.floor(samples.length * warmUpShare)];
      return [
        path,
        firstSample?.heapMegabytes.toFixed(1),
        growths[index]?.toFixed(2),
        firstSample?.nodes,
        samples.at(-1)?.nodes,
        ((liveRequests[index] ?? 0) / liveMinutes).toFixed(1),
        hiddenRequests[index],
        quietRequests[index],
      ];
    }),
  );
  printLine(
    `${writerPrograms.rows} rows, ${writerPrograms.failedWrites} writes failed, ${deletedExperiments} experiments deleted`,
  );
  for (const error of errors) printLine(`exception: ${error}`);
  return listFaults([
    ...windows.map(
      ({ path }, index) =>
        (growths[index] ?? NaN) > heapGrowthLimit &&
        `the heap of ${path} grew by more than ${heapGrowthLimit} MB per hour`,
    ),
    hiddenRequests.some((count) => count > 0) && 'hidden windows sent requests',
    quietRequests.some((count) => count > 0) && 'windows sent requests in a quiet minute',
    writerPrograms.failedWrites > 0 && `${writerPrograms.failedWrites} writes failed`,
    errors.length > 0 && `pages threw ${errors.length} exceptions`,
  ]);
}

async function waitForRun(service: Service, runId: string): Promise<void> {
  const address = `${service.address}/api/runs/${runId}/iterations`;
  while (!(await fetch(address)).ok) await delay(200);
}

/** Deletes the oldest ended experiments above the maximum; returns their number. */
async function deleteOldExperiments({ address }: Service): Promise<number> {
  const query = 'sortBy=created_at&sortDir=asc&status=COMPLETED&size=200';
  const response = await fetch(`${address}/api/experiments?${query}`);
  const { items } = (await response.json()) as { items: { experimentId: string }[] };
  const writtenExperiments = items.filter(({ experimentId }) =>
    /^(first|second)-/.test(experimentId),
  );
  let deletedCount = 0;
  for (const { experimentId } of writtenExperiments.slice(
    0,
    Math.max(0, writtenExperiments.length - maximumExperiments),
  )) {
    const { ok } = await fetch(`${address}/api/experiments/${experimentId}`, { method: 'DELETE' });
    if (ok) deletedCount += 1;
  }
  return deletedCount;
}

/** Returns heap and nodes of a page after a forced garbage collection. */
async function measurePage(page: Page): Promise<Omit<PageSample, 'hours'>> {
  const devtools = await page.context().newCDPSession(page);
  await devtools.send('HeapProfiler.collectGarbage');
  await devtools.send('Performance.enable');
  const { metrics } = await devtools.send('Performance.getMetrics');
  await devtools.detach();
  const getValue = (name: string) => metrics.find((metric) => metric.name === name)?.value ?? NaN;
  return { heapMegabytes: getValue('JSHeapUsedSize') / 2 ** 20, nodes: getValue('Nodes') };
}

/** Sets the visibility state of a page, because Chromium without a screen cannot hide windows. */
async function setVisibility(page: Page, visibility: 'hidden' | 'visible'): Promise<void> {
  await page.evaluate((value) => {
    Object.defineProperty(document, 'visibilityState', { value, configurable: true });
    document.dispatchEvent(new Event('visibilitychange'));
  }, visibility);
}

/** Returns the growth of the heap in megabytes per hour: the slope of the line of least squares. NaN for one sample. */
function computeSlope(samples: readonly PageSample[]): number {
  const computeMean = (values: readonly number[]) =>
    values.reduce((a, b) => a + b, 0) / values.length;
  const meanHours = computeMean(samples.map(({ hours }) => hours));
  const meanHeap = computeMean(samples.map(({ heapMegabytes }) => heapMegabytes));
  let products = 0;
  let squares = 0;
  for (const { hours, heapMegabytes } of samples) {
    products += (hours - meanHours) * (heapMegabytes - meanHeap);
    squares += (hours - meanHours) ** 2;
  }
  return products / squares;
}

function printTable(head: string[], rows: (string | number | undefined)[][]): void {
  const lines = [head, ...rows].map((row) => row.map((cell) => String(cell ?? '–')));
  const widths = head.map((_, column) => Math.max(...lines.map((line) => line[column]!.length)));
  for (const line of lines) {
    printLine(
      line
        .map((cell, i) => (i === 0 ? cell.padEnd(widths[i]!) : cell.padStart(widths[i]!)))
        .join('  '),
    );
  }
}
