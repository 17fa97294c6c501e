import { fileURLToPath } from 'node:url';
import { defineConfig } from 'playwright/test';
import { chromiumArguments, findChromium } from './gate/chromium.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const executablePath = findChromium();

/**
 * Arguments that let all pages of a context share one process, even with different ports, because Chromium then parses
 * scripts once. A header of the service requests a separate process per origin, but Chromium ignores this header
 * without site isolation.
 */
const oneProcessArguments = ['--process-per-site', '--disable-site-isolation-trials'];

export default defineConfig({
  testDir: `${root}tests`,
  outputDir: `${root}test-results`,
  globalSetup: './gate/playwright-setup.ts',
  workers: 2,
  // A busy machine takes seconds to draw a chart.
  timeout: 120_000,
  expect: { timeout: 30_000 },
  // In the gate, a retry distinguishes a busy machine from an error. The tally lists the tests that passed only on the
  // retry.
  retries: process.env.CI ? 1 : 0,
  forbidOnly: true,
  reporter: [['list'], ['./gate/playwright-tally.ts']],
  use: {
    headless: true,
    viewport: { width: 1280, height: 800 },
    screenshot: 'only-on-failure',
    launchOptions: {
      args: [...chromiumArguments, ...oneProcessArguments],
      ...(executablePath === null ? {} : { executablePath }),
    },
  },
  projects: [
    { name: 'pages', testDir: `${root}tests/e2e` },
    { name: 'desktop', testDir: `${root}tests/desktop` },
  ],
});
