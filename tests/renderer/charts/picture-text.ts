import type { Data } from 'plotly.js-dist-min';
import type { Picture, Setting } from '#renderer/charts/picture.ts';
import { svgText } from '#renderer/charts/svg.ts';
import { themeFrom } from '#renderer/charts/theme.ts';

/** A theme whose colours are the names of their variables. */
export const namedTheme = themeFrom((name) => (name === '--band' ? '0.2' : name), 13);

/** A picture of 500 × 300 pixels with everything shown on linear axes, but for what is said otherwise. */
export function setting(chosen: Partial<Setting> = {}): Setting {
  return {
    theme: namedTheme,
    scales: { x: 'linear', y: 'linear' },
    view: {},
    hidden: new Set(),
    drag: 'zoom',
    colorRange: {},
    size: { width: 500, height: 300 },
    ...chosen,
  };
}

/** A picture in lines to read: both axes with their ticks, each trace, lines and labels. */
export function pictureText({ drawing, ranges }: Picture): string[] {
  if (drawing.by === 'svg') return svgText(drawing.node).replaceAll('><', '>\n<').split('\n');
  const { xaxis, yaxis, shapes = [], annotations = [] } = drawing.layout;
  return [
    `x ${ranges.x.map(short).join(' to ')}: ${(xaxis?.ticktext ?? []).join(' | ')}`,
    `y ${ranges.y.map(short).join(' to ')}: ${(yaxis?.ticktext ?? []).join(' | ')}`,
    ...drawing.data.map(traceText),
    ...shapes.map(({ y0 }) => `line at ${short(y0)}`),
    ...annotations.map(({ text }) => `label ${text}`),
  ];
}

function traceText(trace: Data): string {
  const {
    type,
    name = '',
    mode = '',
    x,
    y,
  } = trace as { mode?: string } & Data & {
      x?: unknown;
      y?: unknown;
    };
  return `${type} ${mode} ${name}: ${listText(x)} / ${listText(y)}`.replaceAll(/ +/g, ' ');
}

function listText(values: unknown): string {
  const list = Array.isArray(values) ? values.map(short) : [];
  return list.length > 8 ? `${list.slice(0, 4).join(' ')} … ${list.at(-1)}` : list.join(' ');
}

function short(value: unknown): string {
  return typeof value === 'number' ? String(Number(value.toPrecision(4))) : String(value);
}
