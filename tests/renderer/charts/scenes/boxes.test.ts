import { expect, test } from 'vitest';
import { makeBestFitnessBoxes } from '#renderer/charts/figures/best-fitness-boxes.ts';
import { readScene } from '#renderer/charts/reading.ts';
import { emptyBox, sampleBox } from '#renderer/pages/gallery/sample-analysis.ts';
import { getAutomaticScales } from '#renderer/charts/scenes.ts';
import { getDrawn, pictureText, sceneFor } from '#tests/renderer/charts/scene-text.ts';

const figure = makeBestFitnessBoxes(
  [
    { name: '<b>umda', paletteIndex: 0, box: sampleBox(10) },
    { name: 'failed', paletteIndex: 1, box: emptyBox },
  ],
  12,
);

test('outliers are above their box; a group without values keeps its place; names are text', () => {
  expect(pictureText(figure)).toMatchInlineSnapshot(`
    [
      "x -0.5 to 1.5: <b>umda | failed",
      "y 5.52 to 12.48: 6 | 7 | 8 | 9 | 10 | 11 | 12",
      "rule at 12",
      "box <b>umda at 0: 8 9 10 10.5 11",
      "points <b>umda, values: 0 0 / 6 6.5",
      "box failed at 1: null null null null null",
      "points failed, values:  / ",
      "label target 12",
    ]
  `);
});

test('a box is read in its numbers', () => {
  expect(readScene(sceneFor(figure), { x: 0 })).toMatchInlineSnapshot(`
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
  expect(readScene(sceneFor(figure), { x: 1 }).rows[0]?.text).toBe('–');
});

test('a box that the legend of the page switched off keeps its place, and neither it nor its range is drawn', () => {
  const two = makeBestFitnessBoxes(
    [
      { name: 'umda', paletteIndex: 0, box: sampleBox(10) },
      { name: 'cga', paletteIndex: 1, box: sampleBox(100) },
    ],
    null,
  );
  const hidden = new Set(['cga']);
  const text = pictureText(two, { hidden }).join('\n');
  expect(text).toContain('umda | cga');
  expect(text).toContain('box umda');
  expect(text).not.toMatch(/box cga|points .*cga|100/);
  expect(readScene(sceneFor(two, { hidden }), { x: 1 })).toEqual({
    title: 'cga, switched off',
    rows: [],
  });
});

test('a box whose runs have reached 0 has the scale of their curves, and is at its edge, which the title states', () => {
  const quartiles = { q1: 0, median: 1e-4, mean: 2, q3: 1e-2 };
  const ends = { min: 0, whiskerLow: 0, whiskerHigh: 10, max: 100 };
  const box = { n: 5, ...ends, ...quartiles, stdDev: 9, outliers: [0, 100] };
  const solved = makeBestFitnessBoxes([{ name: 'umda', paletteIndex: 0, box }], 1e-3);
  const scales = getAutomaticScales(solved);
  expect(scales.y).toBe('log');
  const { axes } = sceneFor(solved, { scales });
  const [low] = axes.y.scale.range;
  expect(low).toBeGreaterThan(1e-6);
  expect(low).toBeLessThan(1e-4);
  const [drawn] = getDrawn('box', solved, { scales });
  expect(drawn?.shape).toMatchObject({ whiskerLow: low, q1: low, median: 1e-4 });
  expect(getDrawn('points', solved, { scales })[0]?.y).toEqual([low, 100]);
  expect(axes.y.label).toBe('best fitness (≤ 0 at the edge), log');
  expect(readScene(sceneFor(solved), { x: 0 }).rows[2]?.text).toBe('0 and 0.01');
});
