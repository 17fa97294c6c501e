import { escapeLatex } from '#shared/latex-text.ts';
import { makeDrawableMarks, isThinned, getOutlines } from './drawable.ts';
import { isValue, type Cell } from './figure.ts';
import { getPaletteLook, restIndex } from './palette.ts';
import { makeRankNodes } from './rank-diagram.ts';
import {
  isShown,
  getLegendLabel,
  getMarks,
  type AreaMark,
  type BoxMark,
  type CurveMark,
  type Mark,
  type PointsMark,
  type RanksMark,
  type RuleMark,
  type RunsMark,
  type Scene,
  type SceneAxis,
} from './scene.ts';
import type { SvgNode } from './svg.ts';
import { looks, type ChartTheme } from './theme.ts';

/** Width of an exported picture: as on the screen, or as a column or the page of a journal. */
export type PictureWidth = 'screen' | '85 mm' | '178 mm';

/** The words around an exported picture. */
export interface PictureText {
  title: string;
  /** Description of the chart with its notes. */
  caption: string;
}

/** Error for a heat map, which has no LaTeX. */
export const noHeatMap =
  'A heat map cannot be exported for pgfplots: it has more cells than LaTeX can draw. Export it as SVG instead.';

/** Points that a curve keeps: more than a column of a journal can show, and no more than LaTeX has memory for. */
const mostPoints = 500;
/** Points that all single runs behind the curves keep together. */
const mostRunPoints = 3_000;

/** Approximate width of the area of the values, in pixels of a screen. */
const areaPixels: Readonly<Record<PictureWidth, number>> = {
  screen: 500,
  '85 mm': 260,
  '178 mm': 600,
};

/**
 * Returns a scene as a LaTeX figure that contains its data, with colours, dashes and symbols of the screen, title and
 * caption as its caption. It compiles where `pgfplots` is loaded; text is 7 points high at least. `theme` is the light
 * one. Null for a heat map.
 */
export function makeTexFile(
  scene: Scene,
  theme: ChartTheme,
  width: PictureWidth,
  { title, caption }: PictureText,
): string | null {
  if (getMarks(scene, 'cells').length > 0) return null;
  const marks = makeDrawableMarks(scene, {
    points: mostPoints,
    runPoints: mostRunPoints,
    width: areaPixels[width],
  });
  const [diagram] = getMarks(scene, 'ranks');
  return [
    '% Needs \\usepackage{pgfplots} and \\pgfplotsset{compat=1.16} before \\begin{document}.',
    ...(isThinned(scene, marks)
      ? ['% Long curves keep their extremes only; the CSV has all points.']
      : []),
    '\\begin{figure}[htbp]',
    '\\centering',
    ...makeColorLines(theme),
    '\\begin{tikzpicture}',
    ...(diagram ? makeDiagramLines(diagram, theme, width) : makeAxisLines(scene, marks, width)),
    '\\end{tikzpicture}',
    `\\caption{${escapeLatex(`${title}. ${caption}`)}}`,
    '\\end{figure}',
    '',
  ].join('\n');
}

function makeColorLines({ series, rest, muted, accent, grid, text }: ChartTheme): string[] {
  const named = { muted, accent, grid, text, rest };
  return [
    ...series.map((color, place) => makeColorLine(`series${place + 1}`, color)),
    ...Object.entries(named).map(([name, color]) => makeColorLine(`evo${name}`, color)),
  ];
}

/** Returns the definition of a colour; black for any text but "#rrggbb". */
function makeColorLine(name: string, color: string): string {
  const [, digits = '000000'] = /^#([0-9a-f]{6})$/i.exec(color) ?? [];
  return `\\definecolor{${name}}{HTML}{${digits.toUpperCase()}}`;
}

/** Sizes of text: 7 points at least in a document of 10 points. */
const fonts = { small: '\\fontsize{7}{8.5}\\selectfont', normal: '\\fontsize{8}{9.5}\\selectfont' };

const labelFont = `font=${fonts.small}`;

function makeAxisLines(scene: Scene, marks: readonly Mark[], width: PictureWidth): string[] {
  return [
    `\\begin{axis}[`,
    ...makeAxisOptions(scene, marks, width).map((one) => `  ${one},`),
    ']',
    ...marks.flatMap((mark) => makeMarkLines(mark, scene)),
    '\\end{axis}',
  ];
}

