import { expect, test } from 'vitest';
import { takeFile } from '#electron/file-argument.ts';
import { settingNames, settings } from '#server/settings.ts';

test.each([
  [[], undefined, []],
  [['/data/runs.db'], '/data/runs.db', []],
  [['runs.db'], '/home/me/runs.db', []],
  [['file:///data/my%20runs.db'], '/data/my runs.db', []],
  [['--no-sandbox', '/data/runs.db'], '/data/runs.db', []],
  [['-psn_0_12345'], undefined, []],
  [['--db', 'a.db'], undefined, ['--db', 'a.db']],
  [['--db=a.db', '/data/runs.db'], '/data/runs.db', ['--db=a.db']],
  [['--read-only', 'runs.db'], '/home/me/runs.db', ['--read-only']],
  [
    ['--log-level', 'warn', 'runs.db', '--port', '0'],
    '/home/me/runs.db',
    ['--log-level', 'warn', '--port', '0'],
  ],
])('the file in %j is %s', (args, file, flags) => {
  expect(takeFile(args, '/home/me')).toEqual({ file, flags });
});

test.each(settingNames)(
  'an argument after --%s is a file only if the flag has no value',
  (name) => {
    const { file } = takeFile([`--${name}`, 'runs.db'], '/home/me');
    expect(file).toBe('value' in settings[name] ? undefined : '/home/me/runs.db');
  },
);

test('an address of another machine is not a file of this one, and does not prevent the start', () => {
  expect(takeFile(['file://server/runs.db'], '/home/me').file).toMatch(/runs\.db$/);
});
