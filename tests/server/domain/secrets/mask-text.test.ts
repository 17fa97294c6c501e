import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parse, stringify } from 'yaml';
import { maskText, maskYaml } from '#server/domain/secrets/mask-text.ts';

describe('maskText', () => {
  const password = 'runner-pw-not-secret';
  const escape = (text: string) => JSON.stringify(text).slice(1, -1);

  describe('a JSON text is masked', () => {
    test('under keys that name a secret, in any spelling', () => {
      const keys = ['password', 'dbPassword', 'DB_PASSWORD', 'secret', 'clientSecret', 'token'];
      for (const key of [...keys, 'accessToken', 'apiKey', 'api_key', 'api-key', 'x.password']) {
        expect(maskText(JSON.stringify({ [key]: password, user: 'x' }))).toBe(
          JSON.stringify({ [key]: '***', user: 'x' }),
        );
      }
    });

    test('without a change of any other character, including white space', () => {
      expect(maskText('{ "a" : [1, 2.50,\n\t"b"],"password" :  "p\\"w"  , "c":null }')).toBe(
        '{ "a" : [1, 2.50,\n\t"b"],"password" :  "***"  , "c":null }',
      );
    });

    test('inside objects and arrays under a secret key, but not after them', () => {
      expect(maskText('{"secrets":{"a":"x","b":["y",7]},"c":"z"}')).toBe(
        '{"secrets":{"a":"***","b":["***",7]},"c":"z"}',
      );
      expect(maskText('{"password":["x",{"y":12}],"c":["z"]}')).toBe(
        '{"password":["***",{"y":"***"}],"c":["z"]}',
      );
    });

    test('in numbers only if the key ends with the word, so that metrics do not change', () => {
      expect(maskText('{"password":1234,"token_mean_length":3.5,"tokens":7}')).toBe(
        '{"password":"***","token_mean_length":3.5,"tokens":7}',
      );
    });

    test('without a change of true, false and null, which reveal nothing', () => {
      expect(maskText('{"password":null,"useToken":true}')).toBe(
        '{"password":null,"useToken":true}',
      );
    });

    test('in the credentials of URLs, with user and password before the host or as parameters', () => {
      expect(maskText('{"url":"postgres://me:pw@host:5432/db"}')).toBe(
        '{"url":"postgres://***@host:5432/db"}',
      );
      expect(maskText('{"url":"jdbc:postgresql://h/db?user=me&password=pw&ssl=true"}')).toBe(
        '{"url":"jdbc:postgresql://h/db?user=me&password=***&ssl=true"}',
      );
      expect(maskText('{"url":"https:\\/\\/me:pw@host"}')).not.toContain('pw');
    });

    test('inside keys', () => {
      expect(maskText('{"postgres://me:pw@host":1,"GET /?password=x&a=b":{"c":2}}')).toBe(
        '{"postgres://***@host":1,"GET /?password=***&a=b":{"c":2}}',
      );
    });

    test('in JSON and YAML inside strings', () => {
      const innerJson = JSON.stringify({ persistence: { password } });
      expect(maskText(JSON.stringify({ config: innerJson }))).toBe(
        JSON.stringify({ config: '{"persistence":{"password":"***"}}' }),
      );
      expect(maskText(JSON.stringify({ yaml: `a: 1\npassword: ${password}\n` }))).not.toContain(
        password,
      );
    });

    test('when its keys are written with escapes', () => {
      expect(maskText(`{"p\\u0061ssword":"${password}"}`)).not.toContain(password);
    });

    test('when it is malformed or truncated', () => {
      expect(maskText(`{"password":"${password}`)).toBe('{"password":"***"');
      expect(maskText(`{password: ${password}, user: me`)).toBe('{password: ***, user: me');
      expect(maskText(`}}]{"password":"${password}"`)).toBe('}}]{"password":"***"');
      expect(maskText('{"a": "b" "c"')).toBe('{"a": "b" "c"');
      expect(maskText('"password":\n}x')).toBe('"password":\n}"***"');
      expect(maskText('{"password":"x" or y=z}')).toBe('{"password":"***" "***"}');
      expect(maskText('{"url":"/?password=x')).toBe('{"url":"/?password=***');
    });

    test('when its quotes are escaped, once or twice, complete or truncated', () => {
      const json = JSON.stringify({ 'a"b': '\\"', password, user: 'me' });
      for (const escapedJson of [escape(json), escape(escape(json))]) {
        const end = escapedJson.indexOf(password) + password.length;
        expect(maskText(escapedJson)).not.toContain(password);
        expect(maskText(escapedJson)).toContain('me');
        expect(maskText(escapedJson.slice(0, end))).not.toContain(password);
      }
      expect(maskText('"{\\"password\\":\\"x\\"')).toBe('"{\\"password\\":\\"***\\"');
    });

    test('when it ends within an escape or with escaped backslashes', () => {
      for (const end of ['\\', '\\u', '\\u00']) {
        expect(maskText(`{"note":"password = x${end}`)).toBe('{"note":"password = ***');
      }
      expect(maskText('{"note":"password = x\\\\"}')).toBe('{"note":"password = ***"}');
      expect(maskText('{"note":"password = x\\\\\\\\"}')).toBe('{"note":"password = ***"}');
    });
  });

  describe('prose is masked', () => {
    test('after a key and any number of separators, with and without quotes', () => {
      expect(maskText('user = "me", password = "a b"')).toBe('user = "me", password = "***"');
      expect(maskText('password::"x"')).toBe('password::"***"');
      expect(maskText('password => x y\nuser: me')).toBe('password => ***\nuser: me');
    });

    test('up to the end of the line, also after a bracket in the value', () => {
      expect(maskText('password=a[1]b c\nuser: me')).toBe('password=***["***"]"***"\nuser: me');
      expect(maskText('password: {a} b\nuser=[me] x')).toBe('password: {"***"} "***"\nuser=[me] x');
      expect(maskText('{"log":"password: a[1]b, c","d":[2]}')).toBe(
        JSON.stringify({ log: 'password: ***["***"]"***", "***"', d: [2] }),
      );
    });

    test('in a line inside a string, whose colons do not make it YAML', () => {
      expect(maskText('{"log":"GET /?password=x&a=b: ok"}')).toBe(
        '{"log":"GET /?password=***&a=b: ok"}',
      );
    });

    test('without a change of an address whose scheme is a secret word', () => {
      expect(maskText('token://host/path')).toBe('token://host/path');
    });
  });

  test('returns a text without secrets unchanged, malformed or not, and null for null', () => {
    for (const text of ['{"a":1', 'nope', '', '[]', '{"type":"token-categorical"}']) {
      expect(maskText(text)).toBe(text);
    }
    expect(maskText(null)).toBeNull();
  });

  test('masks valid JSON as it would mask the parsed value', () => {
    const key = fc.constantFrom('a', 'password', 'nested', 'apiKey', 'token_rate', 'q"\\uote');
    const { value } = fc.letrec<{ value: unknown }>((tie) => ({
      value: fc.oneof(
        { maxDepth: 4 },
        fc.oneof(
          fc.string({ unit: 'grapheme' }),
          fc.double({ noNaN: true, noDefaultInfinity: true }),
        ),
        fc.constantFrom(null, true, false),
        fc.array(tie('value'), { maxLength: 4 }),
        fc.dictionary(key, tie('value'), { maxKeys: 4 }),
      ),
    }));
    fc.assert(
      fc.property(value, fc.constantFrom(0, 2), (json, indent) => {
        const maskedText = maskText(JSON.stringify(json, null, indent));
        expect(JSON.parse(maskedText)).toEqual(
          JSON.parse(JSON.stringify(maskedValue(json, 'none'))),
        );
      }),
      { numRuns: 500 },
    );
  });

  test('masks random text without an error, and does not change masked text', () => {
    const anyPart = fc.constantFrom(
      '{',
      '}',
      '[',
      ']',
      '"',
      '\\',
      ':',
      ',',
      'password',
      'x',
      ' ',
      '1',
    );
    fc.assert(
      fc.property(fc.array(anyPart, { maxLength: 40 }), (parts) => {
        const maskedText = maskText(parts.join(''));
        expect(maskText(maskedText)).toBe(maskedText);
      }),
      { numRuns: 2_000 },
    );
  });

  test('masks a payload of 30 MB within seconds', () => {
    const longText = JSON.stringify({ text: 'x"y'.repeat(10_000_000), password });
    const startMillis = performance.now();
    expect(maskText(longText).endsWith('"password":"***"}')).toBe(true);
    expect(performance.now() - startMillis).toBeLessThan(10_000);
  });

  /** Reference implementation of the rule on values, with which the scanner of texts must agree. */
  function maskedValue(value: unknown, secrecy: 'none' | 'texts' | 'all'): unknown {
    if (typeof value === 'string') return hidesText(value, secrecy) ? '***' : value;
    if (typeof value === 'number') return secrecy === 'all' ? '***' : value;
    if (Array.isArray(value)) return value.map((item) => maskedValue(item, secrecy));
    if (typeof value !== 'object' || value === null) return value;
    const levelsByKey = { password: 'all', apiKey: 'all', token_rate: 'texts' } as const;
    return Object.fromEntries(
      Object.entries(value).map(([key, item]) => {
        const keyLevel = Object.hasOwn(levelsByKey, key)
          ? levelsByKey[key as keyof typeof levelsByKey]
          : 'none';
        return [key, maskedValue(item, stronger(keyLevel, secrecy))];
      }),
    );
  }

  function stronger(one: 'none' | 'texts' | 'all', other: 'none' | 'texts' | 'all') {
    if (one === 'all' || other === 'all') return 'all';
    return one === 'texts' || other === 'texts' ? 'texts' : 'none';
  }

  function hidesText(text: string, secrecy: 'none' | 'texts' | 'all'): boolean {
    if (secrecy === 'none' || /^(true|false|null|~|)$/i.test(text)) return false;
    return secrecy === 'all' || !Number.isFinite(Number(text));
  }
});

