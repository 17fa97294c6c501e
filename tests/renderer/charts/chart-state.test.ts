import { createRoot, createSignal } from 'solid-js';
import { describe, expect, test } from 'vitest';
import type { ChartEntry } from '#renderer/charts/chart-entry.ts';
import { createChartState, isolate } from '#renderer/charts/chart-state.ts';
import type { Url } from '#renderer/state/url.ts';
import type { Figure } from '#renderer/charts/figure.ts';
import { makeFitnessFigure } from '#renderer/charts/figures/fitness.ts';
import { sampleIterations } from '#renderer/pages/gallery/sample-data.ts';

function getFigure(count: number): Figure {
  return makeFitnessFigure(
    sampleIterations(count),
    { direction: 'min', targetFitness: null, isRunning: true },
    'evaluations',
  );
}

/** Returns a separate address for one test. */
function ownAddress(start: Record<string, readonly string[]> = {}) {
  const [search, setSearch] = createSignal(start);
  const url: Url = {
    texts: (name) => search()[name] ?? [],
    write: (changes) =>
      setSearch((before) => {
        const after = { ...before };
        for (const [name, texts] of Object.entries(changes)) after[name] = [texts ?? []].flat();
        return after;
      }),
  };
  return { url, search };
}

function chart(start: Record<string, readonly string[]> = {}, entry: Partial<ChartEntry> = {}) {
  const [figure, setFigure] = createSignal(getFigure(10));
  const { url, search } = ownAddress(start);
  const state = createChartState(() => ({ id: 'fit', ...entry }), figure, url);
  return { state, setFigure, search };
}

describe('createChartState', () => {
  test('keeps zoom, hidden series and table through every change of the figure', () => {
    createRoot((dispose) => {
      const { state, setFigure } = chart();
      state.setView({ x: [200, 500] });
      state.toggleSeries('mean');
      state.setTableShown(true);
      setFigure(getFigure(20));
      expect(state.choice().view).toEqual({ x: [200, 500] });
      expect([...state.choice().hidden]).toEqual(['mean']);
      expect(state.isTableShown()).toBe(true);
      dispose();
    });
  });

  test('writes scales, zoom and legend into the address and reads them from it', () => {
    createRoot((dispose) => {
      const { state, search } = chart();
      state.setScales({ x: 'log', y: 'linear' });
      state.setView({ x: [200, 500.1234567] });
      state.toggleSeries('mean');
      const address = {
        'fit.x': ['log'],
        'fit.y': ['linear'],
        'fit.zoomX': ['200..500.123'],
        'fit.zoomY': [],
        hide: ['mean'],
      };
      expect(search()).toEqual(address);
      const { choice } = chart(address).state;
      expect(choice().scales).toEqual({ x: 'log', y: 'linear' });
      expect(choice().view).toEqual({ x: [200, 500.123] });
      expect([...choice().hidden]).toEqual(['mean']);
      dispose();
    });
  });

  test('keeps a zoom that is narrow compared with its values, and small ends of a wide one', () => {
    createRoot((dispose) => {
      const { state } = chart();
      state.setView({ y: [92.94000001, 92.94000009] });
      expect(state.choice().view).toEqual({ y: [92.94000001, 92.94000009] });
      state.setView({ x: [0, 1e-9], y: [1.2345678e-8, 1000] });
      expect(state.choice().view).toEqual({ x: [0, 1e-9], y: [1.23457e-8, 1000] });
      dispose();
    });
  });

  test('is initially logarithmic over three decades, unless the entry or the user chose a scale', () => {
    createRoot((dispose) => {
      expect(chart().state.choice().scales).toEqual({ x: 'linear', y: 'log' });
      const entry = { scales: { x: 'log', y: 'linear' } } as const;
      expect(chart({}, entry).state.choice().scales).toEqual({ x: 'log', y: 'linear' });
      const chosen = chart({ 'fit.x': ['linear'] }, entry).state;
      expect(chosen.choice().scales).toEqual({ x: 'linear', y: 'linear' });
      dispose();
    });
  });

  test('ignores invalid values in the address', () => {
    createRoot((dispose) => {
      const start = { 'fit.x': ['curved'], 'fit.zoomX': ['1..1'], 'fit.zoomY': ['a..2'] };
      const { scales, view } = chart(start).state.choice();
      expect([scales, view]).toEqual([{ x: 'linear', y: 'log' }, {}]);
      dispose();
    });
  });
});

test('a series is shown alone, and all again when it was alone', () => {
  const all = ['a', 'b', 'c'];
  const alone = isolate(new Set(), 'b', all);
  expect([...alone]).toEqual(['a', 'c']);
  expect([...isolate(alone, 'b', all)]).toEqual([]);
  // The first click of a double click has switched it off.
  expect([...isolate(new Set(all), 'b', all)]).toEqual([]);
  expect([...isolate(new Set(['b']), 'b', all)]).toEqual(['a', 'c']);
});
