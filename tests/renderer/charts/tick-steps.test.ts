import { describe, expect, test } from 'vitest';
import { plainDrawing } from '#renderer/charts/drawing.ts';
import type { LineFigure } from '#renderer/charts/figure.ts';
import { tickSteps } from '#renderer/charts/tick-steps.ts';

const figure = (x: number[], whole = false): LineFigure => ({
  kind: 'lines',
  x: { title: 'evaluations', whole },
  y: { title: 'best' },
  series: [{ name: 'a', x, y: x, shape: 'line', paletteIndex: 0 }],
  references: [],
  empty: '',
});
const log = { ...plainDrawing, scales: { x: 'log', y: 'linear' } } as const;

describe('tickSteps', () => {
  test('an axis that counts has no ticks between the ones', () => {
    expect(tickSteps(figure([0, 5], true), plainDrawing)).toEqual({ dtick: 1 });
    expect(tickSteps(figure([0, 50], true), plainDrawing)).toEqual({});
    expect(tickSteps(figure([0, 5]), plainDrawing)).toEqual({});
  });

  test('a log axis of a few powers of ten has ticks at 1, 2 and 5', () => {
    expect(tickSteps(figure([10, 2000]), log)).toEqual({ dtick: 'D2' });
    expect(tickSteps(figure([1, 1e6]), log)).toEqual({});
    expect(tickSteps(figure([10, 20]), log)).toEqual({});
  });

  test('a zoom into a long log axis gives it such ticks', () => {
    expect(tickSteps(figure([1, 1e6]), { ...log, view: { x: [100, 1000] } })).toEqual({
      dtick: 'D2',
    });
  });
});
