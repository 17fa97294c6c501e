import { describe, expect, test } from 'vitest';
import type { DatabaseFacts, StartDatabase } from '#build/start/database.ts';
import {
  decideSample,
  launch,
  quoteShellWord,
  splitArguments,
  type StartDependencies,
} from '#build/start/launch.ts';
import type { WindowDecision } from '#build/start/window.ts';

const plain = { isServiceOnly: false, hasSample: false, flags: [] };
const headless: WindowDecision = { canOpen: false, reason: 'there is no display' };
const windowed: WindowDecision = { canOpen: true };
const filled: StartDatabase = {
  argument: 'evoscope.db',
  name: 'evoscope.db',
  content: 'filled',
  isNamed: false,
  isReadOnly: false,
};
const ended = { code: 0, signal: null };

/** Effects that only record the actions and messages, in order. */
function recording(
  changes: Partial<StartDependencies> = {},
  database: Partial<StartDatabase> = {},
) {
  const done: string[] = [];
  const said: string[] = [];
  const effects: StartDependencies = {
    print: (line) => said.push(line),
    canAsk: false,
    ask: (question) => Promise.resolve(done.push(`ask ${question}`) > 0),
    inspectDatabase: () => Promise.resolve({ ...filled, ...database }),
    ensureService: () => Promise.resolve(void done.push('build')),
    ensureDesktop: () => Promise.resolve(void done.push('desktop')),
    findElectron: () => '/electron',
    fetchElectron: () => Promise.resolve((done.push('fetch'), ended)),
    fillSample: () => Promise.resolve((done.push('sample'), ended)),
    runService: () => Promise.resolve((done.push('service'), ended)),
    runWindow: (electron) => Promise.resolve((done.push(`window ${electron}`), ended)),
    ...changes,
  };
  return { effects, done, said };
}

describe('a start', () => {
  test('with a window builds its programs, and ends with the exit code of the window', async () => {
    const { effects, done, said } = recording();
    expect(await launch(plain, windowed, effects)).toEqual(ended);
    expect(done).toEqual(['desktop', 'window /electron']);
    expect(said).toEqual([]);
  });

  test('without a window prints the reason and runs the service', async () => {
    const { effects, done, said } = recording();
    await launch(plain, headless, effects);
    expect(done).toEqual(['build', 'service']);
    expect(said).toEqual([
      'No window: there is no display. Open the address below in a browser instead.',
    ]);
  });

  test('with --serve prints nothing about a window', async () => {
    const { effects, said } = recording();
    await launch({ ...plain, isServiceOnly: true }, { canOpen: false, reason: null }, effects);
    expect(said).toEqual([]);
  });

  test('continues without a window if it cannot be opened', async () => {
    const runWindow = () => Promise.resolve({ code: null, signal: 'SIGTRAP' as const });
    const { effects, done, said } = recording({ runWindow });
    expect(await launch(plain, windowed, effects)).toEqual(ended);
    expect(done).toEqual(['desktop', 'service']);
    expect(said).toEqual([
      'The window could not be opened. Open the address below in a browser instead.',
    ]);
  });

  test('downloads a missing Electron, reports it, and opens the window', async () => {
    const paths = [null, '/fetched'];
    const { effects, done, said } = recording({ findElectron: () => paths.shift() ?? null });
    await launch(plain, windowed, effects);
    expect(done).toEqual(['fetch', 'desktop', 'window /fetched']);
    expect(said).toEqual([
      'Downloading Electron for the window once (about 120 MB). Ctrl-C continues without it.',
    ]);
  });

  test.each([
    ['failed', { code: 1, signal: null }],
    ['was cancelled', { code: null, signal: 'SIGINT' as const }],
    ['failed', ended],
  ])('continues without a window if the download of Electron %s: %j', async (was, end) => {
    const { effects, done, said } = recording({
      findElectron: () => null,
      fetchElectron: () => Promise.resolve(end),
    });
    await launch(plain, windowed, effects);
    expect(done).toEqual(['build', 'service']);
    expect(said.slice(1)).toEqual([
      `The download of Electron ${was}. The next start tries again; \`npm run serve\` does not.`,
      'No window: Electron is not installed. Open the address below in a browser instead.',
    ]);
  });

  test('without a display downloads nothing', async () => {
    const { effects, done } = recording({ findElectron: () => null });
    await launch(plain, headless, effects);
    expect(done).toEqual(['build', 'service']);
  });

  test('ends with the exit code of the service', async () => {
    const runService = () => Promise.resolve({ code: 5, signal: null });
    const { effects } = recording({ runService });
    expect(await launch(plain, headless, effects)).toEqual({ code: 5, signal: null });
  });
});

