import greekUrl from '@fontsource-variable/inter/files/inter-greek-wght-normal.woff2?url';
import latinUrl from '@fontsource-variable/inter/files/inter-latin-wght-normal.woff2?url';
import { getCsv } from '#renderer/ui/table/csv.ts';
import type { ExhibitFile } from '#renderer/state/exhibits.ts';
import { getPicture } from './layout.ts';
import { getPaletteLook, restIndex } from './palette.ts';
import {
  isShown,
  getLegendLabel,
  getLegendMarks,
  getMarks,
  type CurveMark,
  type Scene,
} from './scene.ts';
import { formatSvg, type SvgNode } from './svg.ts';
import { makePictureSvg } from './svg-picture.ts';
import { getTable } from './table.ts';
import type { PictureText, PictureWidth } from './tex.ts';
import { getLightTheme, getSeriesLook, usualTextPixels, type ChartTheme } from './theme.ts';
import { getTextWidth } from './ticks.ts';

const pixelsPerMillimetre = 96 / 25.4;

/**
 * Returns the size of an exported picture and of its text, in pixels. A rank diagram is only as high as its text needs.
 */
function getExportSize(
  scene: Scene,
  width: PictureWidth,
  screen: { width: number; height: number },
): { width: number; height: number; textPixels: number } {
  if (width === 'screen') return { ...screen, textPixels: usualTextPixels };
  const pixels = Math.round(Number.parseFloat(width) * pixelsPerMillimetre);
  // The smallest, that of ticks, has 7 and 8 points, which journals require at least.
  const textPixels = (usualTextPixels / 11) * (width === '85 mm' ? 9.4 : 10.7);
  const isDiagram = getMarks(scene, 'ranks').length > 0;
  const height = isDiagram ? (screen.height * textPixels) / usualTextPixels : pixels * 0.62;
  return { width: pixels, height: Math.round(height), textPixels };
}

/**
 * Returns a scene as an SVG file: in the light theme, with title, legend, caption and its font inside. Rejects if the
 * font cannot be fetched.
 */
export async function makeSvgFile(
  scene: Scene,
  width: PictureWidth,
  screen: { width: number; height: number },
  text: PictureText,
): Promise<string> {
  const { textPixels, ...size } = getExportSize(scene, width, screen);
  const theme = { ...getLightTheme(), textPixels };
  const inner = formatSvg(makePictureSvg(getPicture(scene, theme, size)));
  const style = await getFontStyle(`${inner}${text.title}${text.caption}`);
  return composeSvg(inner, scene, text, size, theme, style);
}

/**
 * Returns the files of a scene for an archive: SVG and LaTeX as wide as a column, and all numbers as CSV. A heat map
 * has no LaTeX.
 */
export async function getSceneFiles(
  scene: Scene,
  text: PictureText,
  screen: { width: number; height: number },
): Promise<ExhibitFile[]> {
  const { makeTexFile } = await import('./tex.ts');
  const { columns, rows } = getTable(scene);
  const source = makeTexFile(scene, getLightTheme(), '85 mm', text);
  return [
    { ending: 'svg', content: await makeSvgFile(scene, '85 mm', screen, text) },
    ...(source === null ? [] : [{ ending: 'tex', content: source }]),
    { ending: 'csv', content: getCsv(columns, rows) },
  ];
}

/** Returns an SVG with title and legend above the picture and the caption below it. */
function composeSvg(
  inner: string,
  scene: Scene,
  { title, caption }: PictureText,
  { width, height }: { width: number; height: number },
  theme: ChartTheme,
  style: string,
): string {
  const { textPixels } = theme;
  const line = textPixels * 1.5;
  const legend = makeLegendNodes(scene, width, theme, line * 2.1);
  const top = line * 1.6 + legend.height;
  const captionLines = wrapText(caption, width - textPixels, textPixels * 0.92);
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
  const svg = inner.replace('<svg ', `<svg x="0" y="${top.toFixed(1)}" `);
  return `${head}<style>${style}</style><rect width="100%" height="100%" fill="${theme.surface}"/>${svg}${nodes.map(formatSvg).join('')}</svg>`;
}

