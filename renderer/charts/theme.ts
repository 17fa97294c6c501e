import { createSignal, onCleanup, onMount, type Accessor } from 'solid-js';
import { useEvent } from '#renderer/state/use-event.ts';
import { getPaletteLook, paletteVariables, restIndex, restVariable } from './palette.ts';

/** Values of a chart that come from the stylesheet. */
export interface ChartTheme {
  font: string;
  /** Size of the page's text in pixels; that of ticks, titles and labels follows from it. */
  textPixels: number;
  text: string;
  muted: string;
  surface: string;
  grid: string;
  axis: string;
  accent: string;
  /** Opacity of a band, 0 to 1. */
  bandOpacity: number;
  /** Colours of the palette, as distinguishable for colour-blind readers as eight colours can be. */
  series: readonly string[];
  /** Colour of the series that are not emphasised. */
  rest: string;
}

/** Text size for which the heights of charts are given, in pixels. */
export const usualTextPixels = 13;

/** Sizes of text in pixels, in the proportions of the style sheet. */
export function getTextSizes({ textPixels }: ChartTheme): { tick: number; title: number } {
  return {
    tick: (textPixels * 11) / usualTextPixels,
    title: (textPixels * 12) / usualTextPixels,
  };
}

/** Thickness of lines and symbols relative to a screen of usual size. */
export function getThickness({ textPixels }: ChartTheme): number {
  return textPixels / usualTextPixels;
}

/** Colour, width of the line, dashes in pixels and symbol of a series; width and dashes grow with the text. */
export function getSeriesLook(theme: ChartTheme, paletteIndex: number) {
  const { stroke, symbol, mark } = getPaletteLook(paletteIndex);
  const dashes = stroke
    .split(' ')
    .filter(Boolean)
    .map((length) => Math.round(Number(length) * getThickness(theme) * 10) / 10);
  const isRest = paletteIndex === restIndex;
  return {
    color: isRest ? theme.rest : (theme.series[paletteIndex % theme.series.length] ?? theme.text),
    width: (isRest ? 1 : 2) * getThickness(theme),
    dashes,
    symbol,
    mark,
  };
}

/** Colour of a text over a picture: that of its series, or muted. */
export function getLabelColor(theme: ChartTheme, paletteIndex: number | undefined): string {
  return paletteIndex === undefined ? theme.muted : getSeriesLook(theme, paletteIndex).color;
}

/** Returns a colour "#rrggbb" or "#rgb" with an opacity, as "rgba(…)"; any other notation unchanged. */
export function addOpacity(color: string, opacity: number): string {
  const match = /^#(..?)(..?)(..?)$/.exec(color);
  if (!match || color.length % 3 !== 1) return color;
  const channels = match.slice(1).map((digits) => Number.parseInt(digits.padEnd(2, digits), 16));
  return `rgba(${channels.join(', ')}, ${opacity})`;
}

/** Returns the chart theme of a set of style properties; `read` returns the value of a CSS variable. */
export function readTheme(read: (name: string) => string, textPixels: number): ChartTheme {
  return {
    font: read('--sans'),
    textPixels,
    text: read('--text'),
    muted: read('--muted'),
    surface: read('--surface'),
    grid: read('--grid'),
    axis: read('--axis'),
    accent: read('--accent'),
    bandOpacity: Number(read('--band')) || 0.16,
    series: paletteVariables.map(read),
    rest: read(restVariable),
  };
}

/** Returns the current theme of the page. */
export function getCurrentTheme(): ChartTheme {
  const style = getComputedStyle(document.documentElement);
  return readTheme(
    (name) => style.getPropertyValue(name).trim(),
    Number.parseFloat(style.fontSize) || usualTextPixels,
  );
}

/** Returns the light theme, which exported charts use in dark pages too. */
export function getLightTheme(): ChartTheme {
  const root = document.documentElement;
  const before = root.dataset['theme'];
  root.dataset['theme'] = 'light';
  const theme = getCurrentTheme();
  if (before === undefined) delete root.dataset['theme'];
  else root.dataset['theme'] = before;
  return theme;
}

/**
 * Creates the theme of the page, which follows changes of the page and the system between light and dark, and in size.
 */
export function createChartTheme(): Accessor<ChartTheme> {
  const [theme, setTheme] = createSignal(getCurrentTheme(), {
    equals: (one, other) => JSON.stringify(one) === JSON.stringify(other),
  });
  onMount(() => {
    const refresh = () => setTheme(getCurrentTheme());
    const observer = new MutationObserver(refresh);
    observer.observe(document.documentElement, {
      attributeFilter: ['data-theme', 'class', 'style'],
    });
    useEvent('change', refresh, matchMedia('(prefers-color-scheme: dark)'));
    useEvent('resize', refresh, window);
    onCleanup(() => observer.disconnect());
  });
  return theme;
}

/** Opacities of marks that are not opaque. */
export const looks = {
  runOpacity: 0.35,
  barOpacity: 0.55,
  boxOpacity: 0.16,
  valueOpacity: 0.65,
  areaOpacity: 0.1,
  areaEdgeOpacity: 0.5,
};

/** Dashes of the mean in a box, as SVG writes them. */
export const boxMean = '3 2';
