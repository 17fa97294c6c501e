import { createRoot, createSignal } from 'solid-js';
import { describe, expect, test } from 'vitest';
import { createChartState, isolated, toggled } from '#renderer/charts/chart-state.ts';
import type { Figure, Scales } from '#renderer/charts/figure.ts';
import { fitnessFigure } from '#renderer/charts/figures/fitness.ts';
import { sampleIterations } from '#renderer/charts/sample-data.ts';

function figureOf(count: number): Figure {
  return fitnessFigure(
    sampleIterations(count),
    { direction: 'min', targetFitness: null, isRunning: true },
    'evaluations',
  );
}

describe('createChartState', () => {
  test('keeps zoom, hidden series and table through every change of the figure', () => {
    createRoot((dispose) => {
      const [figure, setFigure] = createSignal(figureOf(10));
      const state = createChartState(figure, () => ({ x: 'linear', y: 'linear' }));
      state.setView({ x: [200, 500] });
      state.toggleSeries('mean');
      state.setTableShown(true);
      setFigure(figureOf(20));
      expect(state.options().view).toEqual({ x: [200, 500] });
      expect([...state.options().hidden]).toEqual(['mean']);
      expect(state.isTableShown()).toBe(true);
      dispose();
    });
  });

  test('drops the zoom of an axis whose scale changes, and only that', () => {
    createRoot((dispose) => {
      const [scales, setScales] = createSignal<Scales>({ x: 'linear', y: 'linear' });
      const state = createChartState(() => figureOf(10), scales);
      state.setView({ x: [200, 500], y: [1, 9] });
      setScales({ x: 'linear', y: 'log' });
      expect(state.options().scales).toEqual({ x: 'linear', y: 'log' });
      expect(state.options().view).toEqual({ x: [200, 500] });
      dispose();
    });
  });
});

test('a series is switched off and on again', () => {
  const off = toggled(new Set(['best']), 'mean');
  expect([...off]).toEqual(['best', 'mean']);
  expect([...toggled(off, 'mean')]).toEqual(['best']);
});

test('a series is shown alone, and all again when it was alone', () => {
  const all = ['a', 'b', 'c'];
  const alone = isolated(new Set(), 'b', all);
  expect([...alone]).toEqual(['a', 'c']);
  expect([...isolated(alone, 'b', all)]).toEqual([]);
  expect([...isolated(new Set(['b']), 'b', all)]).toEqual(['a', 'c']);
});
