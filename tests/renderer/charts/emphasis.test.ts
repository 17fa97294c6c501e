import { describe, expect, test } from 'vitest';
import { getEmphasised, getPlacesOfEmphasised, toggleName } from '#renderer/charts/emphasis.ts';
import { readScene } from '#renderer/charts/reading.ts';
import { getThinMarks, makeDrawableMarks } from '#renderer/charts/drawable.ts';
import type { BoxFigure, LineFigure } from '#renderer/charts/figure.ts';
import { getPicture, getPixel, getShortNames } from '#renderer/charts/layout.ts';
import { paletteSize, restIndex } from '#renderer/charts/palette.ts';
import { makePlotlyDrawing } from '#renderer/charts/plotly.ts';
import { getScene } from '#renderer/charts/scenes.ts';
import { readTheme } from '#renderer/charts/theme.ts';
import { getTextWidth } from '#renderer/charts/ticks.ts';

const names = (count: number) =>
  Array.from({ length: count }, (_, index) => `umda-variant-${index}`);

describe('getEmphasised', () => {
  test('emphasises none of up to eight series, because each has its own colour', () => {
    expect(getEmphasised(names(8), names(8), ['umda-variant-1'])).toBeNull();
  });

  test('emphasises the five best of more series until some are chosen', () => {
    const best = names(30).toReversed();
    expect(getEmphasised(names(30), best, [])).toEqual(best.slice(0, 5));
    expect(getEmphasised(names(30), best, ['umda-variant-3', 'gone'])).toEqual(['umda-variant-3']);
    expect(getEmphasised(names(30), best, ['gone'])).toEqual(best.slice(0, 5));
  });
});

describe('toggleName', () => {
  test('adds and removes a name', () => {
    expect(toggleName(['a', 'b'], 'c')).toEqual(['a', 'b', 'c']);
    expect(toggleName(['a', 'b'], 'a')).toEqual(['b']);
  });

  test('removes the first one where there would be more than colours', () => {
    const eight = names(8);
    expect(toggleName(eight, 'c')).toEqual([...eight.slice(1), 'c']);
  });
});

describe('getPlacesOfEmphasised', () => {
  test('returns different colours for the emphasised names, and none for the others', () => {
    const all = names(30);
    const emphasis = [all[0]!, all[8]!, all[16]!, all[3]!];
    const places = getPlacesOfEmphasised(all, emphasis);
    expect(emphasis.map((name) => places.get(name))).toEqual([0, 1, 2, 3]);
    expect([...places.values()].filter((place) => place === restIndex)).toHaveLength(26);
  });

  test('keeps the colours of the others when one is removed that shares no place', () => {
    const all = names(30);
    const places = getPlacesOfEmphasised(all, [all[1]!, all[12]!]);
    expect(places.get(all[12]!)).toBe(getPlacesOfEmphasised(all, [all[12]!]).get(all[12]!));
  });
});

/** Thirty curves that end close together, five of them emphasised. */
const figure: LineFigure = {
  kind: 'lines',
  x: { title: 'evaluations' },
  y: { title: 'best so far' },
  series: names(30).map((name, index) => ({
    name,
    x: [0, 100],
    y: [50, 10 + index / 10],
    shape: 'line',
    paletteIndex: index < 5 ? index : restIndex,
    band: { name: `${name}, quartiles`, lower: [49, 9], upper: [51, 12] },
  })),
  references: [],
  empty: 'nothing',
};
const choice = {
  scales: { x: 'linear', y: 'linear' },
  view: {},
  hidden: new Set<string>(),
  colorRange: {},
} as const;
const scene = getScene(figure, choice);
const theme = readTheme(() => '#123456', 13);

