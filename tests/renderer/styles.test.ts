import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

const files = readdirSync('renderer', { recursive: true, encoding: 'utf8' }).map(
  (path) => `renderer/${path}`,
);

function textOf(path: string): string {
  return readFileSync(path, 'utf8');
}

/** Returns the classes in the selectors of a stylesheet. */
function classesIn(css: string): Set<string> {
  const selectors = css.replace(/\/\*[^]*?\*\//g, '').match(/[^{};]+(?=\{)/g) ?? [];
  const styled = selectors.filter((selector) => !selector.trim().startsWith('@'));
  return new Set(
    styled.flatMap((one) => [...one.matchAll(/\.([a-z][\w-]*)/gi)].map(([, name]) => name!)),
  );
}

/** Returns the words of the string literals of the code, and the beginnings of words that an expression completes. */
function wordsIn(code: readonly string[]): { words: Set<string>; beginnings: string[] } {
  const literals = code.flatMap((text) => text.match(/'[^'\n]*'|"[^"\n]*"|`[^`]*`/g) ?? []);
  const words = literals.flatMap((literal) => literal.match(/[a-z][\w-]*/gi) ?? []);
  const beginnings = literals.flatMap((literal) => literal.match(/[a-z][\w-]*-(?=\$\{)/gi) ?? []);
  return { words: new Set(words), beginnings: [...new Set(beginnings)] };
}

function unusedClasses(css: string, { words, beginnings }: ReturnType<typeof wordsIn>): string[] {
  return [...classesIn(css)].filter(
    (name) => !words.has(name) && !beginnings.some((beginning) => name.startsWith(beginning)),
  );
}

/** Classes that KaTeX writes. */
const libraryClass = /^katex/;

test('an unused class is found, a composed one is not', () => {
  const css = '.a > .b-one:hover, .c { top: 0 } @media print { .d { top: 0 } } /* .e {} */';
  expect(unusedClasses(css, wordsIn(["<i class='a' />", '<i class={`b-${kind}`} />']))).toEqual([
    'c',
    'd',
  ]);
});

test('every class of the stylesheets is used', () => {
  const used = wordsIn(files.filter((path) => /\.tsx?$/.test(path)).map(textOf));
  const unused = files
    .filter((path) => path.endsWith('.css'))
    .flatMap((path) => unusedClasses(textOf(path), used).map((name) => ({ path, name })))
    .filter(({ name }) => !libraryClass.test(name));
  expect(unused).toEqual([]);
});
