import * as fc from 'fast-check';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { parseConfig, getValueAt } from '#server/domain/config.ts';
import { describeOnEachDatabase } from '#tests/support/databases.ts';

const path = ['a', 'b'];

/** Returns the value that JavaScript reads at a path, scalars as text. */
function getExpectedText(text: string): string | null {
  const value = getValueAt(parseConfig(text), path);
  return typeof value === 'string' ? value : null;
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

const letters = fc.string({
  unit: fc.constantFrom(...Array.from('abu"\\{}[],:0 \n😀é')),
  maxLength: 6,
});
const json = fc.oneof(
  fc.record({ a: fc.record({ b: letters, c: fc.jsonValue({ maxDepth: 4 }) }) }),
  fc.record({ a: fc.oneof(letters, fc.array(letters)), d: fc.jsonValue({ maxDepth: 4 }) }),
);

/** JSON with escapes, also of U+0000 and of halves of surrogate pairs. */
const escapedText = fc
  .array(
    fc.constantFrom('\\ud83d', '\\ude00', '\\u0000', '\\u00e9', '\\\\', '\\"', '\\n', 'u', 'd83d'),
    { maxLength: 8 },
  )
  .map((escapes) => `{"a":{"b":"max"},"c":"${escapes.join('')}"}`);

/** Returns the text with a piece inserted at a random position, which makes most texts invalid. */
const brokenText = fc
  .record({
    text: json.map((value) => JSON.stringify(value)),
    at: fc.nat({ max: 60 }),
    piece: fc.constantFrom('"', '{', '}', ',', '0', 's', '""', ' ', ':', '\\', '\t', 'null', '-'),
  })
  .map(
    ({ text, at: textAtPath, piece }) => text.slice(0, textAtPath) + piece + text.slice(textAtPath),
  );

describeOnEachDatabase('The text at a path', (database) => {
  async function readTextsAt(texts: readonly string[]): Promise<(string | null)[]> {
    const actualTexts: (string | null)[] = [];
    for (const text of texts) {
      const { dialect, kysely } = database();
      const storedText = sql.ref<string>('given.text');
      const textAtPath = sql<
        string | null
      >`case when ${dialect.isJson(storedText)} then ${dialect.selectTextAt(storedText, path)} end`;
      // The limit prevents PostgreSQL from evaluating the expression as a constant.
      const row = await kysely
        .selectFrom(sql`(select cast(${text} as text) as text limit 1)`.as('given'))
        .select(textAtPath.as('found'))
        .executeTakeFirst();
      actualTexts.push(row?.found ?? null);
    }
    return actualTexts;
  }

  test('is the value that JavaScript reads, and NULL for a text that is not JSON', async () => {
    const texts = fc
      .sample(
        fc.oneof(
          json.map((value) => JSON.stringify(value, null, 1)),
          brokenText,
          escapedText,
        ),
        {
          numRuns: 450,
          seed: 20_261_122,
        },
      )
      .filter((text) => text.isWellFormed() && !text.includes('\0'));
    const expected = texts.map(getExpectedText);
    expect(expected.filter((text) => text !== null).length).toBeGreaterThan(50);
    const actualTexts = await readTextsAt(texts);
    const differingTexts = texts.filter((text, index) =>
      expected[index] === null
        ? !isJson(text) && actualTexts[index] !== null
        : actualTexts[index] !== expected[index],
    );
    expect(differingTexts).toEqual([]);
  });

  test.each([
    ['{"a":{"b":"max"}}', 'max'],
    // Programs such as Python write each character outside ASCII as one or two escapes.
    [String.raw`{"a":{"b":"max"},"c":"\ud83d\ude00"}`, 'max'],
    [String.raw`{"a":{"b":"max"},"c":"\uD83D"}`, 'max'],
    [String.raw`{"a":{"b":"max"},"c":"\ude00\ud83d\\ud83d"}`, 'max'],
    [String.raw`{"a":{"b":"max"},"c":"\ud83d\ud83d\ude00\ude00\u0000"}`, 'max'],
    [String.raw`{"a":{"b":"\ud83d\ude00 \\ud83d \\u0000"}}`, '\u{1f600} \\ud83d \\u0000'],
    [String.raw`{"a":{"b":"max"},"c":"\ud83"}`, null],
    [' { "a" : { "b" : "m\\u0061x" , "c" : [ 1 , -0.5e+3 , true , {} , [] ] } } ', 'max'],
    ['{"a":[{"b":"max"}]}', null],
    ['', null],
    ['{"a":{"b":"max"}', null],
    ['{"a":{"b":"max"},"c":s}', null],
    ['{"a":{"b":"max"},"c":01}', null],
    ['{"a":{"b":"max"},"c":[1,]}', null],
    ['{"a":{"b":"max"},"c":1 2}', null],
    ["{'a':{'b':'max'}}", null],
  ])('of %j is %j', async (text, expected) => {
    expect(await readTextsAt([text])).toEqual([expected]);
  });
});
