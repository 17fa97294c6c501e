import { fileURLToPath } from 'node:url';
import solid from 'vite-plugin-solid';
import { defineConfig } from 'vitest/config';
import { nodeFlags } from './gate/node-flags.ts';

const root = fileURLToPath(new URL('..', import.meta.url));

// Some tests start programs as another user, who has to read what was made for them, whatever the mask of the one who tests.
process.umask(0o022);

/** Most of a program's start is the reading of its sources, which Node does once where it may keep what it made. */
const env = { NODE_COMPILE_CACHE: fileURLToPath(new URL('../.cache/compiled', import.meta.url)) };

/** Suites that open databases: they share one PostgreSQL server, started before the first of them. */
const databaseTests = [
  'tests/server/{db,repositories,services,api,http,analysis,domain,threads,recording,import,sample}/**/*.test.ts',
  'tests/server/*.test.ts',
  'tests/trust/**/*.test.ts',
  'tests/build/**/*.test.ts',
  'tests/electron/**/*.test.ts',
];

export default defineConfig({
  root,
  test: {
    passWithNoTests: true,
    // Some tests wait more than they work.
    maxWorkers: 3,
    // Each file would load the whole service anew: what a test changes of this process it puts back itself.
    isolate: false,
    reporters: ['default', './build/gate/vitest-tally.ts'],
    projects: [
      {
        root,
        plugins: [solid({ ssr: false })],
        test: {
          name: 'unit',
          environment: 'node',
          execArgv: nodeFlags,
          include: ['tests/**/*.test.ts'],
          // Properties of exact tests count through many permutations.
          testTimeout: 30_000,
          exclude: [...databaseTests, 'tests/e2e/**', 'tests/desktop/**', 'tests/bench/**'],
        },
      },
      {
        root,
        test: {
          name: 'database',
          environment: 'node',
          env,
          execArgv: nodeFlags,
          include: databaseTests,
          globalSetup: ['tests/support/postgres-server.ts', 'tests/support/programs.ts'],
          testTimeout: 30_000,
          hookTimeout: 60_000,
          expect: { poll: { timeout: 10_000 } },
        },
      },
    ],
  },
});
