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

const plainRequest = { isServiceOnly: false, hasSample: false, flags: [] };
const headlessDecision: WindowDecision = { canOpen: false, reason: 'there is no display' };
const windowDecision: WindowDecision = { canOpen: true };
const filledDatabase: StartDatabase = {
  argument: 'evoscope.db',
  name: 'evoscope.db',
  content: 'filled',
  isNamed: false,
  isReadOnly: false,
};
const successfulEnd = { code: 0, signal: null };

/** Effects that only record the actions and messages, in order. */
function recordEffects(
  changes: Partial<StartDependencies> = {},
  database: Partial<StartDatabase> = {},
) {
  const actions: string[] = [];
  const messages: string[] = [];
  const effects: StartDependencies = {
    print: (line) => messages.push(line),
    canAsk: false,
    ask: (question) => Promise.resolve(actions.push(`ask ${question}`) > 0),
    inspectDatabase: () => Promise.resolve({ ...filledDatabase, ...database }),
    ensureService: () => Promise.resolve(void actions.push('build')),
    ensureDesktop: () => Promise.resolve(void actions.push('desktop')),
    findElectron: () => '/electron',
    downloadElectron: () => Promise.resolve((actions.push('fetch'), successfulEnd)),
    fillSample: () => Promise.resolve((actions.push('sample'), successfulEnd)),
    runService: () => Promise.resolve((actions.push('service'), successfulEnd)),
    runWindow: (electron) => Promise.resolve((actions.push(`window ${electron}`), successfulEnd)),
    ...changes,
  };
  return { effects, actions, messages };
}

describe('a start', () => {
  test('with a window builds its programs, and ends with the exit code of the window', async () => {
    const { effects, actions, messages } = recordEffects();
    expect(await launch(plainRequest, windowDecision, effects)).toEqual(successfulEnd);
    expect(actions).toEqual(['desktop', 'window /electron']);
    expect(messages).toEqual([]);
  });

  test('without a window prints the reason and runs the service', async () => {
    const { effects, actions, messages } = recordEffects();
    await launch(plainRequest, headlessDecision, effects);
    expect(actions).toEqual(['build', 'service']);
    expect(messages).toEqual([
      'No window: there is no display. Open the address below in a browser instead.',
    ]);
  });

  test('with --serve prints nothing about a window', async () => {
    const { effects, messages } = recordEffects();
    await launch(
      { ...plainRequest, isServiceOnly: true },
      { canOpen: false, reason: null },
      effects,
    );
    expect(messages).toEqual([]);
  });

  test('continues without a window if it cannot be opened', async () => {
    const runWindow = () => Promise.resolve({ code: null, signal: 'SIGTRAP' as const });
    const { effects, actions, messages } = recordEffects({ runWindow });
    expect(await launch(plainRequest, windowDecision, effects)).toEqual(successfulEnd);
    expect(actions).toEqual(['desktop', 'service']);
    expect(messages).toEqual([
      'The window did not open. Open the address below in a browser instead.',
    ]);
  });

  test('downloads a missing Electron, reports it, and opens the window', async () => {
    const paths = [null, '/fetched'];
    const { effects, actions, messages } = recordEffects({
      findElectron: () => paths.shift() ?? null,
    });
    await launch(plainRequest, windowDecision, effects);
    expect(actions).toEqual(['fetch', 'desktop', 'window /fetched']);
    expect(messages).toEqual([
      'Downloading Electron for the window once (about 120 MB). Ctrl-C continues without it.',
    ]);
  });

  test.each([
    ['failed', { code: 1, signal: null }],
    ['was cancelled', { code: null, signal: 'SIGINT' as const }],
    ['failed', successfulEnd],
  ])('continues without a window if the download of Electron %s: %j', async (outcome, end) => {
    const { effects, actions, messages } = recordEffects({
      findElectron: () => null,
      downloadElectron: () => Promise.resolve(end),
    });
    await launch(plainRequest, windowDecision, effects);
    expect(actions).toEqual(['build', 'service']);
    expect(messages.slice(1)).toEqual([
      `The download of Electron ${outcome}. The next start tries again; \`npm run serve\` does not.`,
      'No window: Electron is not installed. Open the address below in a browser instead.',
    ]);
  });

  test('without a display downloads nothing', async () => {
    const { effects, actions } = recordEffects({ findElectron: () => null });
    await launch(plainRequest, headlessDecision, effects);
    expect(actions).toEqual(['build', 'service']);
  });

  test('ends with the exit code of the service', async () => {
    const runService = () => Promise.resolve({ code: 5, signal: null });
    const { effects } = recordEffects({ runService });
    expect(await launch(plainRequest, headlessDecision, effects)).toEqual({
      code: 5,
      signal: null,
    });
  });
});

