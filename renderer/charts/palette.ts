/**
 * What tells the series of a picture apart beside their colour `--series-1`, `--series-2` …, in the order in which they
 * are given away: dashes as SVG writes them, marks as Plotly names them and as a path on a 12 × 12 grid.
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

/**
 * Dash, symbol and mark at a place of the palette. Beyond the last the colours begin anew, each with another dash and
 * mark than before.
 */
export function lookAt(paletteIndex: number) {
  const shift = Math.floor(paletteIndex / looks.length);
  const [stroke, symbol, mark] = looks[(paletteIndex + shift) % looks.length] ?? looks[0];
  return { stroke, symbol, mark };
}

/** The colour of a place of the palette, for style attributes. */
export function paletteColor(paletteIndex: number): string {
  return `var(${paletteVariables[paletteIndex % looks.length]})`;
}