function makeAxisOptions(scene: Scene, marks: readonly Mark[], width: PictureWidth): string[] {
  const { x, y } = scene.axes;
  const length = width === 'screen' ? '\\linewidth' : width.replace(' ', '');
  const labels = marks.flatMap((mark) =>
    mark.type === 'curve' && mark.paletteIndex !== restIndex ? [getLegendLabel(mark)] : [],
  );
  return [
    `width=${length}`,
    `height=${width === '85 mm' ? '0.72' : '0.5'}*${length}`,
    `xlabel={${escapeLatex(x.label)}}`,
    `ylabel={${escapeLatex(y.label)}}`,
    ...(x.scale.kind === 'log' ? ['xmode=log'] : []),
    ...(y.scale.kind === 'log' ? ['ymode=log'] : []),
    `xmin=${formatNumber(x.scale.range[0])}, xmax=${formatNumber(x.scale.range[1])}`,
    `ymin=${formatNumber(y.scale.range[0])}, ymax=${formatNumber(y.scale.range[1])}`,
    'unbounded coords=jump, clip mode=individual, filter discard warning=false',
    'axis line style={evomuted}, tick style={evomuted}, tick align=outside, tick pos=left',
    'ymajorgrids, grid style={evogrid}',
    'scaled ticks=false, /pgf/number format/1000 sep={\\,}',
    `label style={font=${fonts.normal}}, tick label style={font=${fonts.small}}`,
    ...makeTickOptions('x', x),
    ...makeTickOptions('y', y),
    ...(labels.length > 0 ? makeLegendOptions(labels, width) : []),
  ];
}

/** Most names along an axis. */
const mostNames = 40;

function makeTickOptions(name: 'x' | 'y', { names, tickValues }: SceneAxis): string[] {
  if (tickValues) {
    return [`${name}tick={${tickValues.join(',')}}, ${name}ticklabels={${tickValues.join(',')}}`];
  }
  if (!names) return [];
  const step = Math.ceil(names.length / mostNames);
  const ticks = names
    .map((label, place) => ({ label, place }))
    .filter((_, index) => index % step === 0);
  const labels = ticks.map(({ label }) => `{${escapeLatex(label)}}`);
  const isCrowded = name === 'x' && names.length > 4;
  return [
    `${name}tick={${ticks.map(({ place }) => place).join(',')}}, ${name}ticklabels={${labels.join(',')}}`,
    ...(isCrowded ? ['x tick label style={rotate=35, anchor=north east}'] : []),
  ];
}

/** Options of a legend above the plot, as many columns as their texts have room for. */
function makeLegendOptions(labels: readonly string[], width: PictureWidth): string[] {
  const room = width === '85 mm' ? 44 : 92;
  const longest = Math.max(1, ...labels.map((label) => label.length + 5));
  const columns = Math.max(1, Math.min(labels.length, Math.floor(room / longest)));
  return [
    `legend style={at={(0,1.02)}, anchor=south west, draw=none, fill=none, font=${fonts.small}}`,
    `legend columns=${columns}, legend cell align=left`,
    '/tikz/every even column/.append style={column sep=6pt}',
  ];
}

function makeMarkLines(mark: Mark, scene: Scene): string[] {
  switch (mark.type) {
    case 'curve':
      return makeCurveLines(mark);
    case 'band': {
      const color = getColor(mark.paletteIndex);
      const look = `${color}, forget plot, draw=none, fill=${color}, fill opacity=0.16`;
      return getOutlines(mark).map(
        (outline) => `\\addplot[${look}] ${getCoordinates(outline)} -- cycle;`,
      );
    }
    case 'runs':
      return makeRunLines(mark);
    case 'points':
      return makePointLines(mark);
    case 'box':
      return isShown(scene, mark) ? makeBoxLines(mark) : [];
    case 'bars': {
      const color = getColor(mark.paletteIndex);
      const look = `${color}, fill=${color}, fill opacity=${looks.barOpacity}`;
      return mark.bins.map(
        ({ start, end, height }) =>
          `\\draw[${look}] ${formatPoint(start, 0)} rectangle ${formatPoint(end, height)};`,
      );
    }
    case 'rule':
      return makeRuleLines(mark, scene);
    case 'area':
      return makeAreaLines(mark, scene);
    default:
      return [];
  }
}

