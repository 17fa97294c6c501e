import { spawn } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { gunzipSync } from 'node:zlib';
import { chromium, type Browser } from 'playwright';
import { chromiumArguments, ensureChromium } from './chromium.ts';

/**
 * Draws the pictures of the README anew: each page in both themes, from the real service over the rows that a
 * runner wrote. The pages must have been built.
 */
const root = join(import.meta.dirname, '..');
const pictures = join(import.meta.dirname, 'screenshots');
const viewport = { width: 1280, height: 800 };

/** Name of the picture → address of the page. */
const pages: Record<string, string> = {
  runs: '/',
  'run-fitness': '/runs/onemax40-cga-r03',
  'run-iterations': '/runs/onemax40-cga-r03?tab=iterations',
  'run-events': '/runs/onemax40-cga-r03?tab=events',
  'run-config': '/runs/onemax40-cga-r03?tab=config',
};

async function main(): Promise<void> {
  const directory = await mkdtemp(join(tmpdir(), 'evoscope-screenshots-'));
  const database = join(directory, 'runner-sample.db');
  const packed = await readFile(join(root, 'tests/fixtures/runner-sample.db.gz'));
  await writeFile(database, gunzipSync(packed));
  const service = spawn(process.execPath, ['server/main.ts', '--db', database, '--port', '0'], {
    cwd: root,
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const browser = await chromium.launch({
    executablePath: ensureChromium(),
    args: chromiumArguments,
  });
  try {
    const address = await readyAddress(createInterface({ input: service.stdout }));
    for (const theme of ['light', 'dark'] as const) await drawPages(browser, address, theme);
  } finally {
    await browser.close();
    service.kill();
    await rm(directory, { recursive: true, force: true });
  }
}

async function readyAddress(lines: AsyncIterable<string>): Promise<string> {
  for await (const line of lines) {
    const address = /ready at (\S+?)\/ /.exec(line)?.[1];
    if (address) return address;
  }
  throw new Error('The service ended before it was ready');
}

async function drawPages(browser: Browser, address: string, theme: 'light' | 'dark') {
  const page = await browser.newPage({ viewport, colorScheme: theme, reducedMotion: 'reduce' });
  for (const [name, path] of Object.entries(pages)) {
    await page.goto(address + path);
    await page.getByRole('heading', { level: 1 }).waitFor();
    await page.locator('[aria-busy="true"]').first().waitFor({ state: 'detached' });
    // Fonts and the chart's own drawing come after the data.
    await page.waitForTimeout(1_000);
    await page.screenshot({ path: join(pictures, `${name}-${theme}.png`) });
    process.stdout.write(`${name}-${theme}.png\n`);
  }
  await page.close();
}

await main();
