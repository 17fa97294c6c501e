/**
 * Looks of the series of a picture in addition to their colours `--series-1`, `--series-2` …, in the same order: dashes
 * as SVG writes them, the name of a symbol and its path on a 12 × 12 grid.
 */
const looks = [
  ['', 'circle', 'M6 2a4 4 0 1 0 0 8a4 4 0 1 0 0-8'],
  ['7 4', 'square', 'M2.5 2.5h7v7h-7z'],
  ['2 3', 'diamond', 'M6 1 11 6 6 11 1 6z'],
  ['7 3 2 3', 'triangle-up', 'M6 2 10.5 10h-9z'],
  ['11 4', 'cross', 'M4.5 1.5h3v3h3v3h-3v3h-3v-3h-3v-3h3z'],
  ['11 3 2 3', 'x', 'M3 1.5 6 4.5l3-3L10.5 3l-3 3 3 3L9 10.5l-3-3-3 3L1.5 9l3-3-3-3z'],
  ['2 2', 'triangle-down', 'M6 10 1.5 2h9z'],
  ['10 3 2 3', 'star', 'M6 1l1.5 3.3 3.5.4-2.6 2.4.7 3.6L6 8.9l-3.1 1.8.7-3.6L1 4.7l3.5-.4z'],
] as const;

/** Names of the palette's colours in the style sheet. */
export const paletteVariables: readonly string[] = looks.map((_, place) => `--series-${place + 1}`);

/** The variable of the colour of series that are not emphasised. */
export const restVariable = '--series-rest';

/** Place of the series that are grey behind the emphasised ones, where there are more series than colours. */
export const restIndex = -1;

/** Number of colours. */
export const paletteSize = looks.length;

/**
 * Returns dash, symbol and mark at a place of the palette. Beyond the last place the colours start again, each with
 * another dash and mark.
 */
export function getPaletteLook(paletteIndex: number) {
  if (paletteIndex === restIndex) return { stroke: '', symbol: looks[0][1], mark: looks[0][2] };
  const shift = Math.floor(paletteIndex / looks.length);
  const [stroke, symbol, mark] = looks[(paletteIndex + shift) % looks.length] ?? looks[0];
  return { stroke, symbol, mark };
}

/** Returns the colour of a place of the palette, for style attributes. */
export function getPaletteColor(paletteIndex: number): string {
  if (paletteIndex === restIndex) return `var(${restVariable})`;
  return `var(${paletteVariables[paletteIndex % looks.length]})`;
}

/** The viridis colours of a heat map, which are perceptually uniform, with their places between 0 and 1. */
export const heatColors: readonly (readonly [place: number, color: string])[] = [
  '#440154',
  '#48186a',
  '#472d7b',
  '#424086',
  '#3b528b',
  '#33638d',
  '#2c728e',
  '#26828e',
  '#21918c',
  '#1fa088',
  '#28ae80',
  '#3fbc73',
  '#5ec962',
  '#84d44b',
  '#addc30',
  '#d8e219',
  '#fde725',
].map((color, index, all) => [index === all.length - 1 ? 1 : (16 * index) / 255, color]);

/** Returns the heat map colour at a place between 0 and 1 in 256 steps, as "#rrggbb"; the nearer end outside. */
export function getHeatColor(place: number): string {
  const inside = Math.round(Math.min(Math.max(place, 0), 1) * 255) / 255;
  const next = Math.max(
    1,
    heatColors.findIndex(([at]) => at >= inside),
  );
  const [from, low] = heatColors[next - 1] ?? [0, '#000000'];
  const [to, high] = heatColors[next] ?? [1, '#000000'];
  const share = (inside - from) / (to - from);
  const channel = (start: number): string => {
    const [one, other] = [low, high].map((color) =>
      Number.parseInt(color.slice(start, start + 2), 16),
    );
    const mixed = (one ?? 0) + share * ((other ?? 0) - (one ?? 0));
    return Math.round(mixed).toString(16).padStart(2, '0');
  };
  return `#${channel(1)}${channel(3)}${channel(5)}`;
}
