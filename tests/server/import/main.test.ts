import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync, chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { describeOnEachDatabase } from '#tests/support/databases.ts';
import { resolveProgramFile } from '#tests/support/programs.ts';
import { findArchive } from '#tests/support/import-data.ts';
import { makeBenchmark } from '#tests/support/benchmark-data.ts';

const programFile = resolveProgramFile('importer');

const children: ChildProcess[] = [];
afterEach(() => {
  for (const command of children.splice(0)) command.kill('SIGKILL');
  vi.unstubAllEnvs();
});

function start(...options: string[]): ChildProcess {
  return startAsUser({}, ...options);
}

function startAsUser(user: { uid?: number; gid?: number }, ...options: string[]): ChildProcess {
  const command = spawn(process.execPath, [programFile, ...options], {
    stdio: ['ignore', 'pipe', 'pipe'],
    ...user,
  });
  children.push(command);
  return command;
}

async function finish(command: ChildProcess) {
  const [stdout, stderr, [code]] = await Promise.all([
    text(command.stdout!),
    text(command.stderr!),
    once(command, 'exit'),
  ]);
  return { stdout, stderr, code: code as number | null };
}

/** Waits until the command prints this text to stderr. */
function waitForText(command: ChildProcess, words: string): Promise<void> {
  return new Promise((resolve, reject) => {
    command.once('exit', () => reject(new Error(`it never said ${words}`)));
    command.stderr!.on('data', (chunk: Buffer) => {
      if (chunk.toString().includes(words)) resolve();
    });
  });
}

describeOnEachDatabase('npm run import', (database) => {
  const countRuns = async () => {
    const { runs } = await database()
      .kysely.selectFrom('runs')
      .select((eb) => eb.fn.countAll<number>().as('runs'))
      .executeTakeFirstOrThrow();
    return runs;
  };

  test('writes nothing if it is killed or interrupted while it writes', async () => {
    const benchmark = makeBenchmark({ functions: 4 });
    for (const [signal, code] of [
      ['SIGKILL', null],
      ['SIGINT', 130],
    ] as const) {
      const command = start(benchmark.folder, '--db', database().url);
      await waitForText(command, 'writing');
      command.kill(signal);
      expect((await once(command, 'exit'))[0], signal).toBe(code);
      expect(await countRuns(), signal).toBe(0);
    }
    benchmark.remove();
  });

  test('prints its result as JSON, shows a progress bar and exits with 0', async () => {
    const archive = findArchive('coco-gen-mixint')!;
    const { stdout, stderr, code } = await finish(
      start(archive, '--db', database().url, '--name', 'mixed'),
    );
    expect(JSON.parse(stdout)).toMatchObject({
      dataset: 'mixed',
      campaigns: [{ suite: 'bbob-mixint', optimizers: 1, experiments: 10, runs: 50 }],
      skipped: 0,
      extended: 0,
      notes: [],
    });
    expect(stderr).toMatch(/50 % {2}reading, 0\.0 MB\n/);
    expect(stderr).toMatch(/100 % {2}writing, 50 of 50 runs, 1116 rows\n$/);
    expect(code).toBe(0);
    expect(await countRuns()).toBe(50);
  });

  test('writes into the database in the file of SVC_DB_URL', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'evoscope-import-url-'));
    writeFileSync(join(folder, 'url'), `${database().url}\n`);
    vi.stubEnv('SVC_DB_URL_FILE', join(folder, 'url'));
    const previousCount = await countRuns();
    const command = start(findArchive('coco-gen-mixint')!, '--name', 'by variable');
    expect((await finish(command)).code).toBe(0);
    expect(await countRuns()).toBe(previousCount + 50);
    rmSync(folder, { recursive: true });
  });

  test('exits with 1 and the reason if the import is refused', async () => {
    const { stdout, stderr, code } = await finish(
      start(findArchive('coco-gen-toy')!, '--db', database().url),
    );
    expect(stdout).toBe('');
    expect(stderr).toMatch(
      /^FORMAT_UNKNOWN: The source has no data in a known format\. Choose indexes/m,
    );
    expect(code).toBe(1);
  });
});

/** Root may read every folder, so these programs run as another user then. */
const isRoot = process.getuid?.() === 0;
const otherUser = isRoot ? { uid: 65_534, gid: 65_534 } : {};

