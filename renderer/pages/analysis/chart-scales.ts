import type { Scales } from '#renderer/charts/figure.ts';

/** The scales that a text of the URL stands for: the letters of the log axes, or "linear"; else the usual. */
export function parseScales(text: string, usual: Scales): Scales {
  if (!/^(x|y|xy|linear)$/.test(text)) return usual;
  return { x: text.startsWith('x') ? 'log' : 'linear', y: text.endsWith('y') ? 'log' : 'linear' };
}

/** The text of scales for the URL; undefined for the usual ones, which need none. */
export function formatScales(scales: Scales, usual: Scales): string | undefined {
  if (scales.x === usual.x && scales.y === usual.y) return undefined;
  const letters = `${scales.x === 'log' ? 'x' : ''}${scales.y === 'log' ? 'y' : ''}`;
  return letters || 'linear';
}
