import { fileURLToPath } from 'node:url';
import solid from 'vite-plugin-solid';
import { defineConfig } from 'vitest/config';
import { nodeFlags } from './gate/node-flags.ts';

const root = fileURLToPath(new URL('..', import.meta.url));

// Some tests start programs as another user, who must be able to read the files of the tests.
process.umask(0o022);

const env = {
  // The compile cache saves most of the start time of a program.
  NODE_COMPILE_CACHE: fileURLToPath(new URL('../.cache/compiled', import.meta.url)),
  // SQLite reads this variable when a process loads its binary. Without the variable, a test that loads the binary
  // before the service would disable URIs for all later tests of its process.
  SQLITE_USE_URI: '1',
};

const setupFiles = ['tests/support/property-seed.ts'];

/** Suites that open databases. They share one PostgreSQL server, which starts before them. */
const databaseTests = [
  'tests/server/{db,repositories,services,api,http,analysis,domain,runtime,recording,import,sample,verify}/**/*.test.ts',
  'tests/server/*.test.ts',
  'tests/trust/**/*.test.ts',
  'tests/build/**/*.test.ts',
  'tests/electron/**/*.test.ts',
  'tests/clients/mlflow.test.ts',
];

export default defineConfig({
  root,
  test: {
    passWithNoTests: true,
    // Three files run at the same time, because some tests mostly wait.
    maxWorkers: 3,
    // With isolation each file would load the whole service again. Tests restore what they change in this process.
    isolate: false,
    // In the gate, a retry distinguishes a busy machine from an error. The tally lists the tests that passed only on
    // the retry.
    retry: process.env.CI ? 1 : 0,
    reporters: ['default', './build/gate/vitest-tally.ts'],
    projects: [
      {
        root,
        plugins: [solid({ ssr: false })],
        test: {
          name: 'unit',
          environment: 'node',
          execArgv: nodeFlags,
          setupFiles,
          include: ['tests/**/*.test.ts'],
          // Property tests of exact methods enumerate many permutations.
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
          setupFiles,
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
