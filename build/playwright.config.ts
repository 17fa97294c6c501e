import { fileURLToPath } from 'node:url';
import { defineConfig } from 'playwright/test';
import { chromiumArguments, findChromium } from './chromium.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const executablePath = findChromium();

export default defineConfig({
  testDir: `${root}tests`,
  outputDir: `${root}test-results`,
  workers: 2,
  // A busy machine takes seconds to draw a chart; a second try tells such a delay from a fault.
  timeout: 90_000,
  expect: { timeout: 15_000 },
  retries: process.env.CI ? 1 : 0,
  forbidOnly: true,
  reporter: [
    ['list'],
    [
      'json',
      { outputFile: process.env.PLAYWRIGHT_JSON_OUTPUT_FILE ?? `${root}.cache/playwright.json` },
    ],
    ['./playwright-skips.ts'],
  ],
  use: {
    headless: true,
    viewport: { width: 1280, height: 800 },
    trace: 'retain-on-failure',
    launchOptions: {
      args: chromiumArguments,
      ...(executablePath === null ? {} : { executablePath }),
    },
  },
  projects: [
    { name: 'pages', testDir: `${root}tests/e2e` },
    { name: 'desktop', testDir: `${root}tests/desktop` },
  ],
});
