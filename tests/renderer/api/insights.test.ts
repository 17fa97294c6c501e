import { describe, expect, test } from 'vitest';
import { appendInsights } from '#renderer/api/insights.ts';
import { sampleInsights } from '#tests/renderer/charts/figures/insights-sample.ts';

describe('appendInsights', () => {
  test('returns the same as one response for all iterations', () => {
    expect(appendInsights(sampleInsights(0, 3), sampleInsights(3, 5))).toEqual(
      sampleInsights(0, 5),
    );
  });

  test('keeps the newest relations while the new iterations have none', () => {
    const edges = [{ iteration: 2, i: 0, j: 1, weight: 0.1, correlation: 0.2 }];
    const cached = sampleInsights(0, 3, { edges });
    expect(appendInsights(cached, sampleInsights(3, 4))?.edges).toEqual(edges);
  });

  test('returns the same arrays without new iterations, with the newest diagnosis', () => {
    const cached = sampleInsights(0, 3);
    const next = appendInsights(cached, sampleInsights(3, 3));
    expect(next?.heatmaps).toBe(cached.heatmaps);
    expect(next?.series).toBe(cached.series);
  });

  test('fills series that begin or end meanwhile with null', () => {
    const fresh = sampleInsights(3, 4, { model: { kappa: [7, 8] } });
    expect(appendInsights(sampleInsights(0, 3), fresh)?.model).toEqual({
      step: [null, 0.5, 0.5, 0.5, null],
      kappa: [null, null, null, null, 8],
    });
  });

  test('reads all iterations again if the last one was rewritten, if rows differ, or if values are thinned', () => {
    const cached = sampleInsights(0, 3);
    const changed = sampleInsights(3, 4, { series: { diversity: [0, 0] } });
    expect(appendInsights(cached, changed)).toBeNull();
    expect(appendInsights(cached, sampleInsights(4, 5))).toBeNull();
    expect(appendInsights(cached, sampleInsights(3, 4, { thinnedIterations: 9000 }))).toBeNull();
    const [map] = sampleInsights(3, 4).heatmaps;
    const other = { ...map!, rows: ['0', '1', '5'] };
    expect(appendInsights(cached, sampleInsights(3, 4, { heatmaps: [other] }))).toBeNull();
    expect(appendInsights(sampleInsights(0, 399), sampleInsights(399, 400))).toBeNull();
  });
});
