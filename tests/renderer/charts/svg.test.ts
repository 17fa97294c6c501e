import { expect, test } from 'vitest';
import { svgText } from '#renderer/charts/svg.ts';

test('an SVG picture is written with its names escaped', () => {
  const node = {
    tag: 'g',
    attributes: { fill: '"red"' },
    children: [{ tag: 'text', attributes: { x: 1 }, text: 'a < b & c' }],
  } as const;
  expect(svgText(node)).toBe('<g fill="&quot;red&quot;"><text x="1">a &lt; b &amp; c</text></g>');
});
