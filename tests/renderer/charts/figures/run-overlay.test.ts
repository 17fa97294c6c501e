import { expect, test } from 'vitest';
import {
  makeDifferenceFigure,
  makeOverlayFigure,
  makeStoredSeriesFigure,
} from '#renderer/charts/figures/run-overlay.ts';

type Overlay = Parameters<typeof makeOverlayFigure>[0];

const names = ['umda', 'pbil'];
const getLook = (runId: string) => ({
  name: names[Number(runId)] ?? '',
  paletteIndex: Number(runId),
});
const overlay = {
  by: 'evaluations',
  x: [10, 20, 40, 100],
  traces: [
    { runId: '0', best: [3, 5, 9, 9], end: 40, difference: null },
    { runId: '1', best: [null, 2, 6, 8], end: 100, difference: [null, -3, -3, -1] },
  ],
  runs: [
    { targetFitness: 9, evaluationsToTarget: 40 },
    { targetFitness: 9, evaluationsToTarget: null },
  ],
} as unknown as Overlay;

test('each run is drawn to its end, with a cross at the point at which it reached its target', () => {
  const { series, references, x } = makeOverlayFigure(overlay, getLook);
  expect(series).toEqual([
    { name: 'umda', paletteIndex: 0, shape: 'step', x: [10, 20, 40], y: [3, 5, 9], crossAt: 40 },
    { name: 'pbil', paletteIndex: 1, shape: 'step', x: overlay.x, y: [null, 2, 6, 8] },
  ]);
  expect(references).toEqual([{ label: 'target 9', value: 9 }]);
  expect(x).toEqual({ title: 'evaluations', isWhole: true });
});

test('three targets are lines next to runs without a target', () => {
  const runs = [1, 2, 3, null].map((targetFitness) => ({
    targetFitness,
    evaluationsToTarget: null,
  }));
  const { references } = makeOverlayFigure({ ...overlay, runs } as Overlay, getLook);
  expect(references.map(({ value }) => value)).toEqual([1, 2, 3]);
});

test('over another axis there is no cross, a run without a point has no curve, and many targets are no lines', () => {
  const targets = [1, 2, 3, 4].map((targetFitness) => ({ targetFitness, evaluationsToTarget: 5 }));
  const traces = targets.map((_, index) => ({
    ...overlay.traces[0],
    runId: `${index}`,
    end: null,
  }));
  const figure = makeOverlayFigure(
    { ...overlay, by: 'time', traces, runs: targets } as Overlay,
    getLook,
  );
  expect(figure.series.map(({ x, crossAt }) => [x, crossAt])).toEqual(
    targets.map(() => [[], undefined]),
  );
  expect(figure.references).toEqual([]);
  expect(figure.empty).toBe('These runs have no times of their iterations.');
});

test('differences omit the reference, whose line is zero, and state why there are none', () => {
  const { series, references } = makeDifferenceFigure({ ...overlay, reference: '0' }, getLook);
  expect(series).toEqual([
    { name: 'pbil', paletteIndex: 1, shape: 'step', x: overlay.x, y: [null, -3, -3, -1] },
  ]);
  expect(references).toEqual([{ label: 'reference', value: 0 }]);
  const { empty } = makeDifferenceFigure({ ...overlay, reference: '0', traces: [] }, getLook);
  expect(empty).toBe('The reference itself has no curve over this axis.');
});

test('a series that the response does not contain yet is shown as not loaded, not as missing', () => {
  const emptyOf = (series: { key: string; values: number[][] }[]) =>
    makeStoredSeriesFigure(
      { by: 'evaluations', runs: [], series },
      'entropy',
      { title: 'entropy' },
      getLook,
    ).empty;
  expect(emptyOf([])).toBe('This series is not loaded yet.');
  expect(emptyOf([{ key: 'entropy', values: [] }])).toBe(
    'None of these runs has such numbers over this axis.',
  );
});
