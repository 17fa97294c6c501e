import { describe, expect, test } from 'vitest';
import {
  decideSample,
  decideWindow,
  failedToOpen,
  meansYes,
  splitArguments,
  shellWord,
  type DatabaseFacts,
  type WindowConditions,
} from '#build/start-decisions.ts';

test('the flags of the start are taken out, all others go to the service in their order', () => {
  expect(splitArguments(['--db', 'a.db', '--serve', '--port=0'])).toEqual({
    serveOnly: true,
    sample: false,
    flags: ['--db', 'a.db', '--port=0'],
  });
  expect(splitArguments(['--sample'])).toEqual({ serveOnly: false, sample: true, flags: [] });
});

describe('the window', () => {
  const desktop: WindowConditions = {
    serveOnly: false,
    platform: 'linux',
    environment: { DISPLAY: ':0' },
    isRoot: false,
  };

  test.each<[string, Partial<WindowConditions>]>([
    ['on X11', {}],
    ['on Wayland', { environment: { WAYLAND_DISPLAY: 'wayland-0' } }],
    ['on macOS', { platform: 'darwin', environment: {} }],
    ['on Windows', { platform: 'win32', environment: {} }],
  ])('opens %s', (_where, conditions) => {
    expect(decideWindow({ ...desktop, ...conditions })).toEqual({ opens: true });
  });

  test.each<[string, Partial<WindowConditions>, string | null]>([
    ['when not asked for', { serveOnly: true }, null],
    ['when not asked for and not possible either', { serveOnly: true, isRoot: true }, null],
    ['without a display', { environment: { DISPLAY: '' } }, 'there is no display'],
    ['as root', { isRoot: true }, 'Electron does not run as root'],
  ])('does not open %s', (_when, conditions, reason) => {
    expect(decideWindow({ ...desktop, ...conditions })).toEqual({ opens: false, reason });
  });
});

describe('sample runs', () => {
  const fresh: DatabaseFacts = { content: 'missing', isNamed: false, isReadOnly: false };
  const plain = { serveOnly: false, sample: false, flags: [] };

  test.each<[string, Partial<DatabaseFacts>, object, boolean, string]>([
    ['a first start without a terminal', {}, {}, false, 'fill'],
    ['a first start in a terminal', {}, {}, true, 'ask'],
    ['a first start for a server', {}, { serveOnly: true }, false, 'tell'],
    ['a new file that the user named', { isNamed: true }, {}, false, 'tell'],
    ['a new file that the user named, in a terminal', { isNamed: true }, {}, true, 'ask'],
    ['an empty database that was there', { content: 'empty' }, {}, false, 'tell'],
    ['an empty database, in a terminal', { content: 'empty', isNamed: true }, {}, true, 'ask'],
    ['a named new file with --sample', { isNamed: true }, { sample: true }, false, 'fill'],
    ['an empty one with --sample', { content: 'empty' }, { sample: true }, true, 'fill'],
    ['a server with --sample', {}, { sample: true, serveOnly: true }, false, 'fill'],
    ['one with runs', { content: 'filled' }, {}, true, 'nothing'],
    ['one with runs and --sample', { content: 'filled' }, { sample: true }, true, 'refuse'],
    ['one that cannot be read', { content: 'unknown' }, { sample: true }, true, 'nothing'],
    ['a read-only one', { content: 'empty', isReadOnly: true }, { sample: true }, true, 'nothing'],
  ])('for %s: %j %j (can ask: %s) → %s', (_what, facts, request, canAsk, decision) => {
    expect(decideSample({ ...fresh, ...facts }, { ...plain, ...request }, canAsk)).toBe(decision);
  });
});

test.each([
  ['', true],
  ['y', true],
  ['Yes ', true],
  ['n', false],
  ['no', false],
  ['yeah', false],
])('the answer "%s" means yes: %s', (answer, expected) => {
  expect(meansYes(answer)).toBe(expected);
});

test.each<[number | null, NodeJS.Signals | null, boolean]>([
  [0, null, false],
  [1, null, false],
  [2, null, false],
  [133, null, true],
  [null, 'SIGTRAP', true],
  [null, 'SIGABRT', true],
  [null, 'SIGTERM', false],
  [null, 'SIGINT', false],
])('a window that ended with code %s, signal %s failed to open: %s', (code, signal, expected) => {
  expect(failedToOpen({ code, signal })).toBe(expected);
});

test.each([
  ['/data/runs.db', '/data/runs.db'],
  ['my runs.db', "'my runs.db'"],
  ["it's.db", "'it'\\''s.db'"],
  ['jdbc:postgresql://h/db?user=a&x=$y', "'jdbc:postgresql://h/db?user=a&x=$y'"],
  ['', "''"],
])('the word %s is written %s in a shell', (word, written) => {
  expect(shellWord(word)).toBe(written);
});