describe('a picture of thirty curves', () => {
  const picture = getPicture(scene, theme, { width: 500, height: 280 });

  test('names the emphasised ones at their ends, without overlaps and inside the picture', () => {
    const { labels, area } = picture;
    expect(labels.map(({ text }) => text).toSorted()).toEqual(['…0', '…1', '…2', '…3', '…4']);
    const tops = labels.map(({ top }) => top).sort((a, b) => a - b);
    for (const [index, top] of tops.entries()) {
      if (index > 0) expect(top - tops[index - 1]!).toBeGreaterThanOrEqual(11);
      expect(top).toBeGreaterThanOrEqual(area.top);
      expect(top).toBeLessThanOrEqual(area.top + area.height);
    }
    expect(Math.min(...labels.map(({ left }) => left))).toBeGreaterThan(area.left + area.width);
    expect(area.width).toBeGreaterThan(250);
  });

  test('draws the others behind, without bands', () => {
    const drawn = makeDrawableMarks(scene, { points: 100, width: 400 });
    const series = drawn.flatMap((mark) => (mark.type === 'curve' ? [mark.paletteIndex] : []));
    expect(series).toEqual([...Array.from({ length: 25 }, () => restIndex), 0, 1, 2, 3, 4]);
    expect(drawn.filter(({ type }) => type === 'band')).toHaveLength(5);
  });

  test('has the lines of the others on one canvas, not as elements of the page', () => {
    const [lines, ...more] = getThinMarks(scene, { points: 100, width: 400 });
    expect(more).toEqual([]);
    expect(lines?.paletteIndex).toBe(restIndex);
    expect(lines?.runs).toHaveLength(25);
    expect(lines?.runs[0]).toEqual({ name: 'umda-variant-5', x: [0, 100], y: [50, 10.5] });
    const { data } = makePlotlyDrawing(picture);
    expect(data).toHaveLength(5 * 3);
    const without = { ...scene, hidden: new Set(['umda-variant-5']) };
    expect(getThinMarks(without, { points: 100, width: 400 })[0]?.runs).toHaveLength(24);
  });

  test('has the symbols of the others as one trace of each kind', () => {
    const series = figure.series.map(({ band: _band, ...one }) => ({ ...one, crossAt: 50 }));
    const crosses = getScene({ ...figure, series }, choice);
    const drawing = makePlotlyDrawing(getPicture(crosses, theme, { width: 500, height: 280 }));
    expect(drawing.data).toHaveLength(5 * 2 + 1);
    expect(drawing.data[0]).toMatchObject({ x: Array.from({ length: 25 }, () => 50) });
  });

  test('reads the emphasised values, and the range of the others', () => {
    const { rows } = readScene(scene, { x: 100 });
    expect(rows).toHaveLength(6);
    expect(rows.at(-1)).toMatchObject({ name: '25 more', text: '10.5 to 12.9' });
  });

  test('has no such labels where each series has a colour', () => {
    const few = {
      ...figure,
      series: figure.series
        .slice(0, paletteSize)
        .map((one, paletteIndex) => ({ ...one, paletteIndex })),
    };
    expect(getPicture(getScene(few, choice), theme, { width: 500, height: 280 }).labels).toEqual(
      [],
    );
  });
});

test('names the emphasised of thirty boxes where they cover no box', () => {
  const boxes: BoxFigure = {
    kind: 'boxes',
    x: { title: '' },
    y: { title: 'best fitness' },
    boxes: names(30).map((name, index) => ({
      name,
      paletteIndex: index < 5 ? index : restIndex,
      shape: {
        n: 5,
        whiskerLow: 10 + index,
        q1: 11 + index,
        median: 12 + index,
        mean: 12 + index,
        q3: 13 + index,
        whiskerHigh: 14 + index,
      },
      values: [],
    })),
    references: [],
    empty: 'nothing',
  };
  const drawnScene = getScene(boxes, choice);
  const picture = getPicture(drawnScene, theme, { width: 500, height: 350 });
  expect(picture.labels).toHaveLength(5);
  for (const { text, left, top } of picture.labels) {
    const right = left + getTextWidth(text, 11);
    for (const [index, box] of boxes.boxes.entries()) {
      const at = getPixel(picture, 'x', index);
      const [upper, lower] = [box.shape.whiskerHigh, box.shape.whiskerLow].map((value) =>
        getPixel(picture, 'y', value ?? NaN),
      );
      const isBeside = at < left || at > right;
      const isAboveOrBelow = top + 15 <= upper! || top >= lower!;
      expect(isBeside || isAboveOrBelow, `${text} and ${box.name}`).toBe(true);
    }
  }
});

describe('getShortNames', () => {
  test('replaces the words that all names begin with by an ellipsis', () => {
    expect(getShortNames(['umda-elite-10', 'umda-elite-2'])).toEqual(['…10', '…2']);
  });

  test('keeps names that share little, and a name that is alone', () => {
    expect(getShortNames(['umda', 'umpl'])).toEqual(['umda', 'umpl']);
    expect(getShortNames(['umda-elite-10'])).toEqual(['umda-elite-10']);
    expect(getShortNames([])).toEqual([]);
  });
});
