/**
 * What tells the series of a picture apart, with colour (of the style sheet) and without: dashes as Plotly names them
 * and as SVG writes them, marks as Plotly names them and as a path on a 12 × 12 grid. In the order in which they are
 * given away.
 */
const looks = [
  {
    variable: '--series-1',
    dash: 'solid',
    stroke: '',
    symbol: 'circle',
    mark: 'M6 2a4 4 0 1 0 0 8a4 4 0 1 0 0-8',
  },
  {
    variable: '--series-2',
    dash: 'dash',
    stroke: '7 4',
    symbol: 'square',
    mark: 'M2.5 2.5h7v7h-7z',
  },
  {
    variable: '--series-3',
    dash: 'dot',
    stroke: '2 3',
    symbol: 'diamond',
    mark: 'M6 1 11 6 6 11 1 6z',
  },
  {
    variable: '--series-4',
    dash: 'dashdot',
    stroke: '7 3 2 3',
    symbol: 'triangle-up',
    mark: 'M6 2 10.5 10h-9z',
  },
  {
    variable: '--series-5',
    dash: 'longdash',
    stroke: '11 4',
    symbol: 'cross',
    mark: 'M4.5 1.5h3v3h3v3h-3v3h-3v-3h-3v-3h3z',
  },
  {
    variable: '--series-6',
    dash: 'longdashdot',
    stroke: '11 3 2 3',
    symbol: 'x',
    mark: 'M3 1.5 6 4.5l3-3L10.5 3l-3 3 3 3L9 10.5l-3-3-3 3L1.5 9l3-3-3-3z',
  },
  {
    variable: '--series-7',
    dash: '2px 2px',
    stroke: '2 2',
    symbol: 'triangle-down',
    mark: 'M6 10 1.5 2h9z',
  },
  {
    variable: '--series-8',
    dash: '12px 3px 2px 3px',
    stroke: '10 3 2 3',
    symbol: 'star',
    mark: 'M6 1l1.5 3.3 3.5.4-2.6 2.4.7 3.6L6 8.9l-3.1 1.8.7-3.6L1 4.7l3.5-.4z',
  },
] as const;

type Look = (typeof looks)[number];

/** Names of the palette's colours in the style sheet. */
export const paletteVariables: readonly string[] = looks.map(({ variable }) => variable);

/** The look at a place of the palette; places beyond the last begin anew. */
export function lookAt(paletteIndex: number): Look {
  return looks[paletteIndex % looks.length] as Look;
}

/** The colour of a place of the palette, for style attributes. */
export function paletteColor(paletteIndex: number): string {
  return `var(${lookAt(paletteIndex).variable})`;
}
