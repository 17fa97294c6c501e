import { describe, expect, test } from 'vitest';
import { maskText, maskYaml } from '#server/domain/secrets/mask-text.ts';

const repeated = (part: string, before = '') => ({ before, part });

/** Texts that made the time grow with the square of their length. */
const met = {
  'words after separators': repeated('token', '=:?'),
  'a malformed line': repeated('token ', '{{ password: '),
  'aliases next to a secret key': repeated('"x": *a\n', 'a: &a x\npassword: y\n'),
  'nested objects under secret keys': repeated('{"password":'),
};

/** Texts that could. */
const others = {
  'separators after a word': repeated(':=', 'token'),
  'spaces after a word': repeated(' ', 'token'),
  'pairs without values': repeated('token= '),
  'lines with words': repeated('x token\n', '{{\n'),
  'aliases under a secret key': repeated('- *a\n', 'a: &a x\npassword:\n'),
  'anchors without end': repeated('&a '),
  'nested arrays under a secret key': repeated('[', '{"token":'),
  'addresses without credentials': repeated('://a:'),
  'addresses with credentials': repeated('x://a:b@c '),
  'parameters without values': repeated('?token'),
  'escaped quotes': repeated('\\"', '{"password":'),
  backslashes: repeated('\\', '{"token":"'),
  quotes: repeated('",', 'password'),
  'block texts': repeated('- |\n', 'token:\n'),
  'comments with keys': repeated('# password\n'),
};

describe.each([
  [1_000_000, met],
  [500_000, others],
])('%d bytes are masked in a time that grows linearly with their length', (bytes, texts) => {
  test.each(Object.entries(texts))(
    '%s',
    (_name, { before, part }) => {
      const text = before + part.repeat(bytes / part.length);
      const started = performance.now();
      maskText(text);
      maskYaml(text);
      // About a second on an idle machine; a square would take a quarter of an hour.
      expect(performance.now() - started).toBeLessThan(60_000);
    },
    120_000,
  );
});