function makeCurveLines(mark: CurveMark): string[] {
  const { x, y, shape, paletteIndex, mode: drawn, symbolScale = 1, ...named } = mark;
  const symbols = `mark=${getSymbol(paletteIndex)}, mark size=${formatNumber(1.6 * symbolScale)}pt`;
  const isRest = paletteIndex === restIndex;
  const line = `${isRest ? 'thin' : 'thick'}, ${getDash(paletteIndex)}, ${shape === 'step' ? 'const plot' : 'sharp plot'}`;
  const look = {
    markers: `only marks, ${symbols}`,
    lines: `${line}, no marks`,
    'lines+markers': `${line}, ${symbols}, mark options=solid`,
  }[drawn];
  if (isRest)
    return [`\\addplot[${getColor(paletteIndex)}, forget plot, ${look}] ${makeTable(x, y)};`];
  return [
    `\\addplot[${getColor(paletteIndex)}, ${look}] ${makeTable(x, y)};`,
    `\\addlegendentry{${escapeLatex(getLegendLabel(named))}}`,
  ];
}

/** Single runs as one thin curve with gaps. */
function makeRunLines({ runs, paletteIndex, shape }: RunsMark): string[] {
  if (runs.length === 0) return [];
  const x = runs.flatMap((run) => [...run.x, run.x.at(-1) ?? 0]);
  const y = runs.flatMap((run) => [...run.y, null]);
  const steps = shape === 'step' ? ', const plot' : '';
  const look = `forget plot, very thin, opacity=${looks.runOpacity}, no marks${steps}`;
  return [`\\addplot[${getColor(paletteIndex)}, ${look}] ${makeTable(x, y)};`];
}

function makePointLines({ x, y, paletteIndex, symbol, symbolScale = 1 }: PointsMark): string[] {
  if (!y.some(isValue)) return [];
  const look = {
    series: `mark=${getSymbol(paletteIndex)}, mark size=1pt, opacity=${looks.valueOpacity}`,
    cross: 'mark=x, mark size=3pt, very thick',
    infinite: `mark=triangle, mark size=${formatNumber(2.4 * symbolScale)}pt`,
  }[symbol];
  return [
    `\\addplot[${getColor(paletteIndex)}, forget plot, only marks, ${look}] ${makeTable(x, y)};`,
  ];
}

function makeBoxLines({ at: place, width, shape, paletteIndex }: BoxMark): string[] {
  const { q1, median, q3, mean, whiskerLow, whiskerHigh } = shape;
  if (!isValue(q1) || !isValue(median) || !isValue(q3)) return [];
  const color = getColor(paletteIndex);
  const half = width / 2;
  const across = (y: number, reach: number) =>
    `${formatPoint(place - reach, y)} -- ${formatPoint(place + reach, y)}`;
  const whisker = (from: number, to: number) =>
    `\\draw[${color}] ${formatPoint(place, from)} -- ${formatPoint(place, to)} ${across(to, half / 2)};`;
  return [
    `\\draw[${color}, fill=${color}, fill opacity=${looks.boxOpacity}] ${formatPoint(place - half, q1)} rectangle ${formatPoint(place + half, q3)};`,
    `\\draw[${color}, thick] ${across(median, half)};`,
    ...(isValue(mean) ? [`\\draw[${color}, densely dashed] ${across(mean, half)};`] : []),
    whisker(q1, whiskerLow ?? q1),
    whisker(q3, whiskerHigh ?? q3),
  ];
}

/** A target: a dashed line with its label, as far as the axis has a place for it. */
function makeRuleLines({ label, value }: RuleMark, { axes }: Scene): string[] {
  const [start, end] = axes.x.scale.range;
  const { range, kind } = axes.y.scale;
  const text = `node[pos=0, above right, inner sep=1.5pt, evomuted, ${labelFont}]`;
  const across = (y: number) =>
    getCoordinates([
      [start, y],
      [end, y],
    ]);
  if (kind === 'log' && value <= 0) {
    const name = escapeLatex(`${label}, below a log axis`);
    return [`\\addplot[forget plot, draw=none] ${across(range[0])} ${text} {${name}};`];
  }
  if (value < Math.min(...range) || value > Math.max(...range)) return [];
  return [
    `\\addplot[forget plot, evomuted, densely dashed, no marks] ${across(value)} ${text} {${escapeLatex(label)}};`,
  ];
}

