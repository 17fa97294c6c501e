import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parse, stringify } from 'yaml';
import { maskYaml } from '#server/domain/secrets/mask-text.ts';

const password = 'runner-pw-not-secret';

test.each([
  ['words without end', '{{ '.concat('token'.repeat(200_000))],
  ['separators without end', '{{ password '.concat('a:'.repeat(300_000))],
  ['parameters without end', '{{ token ?'.concat('token'.repeat(200_000))],
])('a malformed text is masked in time that grows with its length: %s', (_name, text) => {
  const started = performance.now();
  maskYaml(text);
  expect(performance.now() - started).toBeLessThan(2_000);
});

test('a malformed text loses what follows a secret word and a colon', () => {
  expect(maskYaml('{{\nuser: a\nmy token is, password = x y\r\ntoken')).toBe(
    '{{\nuser: a\nmy token is, password = ***\r\ntoken',
  );
  expect(maskYaml('{{\npasswd:\n  x\nuser: a')).toBe('{{\npasswd:\n  "***": a');
});

describe('a YAML text is masked', () => {
  test('line by line, as the runner writes it', () => {
    const yaml = `persistence:\n  database:\n    enabled: true\n    password: "${password}"\n    user: "me"\nweb:\n  port: 7070\n`;
    expect(maskYaml(yaml)).toBe(yaml.replace(password, '***'));
  });

  test.each([
    ['plain', `password: ${password} # why\nuser: me`, 'password: "***" # why\nuser: me'],
    ['single quotes', `'password': '${password}'\nuser: me`, `'password': "***"\nuser: me`],
    ['a list', `- password: ${password}\n- user: me`, '- password: "***"\n- user: me'],
    ['block text', `password: |\n  ${password}\n\n  more\nuser: me`, 'password: "***"\nuser: me'],
    ['lines', `password: "${password}\n  ${password}"\nuser: me`, 'password: "***"\nuser: me'],
    [
      'below',
      `secrets:\n  a: ${password}\n  b: 7\nuser: me`,
      'secrets:\n  a: "***"\n  b: 7\nuser: me',
    ],
    ['items', `tokens:\n- ${password}\n- x\nuser: me`, 'tokens:\n- "***"\n- "***"\nuser: me'],
    [
      'a flow map',
      `db: {user: me, password: ${password}, port: 1}`,
      'db: {user: me, password: "***", port: 1}',
    ],
    [
      'flow lines',
      `db: {\n  password: ${password},\n  user: me\n}`,
      'db: {\n  password: "***",\n  user: me\n}',
    ],
    [
      'a URL',
      'url: jdbc:postgresql://u:pw@h/d?password=pw&a=b',
      'url: jdbc:postgresql://***@h/d?password=***&a=b',
    ],
    [
      'carriage returns',
      `user: me\r\npassword: ${password}\r\n`,
      'user: me\r\npassword: "***"\r\n',
    ],
  ])('written as %s', (_name, text, expected) => {
    expect(maskYaml(text)).toBe(expected);
  });

  test('when it is malformed', () => {
    expect(maskYaml(`a: [\npassword: |\n  ${password}\nuser: me`)).toBe(
      'a: [\npassword: "***"\nuser: me',
    );
    expect(maskYaml(`"a: {\n\tpassword = ${password}\n  "}`)).not.toContain(password);
  });
});

test('a text without secrets is the same text; null is null', () => {
  const text = 'a: 1\r\n# no token here\nuseToken: true\ntoken_count: 5\npassword: null\n';
  expect(maskYaml(text)).toBe(text);
  expect(maskYaml(null)).toBeNull();
});

test('what a YAML library reads of a masked text is the value with its secrets hidden', () => {
  const text = fc.constantFrom(
    password,
    `${password} two`,
    `${password}\nlines\n`,
    `${password}: #"'`,
  );
  const scalar = fc.oneof(text, fc.constantFrom('x', 'a: b', 'line\nline', '', 7, true, null));
  const key = fc.constantFrom('user', 'password', 'apiKey', 'url', 'options');
  const { value } = fc.letrec<{ value: unknown }>((tie) => ({
    value: fc.oneof(
      { maxDepth: 4 },
      scalar.filter((item) => !String(item).includes(password)),
      fc.array(tie('value'), { maxLength: 3 }),
      fc.dictionary(key, tie('value'), { maxKeys: 4 }),
      text.map((secret) => ({ password: secret })),
      text.map((secret) => ({ a: 1, apiKey: secret, b: [2] })),
    ),
  }));
  const options = fc.record({
    defaultStringType: fc.constantFrom(
      'PLAIN' as const,
      'QUOTE_DOUBLE' as const,
      'QUOTE_SINGLE' as const,
    ),
    lineWidth: fc.constantFrom(0, 20),
    indentSeq: fc.boolean(),
  });
  fc.assert(
    fc.property(fc.dictionary(key, value, { minKeys: 1 }), options, (config, style) => {
      const masked = maskYaml(stringify(config, style));
      expect(masked).not.toContain(password);
      expect(parse(masked)).toEqual(maskedValue(config, false));
    }),
    { numRuns: 1_000 },
  );
});

/** The rule in the plainest form, on values, for the keys that occur here. */
function maskedValue(value: unknown, isSecret: boolean): unknown {
  if (Array.isArray(value)) return value.map((item) => maskedValue(item, isSecret));
  if (typeof value === 'object' && value !== null) {
    const entries = Object.entries(value).map(([key, item]) => {
      return [key, maskedValue(item, isSecret || ['password', 'apiKey'].includes(key))];
    });
    return Object.fromEntries(entries) as unknown;
  }
  const tellsNothing = value === true || value === null || value === '';
  return isSecret && !tellsNothing ? '***' : value;
}
