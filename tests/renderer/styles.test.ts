import { readdirSync, readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { expect, test } from 'vitest';

const files = readdirSync('renderer', { recursive: true, encoding: 'utf8' }).map(
  (path) => `renderer/${path}`,
);

function getText(path: string): string {
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
  const used = wordsIn(files.filter((path) => /\.tsx?$/.test(path)).map(getText));
  const unused = files
    .filter((path) => path.endsWith('.css'))
    .flatMap((path) => unusedClasses(getText(path), used).map((name) => ({ path, name })))
    .filter(({ name }) => !libraryClass.test(name));
  expect(unused).toEqual([]);
});

/** Returns the classes that a stylesheet defines: those that are a selector by themselves, without a context. */
function definedIn(css: string): Set<string> {
  const plain = css.replace(/\/\*[^]*?\*\//g, '').replace(/:[\w-]+\([^()]*\)/g, '');
  const selectors = plain.match(/[^{};]+(?=\{)/g) ?? [];
  const own = selectors.flatMap((one) => one.split(','));
  return new Set(own.flatMap((one) => /^\s*\.([\w-]+)[^\s>+~]*\s*$/.exec(one)?.[1] ?? []));
}

/** Returns the classes that components set. */
function classesSetIn(code: string): Set<string> {
  const values = code.match(/\bclass(?:List)?=(?:"[^"]*"|\{\{[^]*?\}\}|\{[^]*?\})/g) ?? [];
  const literals = values.flatMap((value) => value.match(/'[^'\n]*'|"[^"\n]*"|`[^`]*`/g) ?? []);
  return new Set(literals.flatMap((literal) => literal.match(/[a-z][\w-]*/gi) ?? []));
}

/** Resets and print styles repeat classes of other files. */
const repeating = new Set(['renderer/styles/base.css', 'renderer/styles/media.css']);

const isLocal = (path: string): boolean => /^renderer\/(features|pages)\//.test(path);

interface Source {
  path: string;
  text: string;
}

/** Returns classes with two stylesheets, and classes of a feature or page that components outside its folder set. */
function misplacedClasses(styles: readonly Source[], components: readonly Source[]): string[] {
  const definitions = styles.flatMap(({ path, text }) =>
    repeating.has(path) ? [] : Array.from(definedIn(text), (name) => ({ name, path })),
  );
  const repeated = [...Map.groupBy(definitions, ({ name }) => name)].flatMap(([name, own]) =>
    own.length > 1 ? [`.${name} is in ${own.map(({ path }) => path).join(' and ')}`] : [],
  );
  const shared = styles.filter(({ path }) => !isLocal(path));
  const known = new Set([
    ...definitions.map(({ name }) => name),
    ...shared.flatMap(({ text }) => [...classesIn(text)]),
  ]);
  const contextual = styles.flatMap(({ path, text }) =>
    [...classesIn(text)].filter((name) => !known.has(name)).map((name) => ({ name, path })),
  );
  const set = components.map(({ path, text }) => ({ path, names: classesSetIn(text) }));
  const outside = [...definitions, ...contextual]
    .filter(({ path }) => isLocal(path))
    .flatMap(({ name, path: style }) =>
      set
        .filter(({ path, names }) => names.has(name) && !path.startsWith(`${dirname(style)}/`))
        .map(({ path }) => `.${name} of ${style} is set in ${path}`),
    );
  return [...repeated, ...outside];
}

test('a class is misplaced if two stylesheets define it, or another folder sets it', () => {
  const style = (path: string, text: string) => ({ path: `renderer/${path}`, text });
  const styles = [
    style('pages/a/a.css', '.one { top: 0 } .shared > .inner { top: 0 }'),
    style('ui/b.css', '.one:hover, .kit { top: 0 } .kit .one { top: 0 }'),
  ];
  const component = style('pages/b/B.tsx', '<i class="kit inner" classList={{ x: a.one }} />');
  expect(misplacedClasses(styles, [component])).toEqual([
    '.one is in renderer/pages/a/a.css and renderer/ui/b.css',
    '.inner of renderer/pages/a/a.css is set in renderer/pages/b/B.tsx',
  ]);
});

test('every class has one stylesheet, and is set in its folder only unless the stylesheet is shared', () => {
  const sources = (ending: string): Source[] =>
    files.filter((path) => path.endsWith(ending)).map((path) => ({ path, text: getText(path) }));
  expect(misplacedClasses(sources('.css'), sources('.tsx'))).toEqual([]);
});
