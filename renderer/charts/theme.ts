import { createSignal, onCleanup, onMount, type Accessor } from 'solid-js';

/** What a picture takes from the paletteIndex sheet. */
export interface ChartTheme {
  font: string;
  text: string;
  muted: string;
  surface: string;
  grid: string;
  axis: string;
  accent: string;
  /** Opacity of a band, 0 to 1. */
  bandOpacity: number;
  /** Colours of the palette, told apart by colour-blind eyes as far as eight can be. */
  series: readonly string[];
}

const seriesCount = 8;

/** Lines that differ without colour, in the order of the palette; one more turn of both gives 64 pairs. */
export const dashes = [
  'solid',
  'dash',
  'dot',
  'dashdot',
  'longdash',
  'longdashdot',
  '2px 2px',
  '12px 3px 2px 3px',
] as const;

/** Marks that differ without colour, in the order of the palette. */
export const markers = [
  'circle',
  'square',
  'diamond',
  'triangle-up',
  'cross',
  'x',
  'triangle-down',
  'star',
] as const;

/** Looks of a series by its place in the palette; places beyond the last begin anew. */
export function seriesLook(theme: ChartTheme, paletteIndex: number) {
  const at = <Look>(looks: readonly Look[]): Look => looks[paletteIndex % looks.length] as Look;
  return { color: at(theme.series), dash: at(dashes), marker: at(markers) };
}

/** A colour "#rrggbb" with an opacity, as "rgba(…)"; any other notation is handed back as it is. */
export function withOpacity(color: string, opacity: number): string {
  const match = /^#([0-9a-f]{2})([0-9a-f]{2})([0-9a-f]{2})$/i.exec(color);
  if (!match) return color;
  const channels = match.slice(1).map((pair) => Number.parseInt(pair, 16));
  return `rgba(${channels.join(', ')}, ${opacity})`;
}

/** The chart theme in a set of style properties; `read` gives the value of a CSS variable. */
export function themeFrom(read: (name: string) => string): ChartTheme {
  return {
    font: read('--sans'),
    text: read('--text'),
    muted: read('--muted'),
    surface: read('--surface'),
    grid: read('--grid'),
    axis: read('--axis'),
    accent: read('--accent'),
    bandOpacity: Number(read('--band')) || 0.16,
    series: Array.from({ length: seriesCount }, (_, index) => read(`--series-${index + 1}`)),
  };
}

function currentTheme(): ChartTheme {
  const style = getComputedStyle(document.documentElement);
  return themeFrom((name) => style.getPropertyValue(name).trim());
}

/** The theme of the page, read anew whenever the page or the system changes between light and dark. */
export function createChartTheme(): Accessor<ChartTheme> {
  const [theme, setTheme] = createSignal(currentTheme());
  onMount(() => {
    const refresh = () => setTheme(currentTheme());
    const observer = new MutationObserver(refresh);
    observer.observe(document.documentElement, {
      attributeFilter: ['data-theme', 'class', 'style'],
    });
    const systemTheme = matchMedia('(prefers-color-scheme: dark)');
    systemTheme.addEventListener('change', refresh);
    onCleanup(() => {
      observer.disconnect();
      systemTheme.removeEventListener('change', refresh);
    });
  });
  return theme;
}
