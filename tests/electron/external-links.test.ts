import { expect, test } from 'vitest';
import { canOpenOutside } from '#electron/access.ts';

test.each([
  'https://doi.org/10.1162/evco_a_00236',
  'https://arxiv.org/abs/1605.03560',
  'https://coco-platform.org/testsuites/bbob/',
  'https://numbbo.github.io/coco/',
])('%s opens in the system browser', (address) => {
  expect(canOpenOutside(address)).toBe(true);
});

test.each([
  ['another scheme', 'http://doi.org/'],
  ['another port', 'https://doi.org:8443/'],
  ['a user name', 'https://doi.org@example.org/'],
  ['a user name before an allowed host', 'https://somebody@doi.org/'],
  ['a subdomain', 'https://evil.doi.org/'],
  ['a longer host', 'https://doi.org.example.org/'],
  ['a look-alike', 'https://dоi.org/'],
  ['a file', 'file:///usr/bin/xterm'],
  ['a program', 'ms-msdt:/id PCWDiagnostic'],
  ['a script', 'javascript:alert(1)'],
  ['a share', '\\\\example.org\\share'],
  ['no address', 'doi.org'],
  ['nothing', ''],
])('a link with %s does not open in the system browser: %s', (_what, address) => {
  expect(canOpenOutside(address)).toBe(false);
});
