import greekUrl from '@fontsource-variable/inter/files/inter-greek-wght-normal.woff2?url';
import latinUrl from '@fontsource-variable/inter/files/inter-latin-wght-normal.woff2?url';
import type { ViewOptions } from './ChartCanvas.tsx';
import type { Figure } from './figure.ts';
import { kindOf } from './kinds.ts';
import { lookAt } from './palette.ts';
import { plotlySvg } from './plotly.ts';
import { svgText, type SvgNode } from './svg.ts';
import { modeOf } from './kinds/line-traces.ts';
import { lightTheme, seriesLook, usualTextPixels, type ChartTheme } from './theme.ts';
import { textWidth } from './ticks.ts';

/** How wide an exported picture is: as on the screen, or as a column or the page of a journal. */
export type PictureWidth = 'screen' | '85 mm' | '178 mm';

/** What goes into a picture file beside the figure. */
export interface PictureText {
  title: string;
  /** What it shows and what is to be known about it; wrapped below the picture. */
  caption: string;
}

const pixelsPerMillimetre = 96 / 25.4;

/** Size of a picture and of its text, in pixels; a diagram of ranks needs no more height than its text. */
export function pictureSize(
  { kind }: Pick<Figure, 'kind'>,
  width: PictureWidth,
  screen: { width: number; height: number },
): { width: number; height: number; textPixels: number } {
  if (width === 'screen') return { ...screen, textPixels: usualTextPixels };
  const pixels = Math.round(Number.parseFloat(width) * pixelsPerMillimetre);
  // The smallest, that of ticks, has 7 and 8 points, which journals ask for at least.
  const textPixels = (usualTextPixels / 11) * (width === '85 mm' ? 9.4 : 10.7);
  const height = kind === 'ranks' ? (screen.height * textPixels) / usualTextPixels : pixels * 0.62;
  return { width: pixels, height: Math.round(height), textPixels };
}

/** The picture as an SVG file: in the light theme, with title, legend, caption and its font inside. */
export async function svgFile(
  figure: Figure,
  options: ViewOptions,
  text: PictureText,
  size: ReturnType<typeof pictureSize>,
): Promise<string> {
  const theme = { ...lightTheme(), textPixels: size.textPixels };
  const { drawing } = kindOf(figure).draw(figure, { ...options, theme, size: dimensions(size) });
  const inner = drawing.by === 'svg' ? svgText(drawing.node) : await plotlySvg(drawing);
  const words = `${inner}${text.title}${text.caption}${namesOf(figure)}`;
  return composed(inner, figure, options, text, size, theme, await fontStyle(words));
}

function dimensions({ width, height }: { width: number; height: number }) {
  return { width, height };
}

/** Title and legend above the picture, caption below it. */
function composed(
  inner: string,
  figure: Figure,
  { hidden }: ViewOptions,
  { title, caption }: PictureText,
  { width, height, textPixels }: ReturnType<typeof pictureSize>,
  theme: ChartTheme,
  style: string,
): string {
  const line = textPixels * 1.5;
  const legend = legendNodes(figure, hidden, width, theme, line * 2.1);
  const top = line * 1.6 + legend.height;
  const captionLines = wrapped(caption, width - textPixels, textPixels * 0.92);
  const whole = Math.round(top + height + (captionLines.length + 0.6) * line);
  const text = (content: string, y: number, size: number, weight = 400): SvgNode => ({
    tag: 'text',
    attributes: {
      x: textPixels / 2,
      y,
      fill: theme.text,
      'font-size': size,
      'font-weight': weight,
    },
    text: content,
  });
  const nodes = [
    text(title, line * 1.1, textPixels * 1.1, 600),
    ...legend.nodes,
    ...captionLines.map((words, index) =>
      text(words, top + height + line * (index + 0.8), textPixels * 0.92),
    ),
  ];
  const head = `<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" width="${width}" height="${whole}" viewBox="0 0 ${width} ${whole}" font-family="${theme.font.replaceAll('"', "'")}">`;
  const placed = inner.replace('<svg ', `<svg x="0" y="${top.toFixed(1)}" `);
  return `${head}<style>${style}</style><rect width="100%" height="100%" fill="${theme.surface}"/>${placed}${nodes.map(svgText).join('')}</svg>`;
}

