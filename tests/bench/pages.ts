import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chromium, type Browser } from 'playwright';
import { chromiumArguments, ensureChromium } from '#build/gate/chromium.ts';
import { writeSampleFile } from '#tests/support/sample-file.ts';
import { fetchText, quantile } from './measure.ts';
import { print } from './report.ts';
import { startService, stop } from './served.ts';

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
  const first = async (list: 'runs' | 'experiments') =>
    JSON.parse(await fetchText(`${origin}/api/${list}?size=1&problem=onemax&status=COMPLETED`)) as {
      items: [{ runId: string; experimentId: string }];
    };
  const run = (await first('runs')).items[0].runId;
  const experiment = (await first('experiments')).items[0].experimentId;
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

/** Runs in the page before its own scripts: polling from outside delays what it measures. */
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
 * Returns the milliseconds from the navigation to the first frame with an element: with an empty browser cache, and again
 * with a filled one.
 */
async function getTimes(
  browser: Browser,
  url: string,
  selector: string,
): Promise<[number, number]> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 } });
  const page = await context.newPage();
  await page.addInitScript(observeFirstFrame, selector);
  const open = async (): Promise<number> => {
    await page.goto(url, { waitUntil: 'commit' });
    return page.evaluate(
      () => window.firstFrameMillis ?? Promise.reject(new Error('Not observed')),
    );
  };
  const times: [number, number] = [await open(), await open()];
  await context.close();
  return times;
}

/** Number of services that are started for a page. */
const starts = 3;

/** Milliseconds of a page whose requests are the first to a service that has just started; one for each start. */
async function timesAfterStart(
  browser: Browser,
  file: string,
  subject: Subject,
): Promise<number[]> {
  const times: number[] = [];
  while (times.length < starts) {
    const service = await startService(file);
    try {
      const [first] = await getTimes(browser, service.origin + subject.path, subject.selector);
      times.push(first);
    } finally {
      await stop(service);
    }
  }
  return times;
}

/** Most processor time of one task while a chart with a thousand single runs is moved and zoomed. */
const taskLimitMillis = 50;

/** Part of an event in a trace of Chromium: names, and times in microseconds. */
interface TraceEvent {
  name: string;
  tdur?: number;
  pid: number;
  args?: { name?: string };
}

/**
 * Returns the processor time in milliseconds of the longest task of the page while a chart of 1,000 curves of 200 points is
 * moved along its axis and zoomed in and out.
 */
async function longestTaskMillis(browser: Browser, origin: string): Promise<number> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 } });
  const page = await context.newPage();
  await page.goto(`${origin}/gallery?chart=crowd`);
  await page.waitForSelector(firstCurve);
  const zoomed = page.getByRole('button', { name: 'Reset zoom' });
  const canvas = page.locator('.chart-canvas');
  const act = async (): Promise<void> => {
    for (const key of ['+', '+', '-', '+']) {
      await canvas.focus();
      await page.keyboard.press(key);
      await zoomed.waitFor();
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
  // The first time, the browser compiles what it runs.
  await act();
  const categories = ['disabled-by-default-devtools.timeline', 'toplevel', '__metadata'];
  await browser.startTracing(page, { categories });
  await act();
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

/** Opens pages of the real runner's sample in Chromium and prints when the first of what they show is there. */
async function main(): Promise<number> {
  const directory = await mkdtemp(join(tmpdir(), 'evoscope-pages-'));
  const file = join(directory, 'sample.db');
  writeSampleFile(file);
  const service = await startService(file);
  const browser = await chromium.launch({
    args: chromiumArguments,
    executablePath: ensureChromium(),
  });
  let slow = 0;
  try {
    print(['', 'empty cache', 'filled cache', 'after start', 'limit']);
    for (const subject of await getSubjects(service.origin)) {
      const { title, path, selector, limitMillis } = subject;
      const times: [number, number][] = [];
      while (times.length < rounds)
        times.push(await getTimes(browser, service.origin + path, selector));
      const columns = [
        times.map(([empty]) => empty),
        times.map(([, filled]) => filled),
        await timesAfterStart(browser, file, subject),
      ];
      const medians = columns.map((column) => quantile(column, 0.5));
      print([title, ...[...medians, limitMillis].map((millis) => `${Math.round(millis)} ms`)]);
      if (Math.max(...medians) > limitMillis) slow += 1;
    }
    const task = await longestTaskMillis(browser, service.origin);
    print([
      'longest task with 1,000 curves',
      '',
      '',
      `${Math.round(task)} ms`,
      `${taskLimitMillis} ms`,
    ]);
    if (task > taskLimitMillis) slow += 1;
  } finally {
    await Promise.all([browser.close(), stop(service)]);
    await rm(directory, { recursive: true });
  }
  return slow;
}

process.exitCode = (await main()) === 0 ? 0 : 1;
