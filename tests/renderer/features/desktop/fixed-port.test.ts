import { expect, test } from 'vitest';
import { parseFixedPort } from '#renderer/features/desktop/fixed-port.ts';

test.each([
  ['', null],
  ['  ', null],
  [' 7070 ', 7070],
  ['1024', 1024],
  ['65535', 65_535],
  ['1023', undefined],
  ['65536', undefined],
  ['0', undefined],
  ['-7070', undefined],
  ['7070.5', undefined],
  ['7e3', undefined],
  ['0x1b9e', undefined],
  ['port', undefined],
])('%j as a fixed port is %s', (text, expected) => {
  expect(parseFixedPort(text)).toBe(expected);
});
