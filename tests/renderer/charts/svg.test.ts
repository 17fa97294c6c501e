import { expect, test } from 'vitest';
import { formatSvg, getXmlCharacters } from '#renderer/charts/svg.ts';

test('an SVG picture is written with its names escaped', () => {
  const node = {
    tag: 'g',
    attributes: { fill: '"red"' },
    children: [{ tag: 'text', attributes: { x: 1 }, text: 'a < b & c' }],
  } as const;
  expect(formatSvg(node)).toBe('<g fill="&quot;red&quot;"><text x="1">a &lt; b &amp; c</text></g>');
});

test('characters that no XML file can hold are replaced, others are kept', () => {
  const text = 'a\u0000b\u000Bc\uFFFEd\uD800e\tf\u2028g\u{1F600}';
  expect(getXmlCharacters(text)).toBe('a\uFFFDb\uFFFDc\uFFFDd\uFFFDe\tf\u2028g\u{1F600}');
  const node = { tag: 'text', attributes: { id: '\u0001' }, text: '\u0001' } as const;
  expect(formatSvg(node)).toBe('<text id="\uFFFD">\uFFFD</text>');
});