describe('maskYaml', () => {
  const password = 'runner-pw-not-secret';

  test.each([
    ['words without end', '{{ '.concat('token'.repeat(200_000))],
    ['separators without end', '{{ password '.concat('a:'.repeat(300_000))],
    ['parameters without end', '{{ token ?'.concat('token'.repeat(200_000))],
  ])('masks a malformed text in linear time: %s', (_name, text) => {
    const startMillis = performance.now();
    maskYaml(text);
    expect(performance.now() - startMillis).toBeLessThan(2_000);
  });

  test('masks the text after a secret word and a colon in a malformed text', () => {
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
      [
        'folded text',
        `password: >\n  ${password}\n\n  more\nuser: me`,
        'password: "***"\nuser: me',
      ],
      [
        'a flow list',
        `password: [${password}, 7, {a: ${password}}]\nuser: me`,
        'password: ["***", "***", {a: "***"}]\nuser: me',
      ],
      [
        'a list of maps',
        `- {password: ${password}}\n- secrets:\n    a: ${password}\n- user: me`,
        '- {password: "***"}\n- secrets:\n    a: "***"\n- user: me',
      ],
      [
        'an explicit key',
        `? password\n:\n  ${password}\nuser: me`,
        '? password\n:\n  "***"\nuser: me',
      ],
      ['a pair in a key', `x=1\npassword=${password}\nok: 5`, 'x=1\npassword=***\nok: 5'],
      ['a pair in a quoted key', `"password=${password}": x`, '"password=***": "***"'],
      ['a value before an empty key', `password: ${password}\n: x`, 'password: "***"\n: "***"'],
      [
        'a key with a tag',
        `!!str password:\n  a: ${password}\nuser: me`,
        '!!str password:\n  a: "***"\nuser: me',
      ],
      [
        'a line in a string',
        `log: "GET /?password=${password}&a=b: ok"\nuser: me`,
        'log: "GET /?password=***&a=b: ok"\nuser: me',
      ],
      [
        'blocks in a block',
        `a: |\n  b: |\n    secrets:\n      c: ${password}\n      d: ${password}\n    user: me\n`,
        'a: |\n  b: |\n    secrets:\n      c: "***"\n      d: "***"\n    user: me\n',
      ],
      [
        'an alias of a scalar',
        `a: &x ${password}\nb: &y open\npassword: *x\nuser: me`,
        'a: &x "***"\nb: &y open\npassword: *x\nuser: me',
      ],
      [
        'an alias of a block text',
        `a: &x |\n  ${password}\npassword: *x\nuser: me`,
        'a: &x "***"\npassword: *x\nuser: me',
      ],
      [
        'an alias of a map',
        `a: &x\n  b: ${password}\nuser: me\npassword: *x`,
        'a: &x\n  b: "***"\nuser: me\npassword: *x',
      ],
      [
        // The name of the user is masked too, because all anchored values are.
        'an alias of an alias',
        `a: &x ${password}\nb: &y [*x]\npassword: *y\nuser: &z me`,
        'a: &x "***"\nb: &y [*x]\npassword: *y\nuser: &z "***"',
      ],
      [
        'an alias of an alias of a value that is also a hint',
        `a: &x 12345\nb: &y {c: *x}\npasswordHint: *x\npassword: *y\n`,
        'a: &x "***"\nb: &y {c: *x}\npasswordHint: *x\npassword: *y\n',
      ],
      [
        'an alias of a key',
        `&k password: ${password}\n*k : ${password}\nuser: me`,
        '&k password: "***"\n*k : "***"\nuser: me',
      ],
    ])('written as %s', (_name, text, expected) => {
      expect(maskYaml(text)).toBe(expected);
    });

    test('when it is malformed', () => {
      expect(maskYaml(`a: [\npassword: |\n  ${password}\nuser: me`)).toBe(
        'a: [\npassword: "***"\nuser: me',
      );
      expect(maskYaml(`"a: {\n\tpassword = ${password}\n  "}`)).not.toContain(password);
      expect(maskYaml(`password: "${password}" ${password}`)).toBe('password: "***" "***"');
    });
  });

  test('returns a text without secrets unchanged, and null for null', () => {
    const text = 'a: 1\r\n# no token here\nuseToken: true\ntoken_count: 5\npassword: null\n';
    expect(maskYaml(text)).toBe(text);
    expect(maskYaml(null)).toBeNull();
  });

  test('a YAML library parses a masked text as the value with masked secrets', () => {
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
        const maskedText = maskYaml(stringify(config, style));
        expect(maskedText).not.toContain(password);
        expect(parse(maskedText)).toEqual(maskedValue(config, false));
      }),
      { numRuns: 1_000 },
    );
  });

  /** Reference implementation of the rule on values, for the keys in this test. */
  function maskedValue(value: unknown, isSecret: boolean): unknown {
    if (Array.isArray(value)) return value.map((item) => maskedValue(item, isSecret));
    if (typeof value === 'object' && value !== null) {
      const entries = Object.entries(value).map(([key, item]) => {
        return [key, maskedValue(item, isSecret || ['password', 'apiKey'].includes(key))];
      });
      return Object.fromEntries(entries) as unknown;
    }
    const isHarmless = value === true || value === null || value === '';
    return isSecret && !isHarmless ? '***' : value;
  }
});
