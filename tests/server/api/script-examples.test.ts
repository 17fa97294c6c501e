import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Database } from '#server/db/database.ts';
import {
  makeSqliteLocation,
  openTestDatabase,
  type TestLocation,
} from '#tests/support/databases.ts';
import { isLong } from '#tests/support/long.ts';
import { insert } from '#tests/support/rows.ts';
import { loadSample } from '#tests/support/sample.ts';
import { startService, type TestService } from '#tests/support/test-service.ts';

const folder = fileURLToPath(new URL('../../../renderer/pages/help/scripts', import.meta.url));
const recordingFolder = fileURLToPath(
  new URL('../../../renderer/pages/help/recording', import.meta.url),
);
const files = [...readdirSync(folder), ...readdirSync(recordingFolder)];

/** Commands of the packages, which tests/build/package-npm.test.ts runs. */
const commands = new Set(['import-finished.sh', 'start-service.sh', 'watch-folder.sh']);

const programs: Readonly<Record<string, string>> = {
  '.java': 'java',
  '.jl': 'julia',
  '.sh': 'bash',
  '.py': 'python3',
  '.R': 'Rscript',
};

const scripts = files.filter((name) => !commands.has(name)).sort();

/** A virtual environment with MLflow, the first that the variable names. */
const [mlflow = ''] = (process.env['EVOSCOPE_MLFLOW_VENVS'] ?? '').split(':');
const client = fileURLToPath(new URL('../../../shared/clients/python/src', import.meta.url));

/** Returns the program that runs a script; empty if it is not known. */
function getProgram(name: string): string {
  if (name !== 'record-mlflow.py') return programs[extname(name)]!;
  return mlflow && join(mlflow, 'bin', 'python');
}

function isRecordingScript(name: string): boolean {
  return /^record/i.test(name);
}

function getSkipReason(name: string): string {
  // It takes seconds to compile.
  if (name.endsWith('.java') && !isLong) return ': skipped, needs npm run test:long';
  const program = getProgram(name);
  const isMissing = program === '' || !isInstalled(program);
  return isMissing ? `: skipped, ${program || 'mlflow'} is not installed` : '';
}

function isInstalled(program: string): boolean {
  return spawnSync(program, ['--version']).status === 0;
}

/** What each script must print, or write to a file. */
const expected: Readonly<
  Record<string, { prints?: RegExp; writes?: [file: string, content: RegExp] }>
> = {
  'RecordRun.java': { prints: /^best fitness \d/ },
  'RecordRun.jl': { prints: /^best fitness \d/ },
  'record-curl.sh': { prints: /"accepted":4,/ },
  'record-python.py': { prints: /^best fitness \d/ },
  'record-mlflow.py': { prints: /^best fitness \d/m },
  'list-runs.sh': { prints: /^runId,.*params\.algorithm\.populationSize\r?\n\S+,/ },
  'list-runs.py': { prints: /^\d+ runs, median best fitness \d/ },
  'list-runs.R': { prints: /umda/ },
  'analysis.sh': { prints: /^experimentId,[^]*ertInterval\.lower[^]*,onemax,/ },
  'analysis.py': { prints: /^success rate [\d.]+ ERT [\d.N]\S*\n(\S+ \S+ \S+ \S+\n)+/ },
  'analysis.R': { prints: /^ERT \S+ from \S+ to \S+[^]*mean/ },
  'latex.sh': { prints: /^[1-9]/, writes: ['onemax.tex', /\\toprule/] },
  'latex.py': { writes: ['onemax.tex', /\\toprule/] },
  'latex.R': { writes: ['onemax.tex', /\\toprule/] },
  'stop-run.sh': { prints: /"affectedRuns":1/ },
  'stop-run.py': { prints: /\w{3}/ },
  'watch-changes.sh': { prints: /^data: ?\{/ },
  'watch-changes.py': { prints: /^\d+ runs are RUNNING/ },
  'token.sh': { prints: /"runCount":159/ },
  'token.py': { prints: /^159 runs/ },
  'token.R': { prints: /^159 runs/ },
};

describe('The scripts of the help', () => {
  let location: TestLocation;
  let database: Database;
  let service: TestService;
  let guarded: TestService;
  let ownPlace: TestLocation;
  let ownDatabase: Database;
  let recording: TestService;
  const token = 'token-of-the-tests-0123456789';

  beforeAll(async () => {
    location = await makeSqliteLocation();
    database = await openTestDatabase(location.url);
    await loadSample(database);
    service = await startService(database, { isInThisThread: true });
    guarded = await startService(database, { token, isInThisThread: true });
    ownPlace = await makeSqliteLocation();
    ownDatabase = await openTestDatabase(ownPlace.url);
    recording = await startService(ownDatabase, { isRecording: true, isInThisThread: true });
  });

  afterAll(async () => {
    await service.close();
    await guarded.close();
    await recording.close();
    await database.close();
    await ownDatabase.close();
    await location.remove();
    await ownPlace.remove();
  });

  async function run(name: string, directory: string): Promise<string> {
    const isRecording = isRecordingScript(name);
    const { url } = isRecording ? recording : name.startsWith('token') ? guarded : service;
    const child = spawn(getProgram(name), [join(isRecording ? recordingFolder : folder, name)], {
      cwd: directory,
      env: { ...process.env, EVOSCOPE_URL: url, EVOSCOPE_TOKEN: token, PYTHONPATH: client },
    });
    let [printed, errors] = ['', ''];
    child.stdout.on('data', (data) => (printed += String(data)));
    child.stderr.on('data', (data) => (errors += String(data)));
    if (name === 'watch-changes.sh') {
      // curl notices the end of its reader when it writes the next event.
      child.stdout.once('data', () => void insert(database, 'events', { run_id: 'ckpt-umda' }));
    }
    const code = await new Promise((resolve) => child.on('close', resolve));
    expect(code, errors).toBe(0);
    return printed;
  }

  test('are all run', () => {
    expect(scripts).toEqual(Object.keys(expected).sort());
    expect(isInstalled('curl'), 'curl must be there').toBe(true);
    expect(isInstalled('python3'), 'python3 must be there').toBe(true);
  });

  for (const name of scripts) {
    const why = getSkipReason(name);
    test.skipIf(why)(`${name} runs and prints its result${why}`, async () => {
      const directory = mkdtempSync(join(tmpdir(), 'evoscope-script-'));
      try {
        const printed = await run(name, directory);
        const { prints, writes } = expected[name]!;
        if (prints) expect(printed).toMatch(prints);
        if (isRecordingScript(name)) {
          // The Python client sends in the background, until the program ends.
          const runs = await ownDatabase.kysely.selectFrom('runs').selectAll().execute();
          expect(runs.at(-1)).toMatchObject({
            status: 'COMPLETED',
            best_fitness: expect.any(Number),
          });
        }
        if (writes) expect(readFileSync(join(directory, writes[0]), 'utf8')).toMatch(writes[1]);
      } finally {
        rmSync(directory, { recursive: true, force: true });
      }
    });
  }
});
