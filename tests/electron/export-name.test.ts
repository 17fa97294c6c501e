import { expect, test } from 'vitest';
import { makeExportName } from '#electron/export-name.ts';

test.each([
  ['Runs · Evoscope', 'Runs · Evoscope.pdf'],
  ['../../etc/passwd', 'etc passwd.pdf'],
  ['C:\\Windows\\con.', 'C Windows con.pdf'],
  ['what? "this" <that> | *', 'what this that.pdf'],
  ['two\nlines\u0000and\tmore', 'two lines and more.pdf'],
  ['', 'Evoscope.pdf'],
  [' ... ', 'Evoscope.pdf'],
  ['x'.repeat(300), `${'x'.repeat(100)}.pdf`],
  ['実'.repeat(100), `${'実'.repeat(66)}.pdf`],
  [`${'x'.repeat(99)}😀`, `${'x'.repeat(99)}.pdf`],
])('makeExportName of %j is %j', (title, expected) => {
  expect(makeExportName(title, 'pdf')).toBe(expected);
});
