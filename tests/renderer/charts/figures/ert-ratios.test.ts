import { expect, test } from 'vitest';
import { ertRatioFigure, solvedFigure } from '#renderer/charts/figures/ert-ratios.ts';
import { isEmptyFigure, kindOf } from '#renderer/charts/kinds.ts';
import { sampleRatios } from '#renderer/charts/sample-coco.ts';
import { setting } from '#tests/renderer/charts/picture-text.ts';

const { summary, rows } = sampleRatios();
const paletteOf = (name: string): number => ['es', 'de'].indexOf(name);

test('ratios and solved functions by dimension are the same pictures for the same answer', () => {
  expect(ertRatioFigure(summary, rows, paletteOf)).toMatchSnapshot();
  expect(solvedFigure(summary, paletteOf)).toMatchSnapshot();
});

test('an unsolved function has no part in a mean, but marks its dimension; without a finite one it is infinite', () => {
  const [es, de] = ertRatioFigure(summary, rows, paletteOf).series;
  expect(es).toMatchObject({ x: [2, 5, 20], y: [0.8, 2, Infinity], infiniteAt: [5, 20] });
  expect(es?.hoverNotes).toEqual(['2 of 2 solved', '1 of 2 solved', '0 of 2 solved']);
  expect(de?.infiniteAt).toEqual([20]);
});

test('marks of two optimizers in one dimension stand beside each other at the upper edge', () => {
  const figure = ertRatioFigure(summary, rows, paletteOf);
  const { drawing, ranges } = kindOf(figure).draw(figure, setting());
  const data = drawing.by === 'plotly' ? drawing.data : [];
  const marks = data.filter((trace) => String(trace.name).endsWith('infinite'));
  const places = marks.map((trace) => ('x' in trace ? (trace.x as number[]).at(-1) : undefined));
  expect(places[0]).toBeLessThan(20);
  expect(places[1]).toBeGreaterThan(20);
  const heights = marks.flatMap((trace) => ('y' in trace ? (trace.y as number[]) : []));
  expect(new Set(heights)).toEqual(new Set([ranges.y[1]]));
});

test('the cursor reads an infinite ratio and how many functions were solved', () => {
  const figure = ertRatioFigure(summary, rows, paletteOf);
  const { rows: read } = kindOf(figure).read(figure, { x: 20 }, new Set());
  expect(read[0]).toMatchObject({ name: 'es', text: '∞ · 0 of 2 solved' });
  expect(read[0]).not.toHaveProperty('y');
});

test('without any reference the figure says how to get one', () => {
  const none = summary.map((one) => ({ ...one, comparedFunctions: 0, geometricMeanRatio: null }));
  const bare = rows.map((row) => ({ ...row, referenceErt: null, ratio: null }));
  const figure = ertRatioFigure(none, bare, paletteOf);
  expect(isEmptyFigure(figure)).toBe(true);
  expect(figure.empty).toContain('--as-reference');
  const unsolved = rows.map((row) => ({ ...row, ert: null, ratio: null }));
  expect(ertRatioFigure(none, unsolved, paletteOf).empty).toContain('every ratio is infinite');
});
