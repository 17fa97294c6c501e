import { createRoot, createSignal } from 'solid-js';
import { describe, expect, test } from 'vitest';
import {
  createCursor,
  getMovedPlace,
  getNearestStop,
  SharedCursor,
} from '#renderer/charts/cursor.ts';
import { createSharedCursor } from '#renderer/charts/cursor.ts';
import type { Figure } from '#renderer/charts/figure.ts';
import { makeFitnessFigure } from '#renderer/charts/figures/fitness.ts';
import { makeMetricHeatMap } from '#renderer/charts/figures/metric-heat-map.ts';
import { sampleIterations, sampleMetrics } from '#renderer/pages/gallery/sample-data.ts';
import { sceneFor } from '#tests/renderer/charts/scene-text.ts';

const run = { direction: 'min', targetFitness: null, isRunning: true } as const;

describe('getMovedPlace', () => {
  const cells = { x: [0, 1, 2, 3], rows: 3 };

  test('walks from cell to cell and stops at the edges', () => {
    expect(getMovedPlace(cells, null, 'ArrowDown')).toEqual({ x: 0, row: 0 });
    expect(getMovedPlace(cells, { x: 1, row: 1 }, 'ArrowUp')).toEqual({ x: 1, row: 0 });
    expect(getMovedPlace(cells, { x: 3, row: 2 }, 'ArrowDown')).toEqual({ x: 3, row: 2 });
    expect(getMovedPlace(cells, { x: 3, row: 2 }, 'ArrowRight')).toEqual({ x: 3, row: 2 });
    expect(getMovedPlace(cells, { x: 1, row: 2 }, 'End')).toEqual({ x: 3, row: 2 });
  });

  test('returns null for ArrowUp and ArrowDown without rows, for other keys and without stops', () => {
    const curve = { x: [5, 7], rows: 1 };
    expect(getMovedPlace(curve, { x: 5 }, 'ArrowDown')).toBeNull();
    expect(getMovedPlace(curve, { x: 5 }, 'toString')).toBeNull();
    expect(getMovedPlace(curve, { x: 5 }, 'ArrowRight')).toEqual({ x: 7 });
    expect(getMovedPlace({ x: [], rows: 1 }, null, 'ArrowRight')).toBeNull();
  });

  test('takes longer steps through a long curve', () => {
    const long = { x: Array.from({ length: 2000 }, (_, index) => index), rows: 1 };
    expect(getMovedPlace(long, { x: 0 }, 'ArrowRight')).toEqual({ x: 10 });
  });
});

test('the nearest stop is found before, between and after all', () => {
  const stops = [1, 2, 4];
  expect([0, 2.9, 3.1, 9].map((value) => getNearestStop(stops, value))).toEqual([1, 2, 4, 4]);
});

test('charts over the same axis follow each other, others do not', () => {
  createRoot((dispose) => {
    const cursors = (() => {
      let made: ReturnType<typeof createCursor>[] = [];
      SharedCursor.Provider({
        value: createSharedCursor(),
        get children() {
          const figures: Figure[] = [
            makeFitnessFigure(sampleIterations(9), run, 'iteration'),
            makeMetricHeatMap(sampleMetrics(4)).figure,
            makeFitnessFigure(sampleIterations(9), run, 'evaluations'),
          ];
          made = figures.map((figure) => createCursor(createSignal(sceneFor(figure))[0]));
          return null;
        },
      });
      return made;
    })();
    const places = () => cursors.map(({ place }) => place());
    cursors[0]?.moveTo({ x: 2 });
    expect(places()).toEqual([{ x: 2 }, { x: 2 }, null]);
    // Beyond the last iteration of the heat map.
    cursors[0]?.moveTo({ x: 8 });
    expect(places()).toEqual([{ x: 8 }, null, null]);
    cursors[0]?.moveTo(null);
    expect(places()).toEqual([null, null, null]);
    dispose();
  });
});
