import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chromium, type Browser } from 'playwright';
import { chromiumArguments, ensureChromium } from '#build/gate/chromium.ts';
import { writeSampleFile } from '#tests/support/sample-file.ts';
import { fetchText, computeQuantile } from './measure.ts';
import { print } from './report.ts';
import { startService, stopProcess } from './serving-process.ts';

/** A page, its first element of interest, and the limit from the navigation to the first frame with it on an idle machine. */
interface Subject {
  title: string;
  path: string;
  selector: string;
  limitMillis: number;
}

const rounds = 7;
const firstCurve = '.js-plotly-plot path.js-line';

async function getSubjects(origin: string): Promise<Subject[]> {
  const fetchFirst = async (list: 'runs' | 'experiments') =>
    JSON.parse(await fetchText(`${origin}/api/${list}?size=1&problem=onemax&status=COMPLETED`)) as {
      items: [{ runId: string; experimentId: string }];
    };
  const run = (await fetchFirst('runs')).items[0].runId;
  const experiment = (await fetchFirst('experiments')).items[0].experimentId;
  const chart = { selector: firstCurve, limitMillis: 1500 };
  return [
    { title: 'first rows of runs', path: '/', selector: 'tbody tr', limitMillis: 500 },
    { title: 'first curve of a run', path: `/runs/${run}`, ...chart },
    { title: 'first curve of an experiment', path: `/experiments/${experiment}`, ...chart },
    { title: 'first curve of a problem', path: '/problems/onemax', ...chart },
  ];
}

/** Time of the first frame of a page with an element, in milliseconds from the navigation. */
declare global {
  interface Window {
    firstFrameMillis?: Promise<number>;
  }
}

/** Observes the first frame before the scripts of the page run. Polling from outside would delay the frame. */
function observeFirstFrame(selector: string): void {
  window.firstFrameMillis = new Promise((resolve) => {
    const observer = new MutationObserver(() => {
      if (!document.querySelector(selector)) return;
      observer.disconnect();
      requestAnimationFrame(() => resolve(performance.now()));
    });
    observer.observe(document, { childList: true, subtree: true });
  });
}

/**
 * Returns the milliseconds from the navigation to the first frame with an element: with an empty browser cache, and
 * again with a filled one.
 */
async function measureTimes(
  browser: Browser,
  url: string,
  selector: string,
): Promise<[number, number]> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 } });
  const page = await context.newPage();
  await page.addInitScript(observeFirstFrame, selector);
  const measureFrame = async (): Promise<number> => {
    await page.goto(url, { waitUntil: 'commit' });
    return page.evaluate(
      () => window.firstFrameMillis ?? Promise.reject(new Error('Not observed')),
    );
  };
  const times: [number, number] = [await measureFrame(), await measureFrame()];
  await context.close();
  return times;
}

/** Number of services that are started for a page. */
const startCount = 3;

/** Returns the milliseconds until the first frame if the page sends the first requests to a new service, once per start. */
async function measureAfterStart(
  browser: Browser,
  file: string,
  subject: Subject,
): Promise<number[]> {
  const times: number[] = [];
  while (times.length < startCount) {
    const service = await startService(file);
    try {
      const [firstMillis] = await measureTimes(
        browser,
        service.origin + subject.path,
        subject.selector,
      );
      times.push(firstMillis);
    } finally {
      await stopProcess(service);
    }
  }
  return times;
}

/** Maximum processor time of one task while a chart with a thousand single runs is moved and zoomed. */
const taskLimitMillis = 50;

/** Part of an event in a trace of Chromium: names, and times in microseconds. */
interface TraceEvent {
  name: string;
  tdur?: number;
  pid: number;
  args?: { name?: string };
}

/**
 * Returns the processor time in milliseconds of the longest task of the page while a chart of 1,000 curves of 200
 * points is moved along its axis and zoomed in and out.
 */
async function measureLongestTask(browser: Browser, origin: string): Promise<number> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 } });
  const page = await context.newPage();
  await page.goto(`${origin}/gallery?chart=crowd`);
  await page.waitForSelector(firstCurve);
  const resetButton = page.getByRole('button', { name: 'Reset zoom' });
  const canvas = page.locator('.chart-canvas');
  const moveAndZoom = async (): Promise<void> => {
    for (const key of ['+', '+', '-', '+']) {
      await canvas.focus();
      await page.keyboard.press(key);
      await resetButton.waitFor();
    }
    const axis = await page.locator('.ewdrag').first().boundingBox();
    if (!axis) throw new Error('The chart has no axis to drag.');
    await page.mouse.move(axis.x + axis.width / 2, axis.y + axis.height / 2);
    await page.mouse.down();
    for (let step = 1; step <= 20; step += 1) {
      await page.mouse.move(axis.x + axis.width / 2 + 6 * step, axis.y + axis.height / 2);
      await page.evaluate(() => new Promise(requestAnimationFrame));
    }
    await page.mouse.up();
    await page.evaluate(() => new Promise(requestAnimationFrame));
  };
  // The first time, the browser compiles the scripts.
  await moveAndZoom();
  const categories = ['disabled-by-default-devtools.timeline', 'toplevel', '__metadata'];
  await browser.startTracing(page, { categories });
  await moveAndZoom();
  const { traceEvents } = JSON.parse((await browser.stopTracing()).toString()) as {
    traceEvents: TraceEvent[];
  };
  await context.close();
  const renderers = new Set(
    traceEvents.filter(({ args }) => args?.name === 'Renderer').map(({ pid }) => pid),
  );
  const tasks = traceEvents.flatMap(({ name, pid, tdur = 0 }) =>
    /RunTask/.test(name) && renderers.has(pid) ? [tdur / 1000] : [],
  );
  if (tasks.length === 0) throw new Error('The trace has no tasks.');
  return Math.max(...tasks);
}

/** Opens pages of the runner's sample in Chromium and prints the times of the first frames. Returns the number of slow pages. */
async function main(): Promise<number> {
  const directory = await mkdtemp(join(tmpdir(), 'evoscope-pages-'));
  const file = join(directory, 'sample.db');
  writeSampleFile(file);
  const service = await startService(file);
  const browser = await chromium.launch({
    args: chromiumArguments,
    executablePath: ensureChromium(),
  });
  let slowPages = 0;
  try {
    print(['', 'empty cache', 'filled cache', 'after start', 'limit']);
    for (const subject of await getSubjects(service.origin)) {
      const { title, path, selector, limitMillis } = subject;
      const times: [number, number][] = [];
      while (times.length < rounds)
        times.push(await measureTimes(browser, service.origin + path, selector));
      const columns = [
        times.map(([emptyMillis]) => emptyMillis),
        times.map(([, filledMillis]) => filledMillis),
        await measureAfterStart(browser, file, subject),
      ];
      const medians = columns.map((column) => computeQuantile(column, 0.5));
      print([title, ...[...medians, limitMillis].map((millis) => `${Math.round(millis)} ms`)]);
      if (Math.max(...medians) > limitMillis) slowPages += 1;
    }
    const taskMillis = await measureLongestTask(browser, service.origin);
    print([
      'longest task with 1,000 curves',
      '',
      '',
      `${Math.round(taskMillis)} ms`,
      `${taskLimitMillis} ms`,
    ]);
    if (taskMillis > taskLimitMillis) slowPages += 1;
  } finally {
    await Promise.all([browser.close(), stopProcess(service)]);
    await rm(directory, { recursive: true });
  }
  return slowPages;
}

process.exitCode = (await main()) === 0 ? 0 : 1;
