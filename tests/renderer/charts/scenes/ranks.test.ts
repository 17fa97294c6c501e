import { expect, test } from 'vitest';
import type { RankFigure } from '#renderer/charts/figure.ts';
import { makeCriticalDifferenceFigure } from '#renderer/charts/figures/critical-difference.ts';
import { formatSvg } from '#renderer/charts/svg.ts';
import { makePictureSvg } from '#renderer/charts/svg-picture.ts';
import { getTable } from '#renderer/charts/table.ts';
import { pictureFor, sceneFor } from '#tests/renderer/charts/scene-text.ts';

function getSvg(figure: RankFigure, place: { width: number; height: number }): string[] {
  return formatSvg(makePictureSvg(pictureFor(figure, {}, place)))
    .replaceAll('><', '>\n<')
    .split('\n');
}

const two = {
  ranks: [
    { algorithm: 'a<b', averageRank: 1.25 },
    { algorithm: 'umda', averageRank: 1.75 },
  ],
  criticalDifference: 0.6,
};
const look = (name: string) => ({ name, paletteIndex: name === 'umda' ? 1 : 0 });
const size = { width: 400, height: 120 };

test('ranks are on an axis, a bar over ranks without a claimed difference, names as text', () => {
  const figure = makeCriticalDifferenceFigure(two, [], look);
  expect(getSvg(figure, size)).toMatchInlineSnapshot(`
    [
      "<svg width="400" height="120" viewBox="0 0 400 120" font-family="--sans">",
      "<line x1="90.2" y1="68.2" x2="309.8" y2="68.2" stroke="--axis" stroke-width="1">",
      "</line>",
      "<line x1="90.2" y1="68.2" x2="90.2" y2="61.9" stroke="--axis" stroke-width="1">",
      "</line>",
      "<text x="90.2" y="57.7" text-anchor="middle" fill="--muted" font-size="11">1</text>",
      "<line x1="309.8" y1="68.2" x2="309.8" y2="61.9" stroke="--axis" stroke-width="1">",
      "</line>",
      "<text x="309.8" y="57.7" text-anchor="middle" fill="--muted" font-size="11">2</text>",
      "<line x1="90.2" y1="34.1" x2="222" y2="34.1" stroke="--text" stroke-width="1.5">",
      "</line>",
      "<line x1="90.2" y1="29.1" x2="90.2" y2="39.2" stroke="--text" stroke-width="1.5">",
      "</line>",
      "<line x1="222" y1="29.1" x2="222" y2="39.2" stroke="--text" stroke-width="1.5">",
      "</line>",
      "<text x="156.1" y="25.7" text-anchor="middle" fill="--muted" font-size="11">CD = 0.6</text>",
      "<line x1="145.1" y1="68.2" x2="145.1" y2="107.4" stroke="--series-1" stroke-width="1.5">",
      "</line>",
      "<line x1="145.1" y1="107.4" x2="2" y2="107.4" stroke="--series-1" stroke-width="1.5">",
      "</line>",
      "<text x="2" y="101.1" text-anchor="start" fill="--text" font-size="12">a&lt;b 1.25</text>",
      "<line x1="254.9" y1="68.2" x2="254.9" y2="107.4" stroke="--series-2" stroke-width="1.5">",
      "</line>",
      "<line x1="254.9" y1="107.4" x2="398" y2="107.4" stroke="--series-2" stroke-width="1.5">",
      "</line>",
      "<text x="398" y="101.1" text-anchor="end" fill="--text" font-size="12">umda 1.75</text>",
      "<line x1="141.1" y1="80.8" x2="258.9" y2="80.8" stroke="--text" stroke-width="4">",
      "</line>",
      "</svg>",
    ]
  `);
});

test('of very many groups every so many ranks are numbered, and names end before their line', () => {
  const many = Array.from({ length: 60 }, (_, index) => ({
    algorithm: `DoubleDoerrOptimisticNoisyDiscreteOnePlusOneOptimizer${index}`,
    averageRank: index + 1,
  }));
  const figure = makeCriticalDifferenceFigure({ ranks: many, criticalDifference: 90 }, [], look);
  const place = { width: 560, height: 900 };
  const drawn = getSvg(figure, place).join('\n');
  const texts = [...drawn.matchAll(/<text x="([\d.]+)"[^>]*>([^<]*)</g)].map(([, x, text]) => ({
    x: Number(x),
    text: text ?? '',
  }));
  const numbers = texts.filter(({ text }) => /^\d+$/.test(text)).map(({ x }) => x);
  expect(numbers.length).toBeGreaterThan(2);
  numbers.slice(1).forEach((x, index) => expect(x - numbers[index]!).toBeGreaterThan(14));
  const names = texts.filter(({ text }) => text.startsWith('Double'));
  expect(names).toHaveLength(60);
  for (const { text } of names) expect(text).toMatch(/^Double\w*…\w*r?\d+ \d+$/);
  const ends = [...drawn.matchAll(/x2="([\d.]+)"/g)].map(([, x]) => Number(x));
  expect(Math.max(...ends)).toBeLessThanOrEqual(place.width);
});

test('the table contains the set of each group', () => {
  expect(getTable(sceneFor(makeCriticalDifferenceFigure(two, [], look)))).toEqual({
    columns: ['name', 'average rank', 'no claimed difference, set 1'],
    rows: [
      ['a<b', 1.25, 'yes'],
      ['umda', 1.75, 'yes'],
    ],
  });
});
