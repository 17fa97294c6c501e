import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { gunzipSync } from 'node:zlib';
import { chromium, type Browser } from 'playwright';
import { chromiumArguments, ensureChromium } from './gate/chromium.ts';

const root = join(import.meta.dirname, '..');
const screenshotFolder = join(import.meta.dirname, 'screenshots');
const viewport = { width: 1280, height: 800 };

/** Expression that is true in a page after the page has loaded its fonts and drawn all charts on the screen. */
const drawnExpression = `document.fonts.status === 'loaded' && [...document.querySelectorAll('.chart-canvas')]
  .filter((chart) => chart.getBoundingClientRect().top < innerHeight)
  .every((chart) => chart.querySelector('svg') !== null)`;

/** Path of each page by the name of its screenshot. */
const samplePages: Record<string, string> = {
  runs: '/',
  'run-fitness': '/runs/adaptive30-pbil',
  'run-iterations': '/runs/adaptive30-pbil?tab=iterations',
  'run-events': '/runs/adaptive30-pbil?tab=events',
  'run-config': '/runs/adaptive30-pbil?tab=config',
  experiments: '/experiments',
  across: '/problems/coco-bbob?tab=across',
  campaign: '/coco/bbob-small',
};
const getRepeatedRunPages = (experimentId: string): Record<string, string> => ({
  experiment: `/experiments/${experimentId}`,
  problems: '/problems',
  problem: '/problems/onemax',
});
const getCampaignPages = (campaignId: string): Record<string, string> => ({
  'campaign-ecdf': `/coco/${campaignId}?tab=ecdf`,
});

/**
 * Takes the screenshots of the README from the real service, each page in both themes. Pages of runs show rows that a
 * runner wrote. Pages that need repeated runs show runs of the sample runner, because the fixture has few complete
 * traces. Needs the built pages.
 */
async function main(): Promise<void> {
  const temporaryFolder = await mkdtemp(join(tmpdir(), 'evoscope-screenshots-'));
  const browser = await chromium.launch({
    executablePath: ensureChromium(),
    args: chromiumArguments,
  });
  try {
    const runsFile = join(temporaryFolder, 'runner-sample.db');
    const compressedDatabase = await readFile(join(root, 'tests/fixtures/runner-sample.db.gz'));
    await writeFile(runsFile, gunzipSync(compressedDatabase));
    await runWithService(runsFile, (address) => takeAllScreenshots(browser, address, samplePages));
    const repeatedRunsFile = join(temporaryFolder, 'sample.db');
    await runSample('--db', repeatedRunsFile);
    await runWithService(repeatedRunsFile, async (address) => {
      const response = await fetch(`${address}/api/runs?q=onemax40-umda&size=1`);
      const { items } = (await response.json()) as { items: { experimentId: string }[] };
      await takeAllScreenshots(browser, address, getRepeatedRunPages(items[0]?.experimentId ?? ''));
    });
    const campaignsFile = join(temporaryFolder, 'campaigns.db');
    await runSample('--coco', '--db', campaignsFile);
    await runWithService(campaignsFile, async (address) => {
      const response = await fetch(`${address}/api/coco/campaigns?size=1`);
      const { items } = (await response.json()) as { items: { campaignId: string }[] };
      await takeAllScreenshots(browser, address, getCampaignPages(items[0]?.campaignId ?? ''));
    });
  } finally {
    await browser.close();
    await rm(temporaryFolder, { recursive: true, force: true });
  }
}

function runNode(commandArguments: string[]) {
  return spawn(process.execPath, commandArguments, {
    cwd: root,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
}

/** Runs the sample runner. Rejects with an Error if it fails, because the pages would show incomplete data. */
async function runSample(...flags: string[]): Promise<void> {
  const runner = runNode(['server/sample/main.ts', ...flags]);
  runner.stdout.resume();
  const [exitCode] = (await once(runner, 'exit')) as [number | null];
  if (exitCode !== 0)
    throw new Error(`The sample runner failed (exit code ${exitCode}), see above`);
}

async function runWithService(database: string, work: (address: string) => Promise<void>) {
  const service = runNode(['server/main.ts', '--db', database, '--port', '0']);
  try {
    await work(await waitForAddress(createInterface({ input: service.stdout })));
  } finally {
    service.kill();
  }
}

async function takeAllScreenshots(
  browser: Browser,
  address: string,
  pages: Record<string, string>,
) {
  for (const theme of ['light', 'dark'] as const)
    await takeScreenshots(browser, address, theme, pages);
}

async function waitForAddress(lines: AsyncIterable<string>): Promise<string> {
  for await (const line of lines) {
    const address = /ready at (\S+?)\/ /.exec(line)?.[1];
    if (address) return address;
  }
  throw new Error('The service ended before it was ready, see above');
}

async function takeScreenshots(
  browser: Browser,
  address: string,
  theme: 'light' | 'dark',
  pages: Record<string, string>,
): Promise<void> {
  const page = await browser.newPage({ viewport, colorScheme: theme, reducedMotion: 'reduce' });
  for (const [name, path] of Object.entries(pages)) {
    await page.goto(address + path);
    // A page that has just started to load does not show placeholders yet.
    await page.locator('main :is(.card, table)').first().waitFor();
    await page.locator('[aria-busy="true"]').first().waitFor({ state: 'detached' });
    await page.waitForFunction(drawnExpression);
    await page.screenshot({ path: join(screenshotFolder, `${name}-${theme}.png`) });
    process.stdout.write(`${name}-${theme}.png\n`);
  }
  await page.close();
}

await main();