describe('sample runs', () => {
  const server: WindowDecision = { canOpen: false, reason: null };

  test('fill the new database of a first start, which reports it and explains how to open other data', async () => {
    const { effects, done, said } = recording({}, { content: 'missing' });
    await launch(plain, server, effects);
    expect(done).toEqual(['build', 'sample', 'service']);
    expect(said).toEqual([
      'No database was named: filling the new evoscope.db with sample runs. To open your own: npm start -- --db <file or URL>',
    ]);
  });

  test('are offered in a terminal, and not added after a no', async () => {
    const questions: string[] = [];
    const ask = (question: string) => Promise.resolve(questions.push(question) > 1);
    const database = { content: 'empty' as const, isNamed: true };
    const { effects, done, said } = recording({ canAsk: true, ask }, database);
    await launch(plain, server, effects);
    expect(questions).toEqual(['evoscope.db has no runs yet. Fill it with sample runs? [Y/n] ']);
    expect(done).toEqual(['build', 'service']);
    await launch(plain, server, effects);
    expect(done).toEqual(['build', 'service', 'build', 'sample', 'service']);
    expect(said).toEqual(['Filling evoscope.db with sample runs.']);
  });

  test.each([
    ['my runs.db', "'my runs.db'"],
    [null, '<the same database>'],
  ])('are explained by a command without a terminal for %s', async (argument, shown) => {
    const database = { argument, name: 'evo', content: 'empty' as const, isNamed: true };
    const { effects, done, said } = recording({}, database);
    await launch(plain, server, effects);
    expect(said).toEqual([
      `evo has no runs yet. Add sample runs with: npm run sample -- --db ${shown}`,
    ]);
    expect(done).toEqual(['build', 'service']);
  });

  test('are added without a question on --sample', async () => {
    const database = { content: 'empty' as const, isNamed: true };
    const { effects, done, said } = recording({ canAsk: true }, database);
    await launch({ ...plain, hasSample: true }, server, effects);
    expect(said).toEqual(['Filling evoscope.db with sample runs.']);
    expect(done).toEqual(['build', 'sample', 'service']);
  });

  test('are not added to other runs, even on --sample', async () => {
    const { effects, done, said } = recording();
    await launch({ ...plain, hasSample: true }, server, effects);
    expect(said).toEqual(['evoscope.db already has runs, so no sample runs were added.']);
    expect(done).toEqual(['build', 'service']);
  });

  test('that cannot be written do not prevent the start of the service', async () => {
    const fillSample = () => Promise.resolve({ code: 1, signal: null });
    const { effects, done, said } = recording({ fillSample }, { content: 'missing' });
    await launch(plain, server, effects);
    expect(done).toEqual(['build', 'service']);
    expect(said.at(-1)).toBe(
      'The sample runs could not be written to evoscope.db. The start continues without them.',
    );
  });

  test.each([
    { code: null, signal: 'SIGINT' as const },
    { code: 130, signal: null },
  ])('that the user interrupts (%j) end the start', async (interrupted) => {
    const fillSample = () => Promise.resolve(interrupted);
    const { effects, done } = recording({ fillSample }, { content: 'missing' });
    expect(await launch(plain, server, effects)).toEqual(interrupted);
    expect(done).toEqual(['build']);
  });
});

describe('the decision about sample runs', () => {
  const fresh: DatabaseFacts = { content: 'missing', isNamed: false, isReadOnly: false };

  test.each<[string, Partial<DatabaseFacts>, object, boolean, string]>([
    ['a first start without a terminal', {}, {}, false, 'fill'],
    ['a first start in a terminal', {}, {}, true, 'ask'],
    ['a first start for a server', {}, { isServiceOnly: true }, false, 'explain'],
    ['a new file that the user named', { isNamed: true }, {}, false, 'explain'],
    ['a new file that the user named, in a terminal', { isNamed: true }, {}, true, 'ask'],
    ['an empty database that was there', { content: 'empty' }, {}, false, 'explain'],
    ['an empty database, in a terminal', { content: 'empty', isNamed: true }, {}, true, 'ask'],
    ['a named new file with --sample', { isNamed: true }, { hasSample: true }, false, 'fill'],
    ['an empty one with --sample', { content: 'empty' }, { hasSample: true }, true, 'fill'],
    ['a server with --sample', {}, { hasSample: true, isServiceOnly: true }, false, 'fill'],
    ['one with runs', { content: 'filled' }, {}, true, 'nothing'],
    ['one with runs and --sample', { content: 'filled' }, { hasSample: true }, true, 'refuse'],
    ['one that cannot be read', { content: 'unknown' }, { hasSample: true }, true, 'nothing'],
    [
      'a read-only one',
      { content: 'empty', isReadOnly: true },
      { hasSample: true },
      true,
      'nothing',
    ],
  ])('for %s: %j %j (can ask: %s) → %s', (_what, facts, request, canAsk, decision) => {
    expect(decideSample({ ...fresh, ...facts }, { ...plain, ...request }, canAsk)).toBe(decision);
  });
});

test('splitArguments removes the flags of the start, and passes all others to the service in their order', () => {
  expect(splitArguments(['--db', 'a.db', '--serve', '--port=0'])).toEqual({
    isServiceOnly: true,
    hasSample: false,
    flags: ['--db', 'a.db', '--port=0'],
  });
  expect(splitArguments(['--sample'])).toEqual({
    isServiceOnly: false,
    hasSample: true,
    flags: [],
  });
});

test.each([
  ['/data/runs.db', '/data/runs.db'],
  ['my runs.db', "'my runs.db'"],
  ["it's.db", "'it'\\''s.db'"],
  ['jdbc:postgresql://h/db?user=a&x=$y', "'jdbc:postgresql://h/db?user=a&x=$y'"],
  ['', "''"],
])('quoteShellWord quotes %s as %s', (word, written) => {
  expect(quoteShellWord(word)).toBe(written);
});