function makeLegendNodes(
  scene: Scene,
  width: number,
  theme: ChartTheme,
  top: number,
): { nodes: SvgNode[]; height: number } {
  const visibleCurves = getLegendMarks(scene).filter((mark) => isShown(scene, mark));
  const curves = visibleCurves.filter(({ paletteIndex }) => paletteIndex !== restIndex);
  const rest = visibleCurves.find(({ paletteIndex }) => paletteIndex === restIndex);
  const entries = [
    ...curves.map((curve) => ({ curve, label: getLegendLabel(curve) })),
    ...(rest ? [{ curve: rest, label: `${visibleCurves.length - curves.length} more` }] : []),
  ];
  if (getLegendMarks(scene).length === 0) return { nodes: [], height: 0 };
  const size = theme.textPixels * 0.92;
  const nodes: SvgNode[] = [];
  let [x, y] = [theme.textPixels / 2, top];
  for (const { curve, label } of entries) {
    const length = 22 + size * 0.6 + getTextWidth(label, size) + size;
    if (x > size && x + length > width) [x, y] = [theme.textPixels / 2, y + size * 1.6];
    nodes.push(makeSampleNode(curve, x, y - size * 0.35, theme), {
      tag: 'text',
      attributes: { x: x + 22 + size * 0.6, y, fill: theme.text, 'font-size': size },
      text: label,
    });
    x += length;
  }
  return { nodes, height: y - top + size * 1.7 };
}

function makeSampleNode(
  { paletteIndex, mode: drawn }: Pick<CurveMark, 'paletteIndex' | 'mode'>,
  x: number,
  y: number,
  theme: ChartTheme,
): SvgNode {
  const { color } = getSeriesLook(theme, paletteIndex);
  const { stroke, mark } = getPaletteLook(paletteIndex);
  if (drawn === 'markers') {
    const transform = `translate(${x + 4} ${y - 6})`;
    return { tag: 'path', attributes: { d: mark, fill: color, transform } };
  }
  const d = `M${x} ${y}h22`;
  return {
    tag: 'path',
    attributes: { d, stroke: color, 'stroke-width': 2, 'stroke-dasharray': stroke || 'none' },
  };
}

/** Returns a text in lines of a width in pixels. */
function wrapText(text: string, width: number, fontPixels: number): string[] {
  const lines: string[] = [];
  for (const word of text.split(' ')) {
    const last = lines.at(-1);
    const longer = `${last} ${word}`;
    if (last !== undefined && getTextWidth(longer, fontPixels) * 0.9 <= width)
      lines[lines.length - 1] = longer;
    else lines.push(word);
  }
  return lines;
}

/** The style that carries the page's font in the file, as far as its words need it: a picture cannot load one. */
async function getFontStyle(words: string): Promise<string> {
  const greek = /[\u0370-\u03FF]/.test(words) ? [await getFontFace(greekUrl, 'U+0370-03FF')] : [];
  return [await getFontFace(latinUrl, 'U+0000-036F,U+0400-FFFD'), ...greek].join('');
}

async function getFontFace(url: string, characters: string): Promise<string> {
  const bytes = new Uint8Array(await (await fetch(url)).arrayBuffer());
  const data = btoa(Array.from(bytes, (byte) => String.fromCodePoint(byte)).join(''));
  return `@font-face{font-family:'Inter Variable';font-weight:100 900;unicode-range:${characters};src:url(data:font/woff2;base64,${data}) format('woff2')}`;
}

/** Returns an SVG as a PNG of three times its pixels: 288 dots per inch. Rejects if the browser cannot draw it. */
export async function getPng(svg: string): Promise<Blob> {
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
