import { expect, test } from 'vitest';
import { getAdaptiveTimeline } from '#renderer/charts/figures/adaptive-timeline.ts';
import { sampleActions } from '#renderer/pages/gallery/sample-data.ts';

test('is the same picture for the same actions', () => {
  expect(getAdaptiveTimeline(sampleActions())).toMatchSnapshot();
});

test('puts actions in order of iterations, each on the row of its trigger, with its reason', () => {
  const action = (iteration: number, trigger: string) => ({
    iteration,
    trigger,
    actionType: 'restart',
    reason: `because ${iteration}`,
  });
  const figure = getAdaptiveTimeline([action(9, 'stagnation'), action(2, 'collapse')]);
  expect(figure.y.categories).toEqual(['collapse', 'stagnation']);
  expect(figure.series).toEqual([
    {
      name: 'restart',
      x: [2, 9],
      y: [0, 1],
      shape: 'points',
      paletteIndex: 0,
      hoverNotes: ['because 2', 'because 9'],
    },
  ]);
});

test('shows that a run has no actions', () => {
  expect(getAdaptiveTimeline([])).toMatchObject({
    series: [],
    empty: 'This run has no adaptive actions.',
  });
});
