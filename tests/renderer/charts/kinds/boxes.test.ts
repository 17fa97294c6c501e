import { expect, test } from 'vitest';
import { bestFitnessBoxes } from '#renderer/charts/figures/best-fitness-boxes.ts';
import { boxes } from '#renderer/charts/kinds/boxes.ts';
import { swarm } from '#renderer/charts/kinds/swarm.ts';
import { automaticScales } from '#renderer/charts/kinds.ts';
import type { PlotlyDrawing } from '#renderer/charts/picture.ts';
import { emptyBox, sampleBox } from '#renderer/charts/sample-analysis.ts';
import { pictureText, setting } from '#tests/renderer/charts/picture-text.ts';

const figure = bestFitnessBoxes(
  [
    { name: '<b>umda', paletteIndex: 0, box: sampleBox(10) },
    { name: 'failed', paletteIndex: 1, box: emptyBox },
  ],
  12,
);

test('outliers stand over their box; a group without values keeps its place; names are text', () => {
  expect(pictureText(boxes.draw(figure, setting()))).toMatchInlineSnapshot(`
    [
      "x -0.5 to 1.5: &lt;b&gt;umda | failed",
      "y 5.52 to 12.48: 6 | 7 | 8 | 9 | 10 | 11 | 12",
      "box &lt;b&gt;umda: 0 / ",
      "scatter markers &lt;b&gt;umda, values: 0 0 / 6 6.5",
      "line at 12",
      "label target 12",
    ]
  `);
});

test('a box is read in its numbers', () => {
  expect(boxes.read(figure, { x: 0 }, new Set())).toMatchInlineSnapshot(`
    {
      "rows": [
        {
          "name": "median",
          "paletteIndex": 0,
          "text": "10",
          "y": 10,
        },
        {
          "name": "mean",
          "text": "9.6",
        },
        {
          "name": "quartiles",
          "text": "9 and 10.5",
        },
        {
          "name": "whiskers",
          "text": "8 and 11",
        },
      ],
      "title": "<b>umda, n = 15",
    }
  `);
  expect(boxes.read(figure, { x: 1 }, new Set()).rows[0]?.text).toBe('–');
});

test('points that would cover each other are put side by side, always in the same way', () => {
  expect(swarm([0.1, 0.5, 0.9], 0.18)).toEqual([0, 0, 0]);
  expect(swarm([0.5, 0.5, 0.5], 0.2)).toEqual([0, 0.05, -0.05]);
  const crowd = swarm(
    Array.from({ length: 41 }, () => 0.5),
    0.2,
  );
  const even = swarm(
    Array.from({ length: 10 }, () => 0.5),
    0.2,
  );
  expect(Math.max(...even.map(Math.abs))).toBeLessThanOrEqual(0.2 + 1e-9);
  expect(new Set(crowd).size).toBe(41);
  expect(Math.max(...crowd.map(Math.abs))).toBeLessThanOrEqual(0.2 + 1e-9);
});

test('a box that the legend of the page switched off keeps its place, and neither it nor its range is drawn', () => {
  const two = bestFitnessBoxes(
    [
      { name: 'umda', paletteIndex: 0, box: sampleBox(10) },
      { name: 'cga', paletteIndex: 1, box: sampleBox(100) },
    ],
    null,
  );
  const hidden = new Set(['cga']);
  const text = pictureText(boxes.draw(two, setting({ hidden }))).join('\n');
  expect(text).toContain('umda | cga');
  expect(text).toContain('box umda');
  expect(text).not.toMatch(/box cga|scatter .*cga|100/);
  expect(boxes.read(two, { x: 1 }, hidden)).toEqual({ title: 'cga, switched off', rows: [] });
});

test('a box whose runs have reached 0 takes the scale of their curves, and lies at its edge, which the title says', () => {
  const quartiles = { q1: 0, median: 1e-4, mean: 2, q3: 1e-2 };
  const ends = { min: 0, whiskerLow: 0, whiskerHigh: 10, max: 100 };
  const box = { n: 5, ...ends, ...quartiles, stdDev: 9, outliers: [0, 100] };
  const solved = bestFitnessBoxes([{ name: 'umda', paletteIndex: 0, box }], 1e-3);
  const scales = automaticScales(solved);
  expect(scales.y).toBe('log');
  const picture = boxes.draw(solved, setting({ scales }));
  const [low] = picture.ranges.y;
  expect(low).toBeGreaterThan(1e-6);
  expect(low).toBeLessThan(1e-4);
  const { data, layout } = picture.drawing as PlotlyDrawing;
  expect(data[0]).toMatchObject({ lowerfence: [low], q1: [low], median: [1e-4] });
  expect(data[1]).toMatchObject({ y: [low, 100] });
  expect(JSON.stringify(layout.yaxis?.title)).toContain('best fitness (≤ 0 at the edge), log');
  expect(boxes.read(solved, { x: 0 }, new Set()).rows[2]?.text).toBe('0 and 0.01');
});
