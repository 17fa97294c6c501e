import { setTimeout as delay } from 'node:timers/promises';
import { chromium, type Page } from 'playwright';
import { chromiumArguments, ensureChromium } from '#build/gate/chromium.ts';
import { listFaults, say } from './report.ts';
import type { Service } from './service.ts';
import { Writers } from './writers.ts';

/** A run that continues for the whole time, and two sequences of short runs: 100 rows per second together. */
const writers = [
  { name: 'long', rowsPerSecond: 10, rowsPerRun: 1_000_000 },
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
/** Older experiments are deleted, so that the pages show as much at the end as at the beginning. */
const mostExperiments = 40;
/**
 * V8 counts the code that it compiles as part of the heap: 4 to 8 MB in the first half hour of a page with charts. Without
 * it, what the scripts keep is visible.
 */
const interpretedScripts = '--js-flags=--no-turbofan --no-maglev --no-sparkplug';
/** A page may take minutes on a machine that does other work too. */
const patienceMillis = 180_000;
/** Browsers fill their caches in the first minutes. */
const warmUpShare = 1 / 6;
const sampleMillis = 60_000;
/** The last responses, and counters of PostgreSQL, which are up to 10 s late. */
const settleMillis = 20_000;
const quietMillis = 60_000;
/** Largest growth of the heap of a page after the warm-up, in megabytes per hour. */
const heapGrowthLimit = 1;

interface PageSample {
  hours: number;
  heapMegabytes: number;
  nodes: number;
}

/** A visible window of Chromium, and what it has requested under `/api`. */
interface Window {
  path: string;
  page: Page;
  requests: string[];
  samples: PageSample[];
}

/**
 * Shows seven windows of one browser profile while programs write 100 rows per second, with a bounded number of
 * experiments. Then hides the windows, and shows
 * them again when nothing is written. Prints the heap after a forced collection, the nodes and the requests of each window;
 * returns what was wrong: a heap that grows, a hidden window or a window in a quiet minute that sends requests, exceptions.
 */
export async function soakPages(
  service: Service,
  place: string,
  totalMillis: number,
): Promise<string[]> {
  await service.importSample();
  const programs = new Writers(place, writers);
  await waitForRun(service, 'long-0');

  const browser = await chromium.launch({
    args: [...chromiumArguments, interpretedScripts],
    executablePath: ensureChromium(),
  });
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 } });
  context.setDefaultTimeout(patienceMillis);
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
  const beganAt = performance.now();
  const elapsedMillis = () => performance.now() - beganAt;
  say(`${windows.length} windows, ${writers.length} writers, 100 rows per second`);
  while (elapsedMillis() < totalMillis) {
    await delay(Math.min(sampleMillis, totalMillis / 20));
    for (const { page, samples } of windows) {
      samples.push({ hours: elapsedMillis() / 3_600_000, ...(await measurePage(page)) });
    }
    const last = windows.map(({ samples }) => samples.at(-1)?.heapMegabytes.toFixed(1));
    deletedExperiments += await deleteOldExperiments(service);
    say(
      `${(elapsedMillis() / 60_000).toFixed(1)} min: heap ${last.join(' ')} MB, ${programs.rows} rows, service ${service.usage().megabytes.toFixed(0)} MB`,
    );
  }
  const liveMinutes = elapsedMillis() / 60_000;
  const liveRequests = windows.map(({ requests }) => requests.length);

  /** Returns how many requests each window sends within a minute, after the last responses. */
  async function countRequests(): Promise<number[]> {
    await delay(settleMillis);
    const before = windows.map(({ requests }) => requests.length);
    await delay(quietMillis);
    return windows.map(({ requests }, index) => requests.length - (before[index] ?? 0));
  }

  for (const { page } of windows) await setVisibility(page, 'hidden');
  const hiddenRequests = await countRequests();
  await programs.stop();
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
      const begin = samples[Math.floor(samples.length * warmUpShare)];
      return [
        path,
        begin?.heapMegabytes.toFixed(1),
        growths[index]?.toFixed(2),
        begin?.nodes,
        samples.at(-1)?.nodes,
        ((liveRequests[index] ?? 0) / liveMinutes).toFixed(1),
        hiddenRequests[index],
        quietRequests[index],
      ];
    }),
  );
  say(
    `${programs.rows} rows, ${programs.failed} writes failed, ${deletedExperiments} experiments deleted`,
  );
  for (const error of errors) say(`exception: ${error}`);
  return listFaults([
    ...windows.map(
      ({ path }, index) =>
        (growths[index] ?? NaN) > heapGrowthLimit &&
        `the heap of ${path} grew by more than ${heapGrowthLimit} MB per hour`,
    ),
    hiddenRequests.some((count) => count > 0) && 'hidden windows sent requests',
    quietRequests.some((count) => count > 0) && 'windows sent requests in a quiet minute',
    programs.failed > 0 && `${programs.failed} writes failed`,
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
  const written = items.filter(({ experimentId }) => /^(first|second)-/.test(experimentId));
  let deleted = 0;
  for (const { experimentId } of written.slice(0, Math.max(0, written.length - mostExperiments))) {
    const { ok } = await fetch(`${address}/api/experiments/${experimentId}`, { method: 'DELETE' });
    if (ok) deleted += 1;
  }
  return deleted;
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

/** Makes a page believe that its window is hidden or visible, which Chromium without a screen cannot do. */
async function setVisibility(page: Page, visibility: 'hidden' | 'visible'): Promise<void> {
  await page.evaluate((value) => {
    Object.defineProperty(document, 'visibilityState', { value, configurable: true });
    document.dispatchEvent(new Event('visibilitychange'));
  }, visibility);
}

/** Returns the growth of the heap in megabytes per hour: the slope of the line of least squares. NaN for one sample. */
function computeSlope(samples: readonly PageSample[]): number {
  const mean = (values: readonly number[]) => values.reduce((a, b) => a + b, 0) / values.length;
  const meanHours = mean(samples.map(({ hours }) => hours));
  const meanHeap = mean(samples.map(({ heapMegabytes }) => heapMegabytes));
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
    say(
      line
        .map((cell, i) => (i === 0 ? cell.padEnd(widths[i]!) : cell.padStart(widths[i]!)))
        .join('  '),
    );
  }
}