describeOnEachDatabase('npm run import -- --watch', (database) => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'evoscope-watch-command-'));
    chmodSync(folder, 0o755);
    const { file } = database();
    if (!isRoot || file === null) return;
    // The other user writes the database.
    chmodSync(dirname(file), 0o777);
    for (const suffix of ['', '-wal', '-shm']) chmodSync(`${file}${suffix}`, 0o666);
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  const watch = () =>
    startAsUser(otherUser, folder, '--watch', '--db', database().url, '--name', 'watched');
  const append = (rows: string) => appendFileSync(join(folder, 'IOHprofiler_f1_DIM2.dat'), rows);

  test('shows new rows until it is interrupted, then prints the result and exits with 0', async () => {
    const command = watch();
    await waitForText(command, 'watching, no files of COCO, IOHprofiler or pycma yet\n');
    const rows = waitForText(command, 'watching 1 files, 1 runs, 1 of them RUNNING, 2 new rows\n');
    append('evaluations raw_y\n1 5\n3 4\n5');
    await rows;
    const end = finish(command);
    command.kill('SIGINT');
    const { stdout, stderr, code } = await end;
    expect(stderr).toContain('Watching ends: reading the folder a last time\n');
    expect(JSON.parse(stdout)).toMatchObject({ dataset: 'watched', campaigns: [{ runs: 1 }] });
    expect(code).toBe(0);
    const runs = await database().kysely.selectFrom('runs').select('status').execute();
    expect(runs).toEqual([{ status: 'STOPPED' }]);
  });

  test('reports a folder without permission to read it, and continues once there is permission', async () => {
    const command = watch();
    await waitForText(command, 'watching, no files');
    const problem = waitForText(
      command,
      `There is no permission to read ${folder}. Grant it; watching then continues.\n`,
    );
    chmodSync(folder, isRoot ? 0o700 : 0o000);
    await problem;
    const secondWait = waitForText(command, 'watching, no files');
    chmodSync(folder, 0o755);
    await secondWait;
  });

  test('exits with 1 if the folder must not be read', async () => {
    chmodSync(folder, isRoot ? 0o700 : 0o000);
    const { stderr, code } = await finish(watch());
    expect(stderr).toBe(
      `SOURCE_UNREADABLE: Evoscope cannot read the folder ${folder}. Grant permission, or choose another folder\n`,
    );
    expect(code).toBe(1);
  });
});

test.each([
  [[], 'Expected 1 path, got 0. Name one folder, archive or table to import'],
  [['a', 'b'], 'Expected 1 path, got 2. Name one folder, archive or table to import'],
  [['a', '--direction', 'up'], '--direction must be one of min, max, not "up"'],
  [['a', '--name', ' '], '--name must not be empty: enter a name, or omit the option'],
  [['a', '--what'], "Unknown option '--what'"],
  [
    ['a', '--watch', '--replace'],
    '--replace is not possible with --watch. Import the finished folder with --replace',
  ],
  [
    ['a', '--watch', '--budget', '9'],
    '--budget is not possible with --watch. Import the finished folder with --budget',
  ],
  [
    ['a', '--watch', '--kind', 'table'],
    '--kind table is not possible with --watch. Import tables without --watch',
  ],
])('an invalid command line exits with 2 and the reason: %j', async (options, reason) => {
  const { stderr, code } = await finish(start(...options));
  expect(stderr).toContain(reason);
  expect(stderr).toContain('See npm run import -- --help');
  expect(code).toBe(2);
});

test.each(['SVC_DB_URL', 'SVC_DB_USER', 'SVC_DB_PASSWORD'])(
  'an unreadable file of %s exits with 2 and the reason',
  async (variable) => {
    vi.stubEnv(`${variable}_FILE`, '/missing/file');
    expect(await finish(start('a.csv', '--db', '/nowhere/at/all/x.db'))).toEqual({
      stdout: '',
      stderr: `${variable}_FILE must name a readable file with the value in its first line\n`,
      code: 2,
    });
  },
);

test('--help prints the usage', async () => {
  const { stdout, code } = await finish(start('--help'));
  expect(stdout).toMatch(/^Usage: npm run import -- <path>/);
  expect(code).toBe(0);
});
