import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chromium, type Browser } from 'playwright';
import { chromiumArguments, ensureChromium } from '#build/gate/chromium.ts';
import { writeSampleFile } from '#tests/support/sample-file.ts';
import { fetchText, quantile } from './measure.ts';
import { print } from './report.ts';
import { startService, stop } from './served.ts';

/** A page, what is to be seen on it, and within how many milliseconds of the navigation on an idle machine. */
interface Subject {
  title: string;
  path: string;
  selector: string;
  limitMillis: number;
}

const rounds = 7;
const firstCurve = '.js-plotly-plot path.js-line';

async function subjectsOf(origin: string): Promise<Subject[]> {
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

/** Milliseconds from the navigation until it is there: with nothing in the browser's cache, and once more with it. */
async function timesOf(browser: Browser, url: string, selector: string): Promise<[number, number]> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 } });
  const page = await context.newPage();
  const open = async (): Promise<number> => {
    await page.goto(url, { waitUntil: 'commit' });
    await page.waitForSelector(selector);
    return page.evaluate(() => performance.now());
  };
  const times: [number, number] = [await open(), await open()];
  await context.close();
  return times;
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
    print(['', 'empty cache', 'filled cache', 'limit']);
    for (const { title, path, selector, limitMillis } of await subjectsOf(service.origin)) {
      const times: [number, number][] = [];
      while (times.length < rounds)
        times.push(await timesOf(browser, service.origin + path, selector));
      const medians = [0, 1].map((at) =>
        quantile(
          times.map((pair) => pair[at] ?? NaN),
          0.5,
        ),
      );
      print([title, ...[...medians, limitMillis].map((millis) => `${Math.round(millis)} ms`)]);
      if (Math.max(...medians) > limitMillis) slow += 1;
    }
  } finally {
    await Promise.all([browser.close(), stop(service)]);
    await rm(directory, { recursive: true });
  }
  return slow;
}

process.exitCode = (await main()) === 0 ? 0 : 1;