function legendNodes(
  figure: Figure,
  hidden: ReadonlySet<string>,
  width: number,
  theme: ChartTheme,
  top: number,
): { nodes: SvgNode[]; height: number } {
  if (figure.kind !== 'lines') return { nodes: [], height: 0 };
  const size = theme.textPixels * 0.92;
  const nodes: SvgNode[] = [];
  let [x, y] = [theme.textPixels / 2, top];
  for (const series of figure.series) {
    const { name, legendNote, paletteIndex } = series;
    if (hidden.has(name)) continue;
    const label = legendNote === undefined ? name : `${name}, ${legendNote}`;
    const length = 22 + size * 0.6 + textWidth(label, size) + size;
    if (x > size && x + length > width) [x, y] = [theme.textPixels / 2, y + size * 1.6];
    nodes.push(sampleNode(paletteIndex, modeOf(series) === 'markers', x, y - size * 0.35, theme), {
      tag: 'text',
      attributes: { x: x + 22 + size * 0.6, y, fill: theme.text, 'font-size': size },
      text: label,
    });
    x += length;
  }
  return { nodes, height: y - top + size * 1.7 };
}

function sampleNode(
  paletteIndex: number,
  isMark: boolean,
  x: number,
  y: number,
  theme: ChartTheme,
): SvgNode {
  const { color } = seriesLook(theme, paletteIndex);
  const { stroke, mark } = lookAt(paletteIndex);
  if (isMark) {
    const transform = `translate(${x + 4} ${y - 6})`;
    return { tag: 'path', attributes: { d: mark, fill: color, transform } };
  }
  const d = `M${x} ${y}h22`;
  return {
    tag: 'path',
    attributes: { d, stroke: color, 'stroke-width': 2, 'stroke-dasharray': stroke || 'none' },
  };
}

/** Text in lines of a width. */
function wrapped(text: string, width: number, fontPixels: number): string[] {
  const lines: string[] = [];
  for (const word of text.split(' ')) {
    const last = lines.at(-1);
    const longer = `${last} ${word}`;
    if (last !== undefined && textWidth(longer, fontPixels) * 0.9 <= width)
      lines[lines.length - 1] = longer;
    else lines.push(word);
  }
  return lines;
}

function namesOf(figure: Figure): string {
  return figure.kind === 'lines' ? figure.series.map(({ name }) => name).join('') : '';
}

/** The style that carries the page's font in the file, as far as its words need it: a picture cannot load one. */
async function fontStyle(words: string): Promise<string> {
  const greek = /[\u0370-\u03FF]/.test(words) ? [await fontFace(greekUrl, 'U+0370-03FF')] : [];
  return [await fontFace(latinUrl, 'U+0000-036F,U+0400-FFFD'), ...greek].join('');
}

async function fontFace(url: string, characters: string): Promise<string> {
  const bytes = new Uint8Array(await (await fetch(url)).arrayBuffer());
  const data = btoa(Array.from(bytes, (byte) => String.fromCodePoint(byte)).join(''));
  return `@font-face{font-family:'Inter Variable';font-weight:100 900;unicode-range:${characters};src:url(data:font/woff2;base64,${data}) format('woff2')}`;
}

/** The SVG as a PNG of three times its pixels: 288 dots per inch. */
export async function pngOf(svg: string): Promise<Blob> {
  const url = URL.createObjectURL(new Blob([svg], { type: 'image/svg+xml' }));
  try {
    const image = new Image();
    image.src = url;
    await image.decode();
    const canvas = document.createElement('canvas');
    [canvas.width, canvas.height] = [image.naturalWidth * 3, image.naturalHeight * 3];
    canvas.getContext('2d')?.drawImage(image, 0, 0, canvas.width, canvas.height);
    return await new Promise((resolve, reject) => {
      canvas.toBlob(
        (blob) => (blob ? resolve(blob) : reject(new Error('no picture'))),
        'image/png',
      );
    });
  } finally {
    URL.revokeObjectURL(url);
  }
}
