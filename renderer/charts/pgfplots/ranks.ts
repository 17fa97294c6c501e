import { escapeLatex } from '#shared/latex-text.ts';
import type { RankFigure } from '#renderer/charts/figure.ts';
import { ranks } from '#renderer/charts/kinds/ranks.ts';
import type { SvgNode } from '#renderer/charts/svg.ts';
import { colorOf, labelFont, number, type TexOptions, type TexPlot } from './tex.ts';

const millimetres: Readonly<Record<TexOptions['width'], number>> = {
  screen: 120,
  '85 mm': 85,
  '178 mm': 178,
};
const pixelsPerMillimetre = 4.2;

/** A diagram of ranks as lines and texts: the very ones of the screen, in millimetres. */
export function ranksSource(
  figure: RankFigure,
  { width, theme, scales, hidden }: TexOptions,
): TexPlot {
  const rows = 5 + Math.ceil(figure.ranks.length / 2) + figure.cliques.length / 2;
  const size = { width: millimetres[width] * pixelsPerMillimetre, height: rows * 22 };
  const named = {
    ...theme,
    series: theme.series.map((_, place) => colorOf(place)),
    text: 'evotext',
    muted: 'evomuted',
    axis: 'evomuted',
  };
  const { drawing } = ranks.draw(figure, {
    theme: named,
    scales,
    hidden,
    size,
    view: {},
    drag: 'zoom',
    colorRange: {},
  });
  const nodes = drawing.by === 'svg' ? (drawing.node.children ?? []) : [];
  return { body: nodes.map((node) => nodeSource(node, size.height)), isThinned: false };
}

function nodeSource({ tag, attributes, text = '' }: SvgNode, height: number): string {
  const at = (x: string, y: string) => {
    const [left, top] = [Number(attributes[x]), Number(attributes[y])];
    return `(${number(left / pixelsPerMillimetre)}mm,${number((height - top) / pixelsPerMillimetre)}mm)`;
  };
  if (tag === 'text') {
    const anchor =
      { start: 'base west', middle: 'base', end: 'base east' }[String(attributes['text-anchor'])] ??
      'base';
    return `\\node[anchor=${anchor}, inner sep=0, ${String(attributes['fill'])}, ${labelFont}] at ${at('x', 'y')} {${escapeLatex(text)}};`;
  }
  const thickness = number(Number(attributes['stroke-width']) * 0.4);
  return `\\draw[${String(attributes['stroke'])}, line width=${thickness}pt] ${at('x1', 'y1')} -- ${at('x2', 'y2')};`;
}
