import { fileURLToPath } from 'node:url';
import { defineConfig } from 'playwright/test';
import { chromiumArguments, findChromium } from './gate/chromium.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const executablePath = findChromium();

/**
 * One process draws all pages of a context, whatever the port, and has read their scripts already. Services ask by a
 * header for one of their own for each port, which is not given where sites are not isolated.
 */
const oneProcess = ['--process-per-site', '--disable-site-isolation-trials'];

export default defineConfig({
  testDir: `${root}tests`,
  outputDir: `${root}test-results`,
  globalSetup: './gate/playwright-setup.ts',
  workers: 2,
  // Generous: a machine that does other work too takes seconds to draw a chart.
  timeout: 120_000,
  expect: { timeout: 30_000 },
  // In the gate a second try tells a busy machine from a fault; the list names such a test as flaky.
  retries: process.env.CI ? 1 : 0,
  forbidOnly: true,
  reporter: [['list'], ['./gate/playwright-tally.ts']],
  use: {
    headless: true,
    viewport: { width: 1280, height: 800 },
    screenshot: 'only-on-failure',
    launchOptions: {
      args: [...chromiumArguments, ...oneProcess],
      ...(executablePath === null ? {} : { executablePath }),
    },
  },
  projects: [
    { name: 'pages', testDir: `${root}tests/e2e` },
    { name: 'desktop', testDir: `${root}tests/desktop` },
  ],
});
