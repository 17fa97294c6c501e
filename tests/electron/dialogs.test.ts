import { expect, test } from 'vitest';
import {
  decideAfterCrash,
  decideAfterFailure,
  getFileOfSecondStart,
  makePageCrashDialog,
  makeServiceFailureDialog,
  makeSecondStartDialog,
} from '#electron/dialogs.ts';

test('makeServiceFailureDialog shows the failure, the advice and the last messages', () => {
  expect(
    makeServiceFailureDialog(
      {
        message: 'notes.txt is not a SQLite database.',
        advice: 'Correct this and try again.',
        log: ['opening notes.txt', 'file is not a database'],
      },
      '/logs/service.log',
    ),
  ).toEqual({
    type: 'error',
    title: 'Evoscope',
    message: 'notes.txt is not a SQLite database.',
    detail:
      'Correct this and try again.\n\nLast messages:\nopening notes.txt\nfile is not a database\n\nThe whole log is in /logs/service.log',
    buttons: ['Retry', 'Choose another database…', 'Show log', 'Quit'],
    defaultId: 0,
    cancelId: 3,
    noLink: true,
  });
});

test('makeServiceFailureDialog omits the list of messages if there are none', () => {
  const problem = { message: 'It ended.', advice: 'Try again.', log: [] };
  expect(makeServiceFailureDialog(problem, 'a.log').detail).toBe(
    'Try again.\n\nThe whole log is in a.log',
  );
});

test.each([
  ['oom', 'The page stopped working (it ran out of memory).'],
  ['crashed', 'The page stopped working (crashed).'],
])('makePageCrashDialog reports the reason %s', (reason, message) => {
  expect(makePageCrashDialog(reason)).toMatchObject({
    message,
    detail: 'Retry to reload the page; the crash does not affect the database.',
    buttons: ['Retry', 'Quit'],
  });
});

test('makeSecondStartDialog explains how to start with other flags', () => {
  expect(makeSecondStartDialog(['--db', 'a.db'], { flags: ['--db', 'b.db'] })).toMatchObject({
    message: 'Evoscope is already open.',
    detail: 'Close it first to start it with: --db b.db',
  });
  expect(makeSecondStartDialog(['--db', 'a.db'], { flags: [] })?.detail).toBe(
    'Close it first to start it with: no flags',
  );
});

test('makeSecondStartDialog is null for a second start with a file, which is opened', () => {
  const data = { flags: [], file: '/data/runs.db' };
  expect(makeSecondStartDialog(['--db', 'a.db'], data)).toBeNull();
  expect(getFileOfSecondStart(data)).toBe('/data/runs.db');
  expect(getFileOfSecondStart({ flags: [] })).toBeUndefined();
  expect(getFileOfSecondStart({ file: '/data/runs.db' })).toBeUndefined();
  expect(getFileOfSecondStart('runs.db')).toBeUndefined();
});

test.each([[{ flags: ['--db', 'a.db'] }], [undefined], ['--db b.db'], [{ flags: [1] }]])(
  'makeSecondStartDialog is null for %j',
  (data) => {
    expect(makeSecondStartDialog(['--db', 'a.db'], data)).toBeNull();
  },
);

test.each([
  [0, 'retry'],
  [1, 'quit'],
  [-1, 'quit'],
])('button %i means %s', (button, decision) => {
  expect(decideAfterCrash(button)).toBe(decision);
});

test.each([
  ['LEGACY_SCHEMA', 'Back up and replace', 4, ['--legacy', 'replace']],
  ['TABLES_OF_OTHERS', 'Add tables', 4, ['--create']],
  ['FILE_MISSING', 'Create database', 0, ['--create']],
] as const)('%s requires permission by a separate button', (code, button, defaultId, flags) => {
  const problem = { message: 'It is so.', advice: 'Do this.', log: ['a line'], code };
  expect(makeServiceFailureDialog(problem, 'a.log')).toMatchObject({
    type: 'question',
    detail: 'Do this.',
    buttons: [button, 'Retry', 'Choose another database…', 'Show log', 'Quit'],
    defaultId,
    cancelId: 4,
  });
  expect([0, 1, 2, 3, 4, -1].map((response) => decideAfterFailure(problem, response))).toEqual([
    { action: 'retry', flags },
    { action: 'retry', flags: [] },
    { action: 'choose', flags: [] },
    { action: 'log', flags: [] },
    { action: 'quit', flags: [] },
    { action: 'quit', flags: [] },
  ]);
});