function makeAreaLines({ label, from, to }: AreaMark, { axes }: Scene): string[] {
  const [x, y] = [axes.x.scale.range, axes.y.scale.range];
  const [start, end] = [Math.max(from, x[0]), Math.min(to, x[1])];
  if (!(start <= end)) return [];
  const corners = getCoordinates([
    [start, y[0]],
    [start, y[1]],
    [end, y[1]],
    [end, y[0]],
  ]);
  return [
    `\\addplot[forget plot, draw=evoaccent, draw opacity=${looks.areaEdgeOpacity}, fill=evoaccent, fill opacity=${looks.areaOpacity}] ${corners} -- cycle;`,
    `\\node[anchor=north west, evomuted, ${labelFont}] at ${formatPoint(start, y[1])} {${escapeLatex(label)}};`,
  ];
}

const millimetres: Readonly<Record<PictureWidth, number>> = {
  screen: 120,
  '85 mm': 85,
  '178 mm': 178,
};
const pixelsPerMillimetre = 4.2;

/** A rank diagram: the lines and texts of the screen, in millimetres. */
function makeDiagramLines({ figure }: RanksMark, theme: ChartTheme, width: PictureWidth): string[] {
  const rows = 5 + Math.ceil(figure.ranks.length / 2) + figure.cliques.length / 2;
  const size = { width: millimetres[width] * pixelsPerMillimetre, height: rows * 22 };
  const named = {
    ...theme,
    series: theme.series.map((_, place) => getColor(place)),
    rest: 'evorest',
    text: 'evotext',
    muted: 'evomuted',
    axis: 'evomuted',
  };
  return makeRankNodes(figure, named, size).map((node) => makeNodeLine(node, size.height));
}

function makeNodeLine({ tag, attributes, text = '' }: SvgNode, height: number): string {
  const place = (x: string, y: string) => {
    const [left, top] = [Number(attributes[x]), Number(attributes[y])];
    return `(${formatNumber(left / pixelsPerMillimetre)}mm,${formatNumber((height - top) / pixelsPerMillimetre)}mm)`;
  };
  if (tag === 'text') {
    const anchor =
      { start: 'base west', middle: 'base', end: 'base east' }[String(attributes['text-anchor'])] ??
      'base';
    return `\\node[anchor=${anchor}, inner sep=0, ${String(attributes['fill'])}, ${labelFont}] at ${place('x', 'y')} {${escapeLatex(text)}};`;
  }
  const thickness = formatNumber(Number(attributes['stroke-width']) * 0.4);
  return `\\draw[${String(attributes['stroke'])}, line width=${thickness}pt] ${place('x1', 'y1')} -- ${place('x2', 'y2')};`;
}

const colors = 8;

/** The colour of a place of the palette. */
function getColor(paletteIndex: number): string {
  return paletteIndex === restIndex ? 'evorest' : `series${(paletteIndex % colors) + 1}`;
}

const symbolNames: Readonly<Record<string, string>> = {
  circle: '*',
  square: 'square*',
  diamond: 'diamond*',
  'triangle-up': 'triangle*',
  cross: '+',
  x: 'x',
  'triangle-down': 'triangle*, mark options={rotate=180}',
  star: 'star',
};

/** The symbol of a place of the palette. */
function getSymbol(paletteIndex: number): string {
  return symbolNames[getPaletteLook(paletteIndex).symbol] ?? '*';
}

/** The dashes of a place of the palette, as an option. */
function getDash(paletteIndex: number): string {
  const lengths = getPaletteLook(paletteIndex).stroke.split(' ').filter(Boolean);
  if (lengths.length === 0) return 'solid';
  const parts = lengths.map(
    (length, index) => `${index % 2 === 0 ? 'on' : 'off'} ${formatNumber(Number(length) * 0.6)}pt`,
  );
  return `dash pattern=${parts.join(' ')}`;
}

/** Returns points as the table of a plot, with a gap where there is no value. */
function makeTable(x: readonly number[], y: readonly Cell[]): string {
  const rows = x.map((place, index) => `${formatNumber(place)} ${formatNumber(y[index])}\\\\`);
  return `table[row sep=\\\\] {\n${rows.join('\n')}\n}`;
}

/** Points as coordinates. */
function getCoordinates(points: readonly (readonly [x: number, y: number])[]): string {
  return `coordinates {${points.map(([x, y]) => `(${formatNumber(x)},${formatNumber(y)})`).join(' ')}}`;
}

function formatPoint(x: number, y: number): string {
  return `(axis cs:${formatNumber(x)},${formatNumber(y)})`;
}

/** Returns a number with the digits that a picture can show; `nan` if it is missing or infinite. */
function formatNumber(value: Cell | undefined): string {
  return isValue(value) ? String(Number(value.toPrecision(9))) : 'nan';
}
