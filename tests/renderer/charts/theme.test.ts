import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { getSeriesLook, readTheme, addOpacity } from '#renderer/charts/theme.ts';

const tokens = readFileSync(
  fileURLToPath(new URL('../../../renderer/public/tokens.css', import.meta.url)),
  'utf8',
);

test('the tokens define every value of a theme', () => {
  const names: string[] = [];
  readTheme((name) => {
    names.push(name);
    return '';
  }, 13);
  expect(names).toHaveLength(17);
  expect(names.filter((name) => !new RegExp(`${name}\\s*:`).test(tokens))).toEqual([]);
});

describe('getSeriesLook', () => {
  const theme = readTheme((name) => name, 13);

  test('distinguishes eight series by colour, and without colour by dash and by marker', () => {
    const looks = Array.from({ length: 8 }, (_, paletteIndex) =>
      getSeriesLook(theme, paletteIndex),
    );
    for (const feature of ['color', 'dashes', 'symbol'] as const) {
      expect(new Set(looks.map((look) => String(look[feature]))).size).toBe(8);
    }
  });

  test('scales dashes with the width of the lines on every screen size', () => {
    const large = readTheme((name) => name, 26);
    expect(getSeriesLook(theme, 3).dashes).toEqual([7, 3, 2, 3]);
    expect(getSeriesLook(large, 3).dashes).toEqual([14, 6, 4, 6]);
    expect(getSeriesLook(large, 0).dashes).toEqual([]);
  });

  test('repeats the colours after the last place of the palette, with other dashes', () => {
    const looks = Array.from({ length: 64 }, (_, place) => getSeriesLook(theme, place));
    expect(looks[8]?.color).toBe(looks[0]?.color);
    expect(new Set(looks.map((look) => JSON.stringify(look))).size).toBe(64);
  });
});

test('an opacity is added to a hexadecimal colour, other notations stay', () => {
  expect(addOpacity('#0b7285', 0.16)).toBe('rgba(11, 114, 133, 0.16)');
  expect(addOpacity('#0b7', 0.5)).toBe('rgba(0, 187, 119, 0.5)');
  expect(addOpacity('teal', 0.16)).toBe('teal');
});
