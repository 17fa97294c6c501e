import { describe, expect, test } from 'vitest';
import { formatTrend } from '#renderer/pages/run/inside/format-trend.ts';
import { makeModelEntries, makeThinningNotes } from '#renderer/pages/run/inside/insight-entries.ts';
import { getPositionDistribution } from '#renderer/pages/run/inside/position-distribution.ts';
import {
  makeSmallMultiples,
  makeTelemetryEntries,
} from '#renderer/pages/run/inside/telemetry-entries.ts';
import {
  diversitySpecs,
  driftSpecs,
  insightSpecs,
} from '#renderer/features/runs/telemetry-specs.ts';
import { makeChosenRows } from '#renderer/pages/run/inside/chosen-rows.ts';
import { sampleInsights } from '#tests/renderer/charts/figures/insights-sample.ts';

describe('the charts of a family', () => {
  test('have unique ids and a description', () => {
    for (const specs of [diversitySpecs, driftSpecs, insightSpecs].flatMap(Object.values)) {
      const ids = specs.map(({ id }: { id: string }) => id);
      expect(new Set(ids).size).toBe(ids.length);
      for (const { sentence } of specs) expect(sentence).toMatch(/^[A-Z].{20,}[^.]$/);
    }
  });

  test('omit series without values', () => {
    const entries = makeTelemetryEntries(sampleInsights(0, 3), [], diversitySpecs.binary);
    expect(entries.map(({ id }) => id)).toEqual(['unique']);
  });

  test('show each number of a model that changes; the others are named', () => {
    const insights = sampleInsights(0, 3, {
      model: { step: [null, 1, 1, 1], sigma: [1, 2, 3, 4] },
      series: { best: [1, 2, 3, 4], spread: [1, 2, 3, 4] },
    });
    const options = { hasMetrics: true, drawnKeys: new Set<string>() };
    const { entries, constants } = makeSmallMultiples(insights, [], options);
    expect(entries.map(({ id }) => id)).toEqual(['sigma', 'spread']);
    expect(constants).toEqual(['step']);
    const drawn = { hasMetrics: false, drawnKeys: new Set(['sigma']) };
    expect(makeSmallMultiples(insights, [], drawn).entries).toEqual([]);
  });

  test('draw eigenvalues, and maps whose key they know', () => {
    expect(makeModelEntries(sampleInsights(0, 3)).map(({ id }) => id)).toEqual(['eigenvalues']);
  });
});

test('a thinned map states which values it omits', () => {
  const [map] = sampleInsights(0, 3).heatmaps;
  expect(makeThinningNotes({ ...map!, thinnedRows: 5000, thinnedColumns: 900 })).toEqual([
    '3 evenly spaced bits of 5000.',
    '4 evenly spaced iterations of 900.',
  ]);
  expect(makeThinningNotes(map!)).toEqual([]);
});

test('rows are chosen by their names; unknown names, repeated names and those beyond eight are ignored', () => {
  const rows = ['0', '2', '4', '6', '8', '10', '12', '14', '16', '18'];
  expect(makeChosenRows({ rows }, '4, 0;4 17 x')).toEqual([2, 0]);
  expect(makeChosenRows({ rows }, rows.join(' '))).toHaveLength(8);
  expect(makeChosenRows({ rows }, '')).toEqual([]);
});

test('a trend has its sign', () => {
  expect([0.05, -0.05, 0, null].map(formatTrend)).toEqual([
    '+5.0\u2009%',
    '−5.0\u2009%',
    '0.0\u2009%',
    '–',
  ]);
});

describe('positionDistribution', () => {
  const json = (distribution: unknown): string =>
    JSON.stringify({ latentTelemetry: { insights: { positionDistribution: distribution } } });

  test('reads rows of shares, with null for invalid values', () => {
    expect(
      getPositionDistribution(
        json([
          [0.5, 'NaN'],
          [null, 1],
        ]),
      ),
    ).toEqual([
      [0.5, null],
      [null, 1],
    ]);
  });

  test('is empty for other values', () => {
    for (const odd of [null, '{', '[]', 'null', '{"latentTelemetry":7}', json('x'), json(null)]) {
      expect(getPositionDistribution(odd)).toEqual([]);
    }
    expect(getPositionDistribution(json([1, 2]))).toEqual([[], []]);
  });
});