describe('sample runs', () => {
  const server: WindowDecision = { canOpen: false, reason: null };

  test('fill the new database of a first start, which reports it and explains how to open other data', async () => {
    const { effects, actions, messages } = recordEffects({}, { content: 'missing' });
    await launch(plainRequest, server, effects);
    expect(actions).toEqual(['build', 'sample', 'service']);
    expect(messages).toEqual([
      'Without --db, the start fills the new evoscope.db with sample runs. To open your own: npm start -- --db <file or URL>',
    ]);
  });

  test('are offered in a terminal, and not added if the user declines', async () => {
    const askedQuestions: string[] = [];
    const ask = (question: string) => Promise.resolve(askedQuestions.push(question) > 1);
    const database = { content: 'empty' as const, isNamed: true };
    const { effects, actions, messages } = recordEffects({ canAsk: true, ask }, database);
    await launch(plainRequest, server, effects);
    expect(askedQuestions).toEqual([
      'evoscope.db has no runs yet. Fill it with sample runs? [Y/n] ',
    ]);
    expect(actions).toEqual(['build', 'service']);
    await launch(plainRequest, server, effects);
    expect(actions).toEqual(['build', 'service', 'build', 'sample', 'service']);
    expect(messages).toEqual(['Filling evoscope.db with sample runs.']);
  });

  test.each([
    ['my runs.db', "'my runs.db'"],
    [null, '<the same database>'],
  ])('are explained by a command without a terminal for %s', async (argument, command) => {
    const database = { argument, name: 'evo', content: 'empty' as const, isNamed: true };
    const { effects, actions, messages } = recordEffects({}, database);
    await launch(plainRequest, server, effects);
    expect(messages).toEqual([
      `evo has no runs yet. Add sample runs with: npm run sample -- --db ${command}`,
    ]);
    expect(actions).toEqual(['build', 'service']);
  });

  test('are added without a question on --sample', async () => {
    const database = { content: 'empty' as const, isNamed: true };
    const { effects, actions, messages } = recordEffects({ canAsk: true }, database);
    await launch({ ...plainRequest, hasSample: true }, server, effects);
    expect(messages).toEqual(['Filling evoscope.db with sample runs.']);
    expect(actions).toEqual(['build', 'sample', 'service']);
  });

  test('are not added to other runs, even on --sample', async () => {
    const { effects, actions, messages } = recordEffects();
    await launch({ ...plainRequest, hasSample: true }, server, effects);
    expect(messages).toEqual([
      'The start adds no sample runs, because evoscope.db already has runs: name a new file with --db',
    ]);
    expect(actions).toEqual(['build', 'service']);
  });

  test.each<[string, Partial<StartDatabase>, string[]]>([
    [
      'a read-only database',
      { isReadOnly: true },
      [
        'The start adds no sample runs, because evoscope.db is read-only: name another database with --db',
      ],
    ],
    [
      'no database',
      { name: '', content: 'unknown' },
      ['The start adds no sample runs, because it opens no database: name one with --db'],
    ],
    [
      'a database in memory',
      { name: ':memory:', content: 'unknown' },
      ['The start adds no sample runs to a database in memory: name a file with --db'],
    ],
    ['a database that the service cannot open', { content: 'unknown' }, []],
  ])('are not added to %s, which --sample reports', async (_what, database, expected) => {
    const { effects, actions, messages } = recordEffects({}, database);
    await launch({ ...plainRequest, hasSample: true }, server, effects);
    expect(messages).toEqual(expected);
    expect(actions).toEqual(['build', 'service']);
    await launch(plainRequest, server, effects);
    expect(messages).toEqual(expected);
  });

  test('that cannot be written do not prevent the start of the service', async () => {
    const fillSample = () => Promise.resolve({ code: 1, signal: null });
    const { effects, actions, messages } = recordEffects({ fillSample }, { content: 'missing' });
    await launch(plainRequest, server, effects);
    expect(actions).toEqual(['build', 'service']);
    expect(messages.at(-1)).toBe(
      'Writing sample runs to evoscope.db failed, see above. The start continues without them.',
    );
  });

  test.each([
    { code: null, signal: 'SIGINT' as const },
    { code: 130, signal: null },
  ])('that the user interrupts (%j) end the start', async (interrupted) => {
    const fillSample = () => Promise.resolve(interrupted);
    const { effects, actions } = recordEffects({ fillSample }, { content: 'missing' });
    expect(await launch(plainRequest, server, effects)).toEqual(interrupted);
    expect(actions).toEqual(['build']);
  });
});

describe('the decision about sample runs', () => {
  const missingDatabase: DatabaseFacts = { content: 'missing', isNamed: false, isReadOnly: false };

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
    expect(
      decideSample({ ...missingDatabase, ...facts }, { ...plainRequest, ...request }, canAsk),
    ).toBe(decision);
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
])('quoteShellWord quotes %s as %s', (word, quotedWord) => {
  expect(quoteShellWord(word)).toBe(quotedWord);
});
