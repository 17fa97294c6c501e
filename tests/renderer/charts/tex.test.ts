import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { hasPgfplots } from '#build/gate/latex.ts';
import type { Figure, LineFigure } from '#renderer/charts/figure.ts';
import { makeBestFitnessBoxes } from '#renderer/charts/figures/best-fitness-boxes.ts';
import { getAllowedScales, getAutomaticScales } from '#renderer/charts/scenes.ts';
import { noHeatMap, makeTexFile } from '#renderer/charts/tex.ts';
import { readTheme } from '#renderer/charts/theme.ts';
import { makeGalleryEntries } from '#renderer/pages/gallery/gallery-entries.ts';
import { sceneFor } from '#tests/renderer/charts/scene-text.ts';
import { compileLatex } from '#tests/support/latex.ts';

const tokens = readFileSync(
  new URL('../../../renderer/public/tokens.css', import.meta.url),
  'utf8',
);
const light = readTheme((name) => new RegExp(`${name}: ([^;]+);`).exec(tokens)?.[1] ?? '', 13);

const entries = makeGalleryEntries(() => 40);
const preamble = '\\usepackage{pgfplots}\n\\pgfplotsset{compat=1.16}';

function getSource(
  figure: Figure,
  width: '85 mm' | '178 mm' | 'screen' = '85 mm',
  hidden: string[] = [],
) {
  const scales = getAllowedScales(figure, getAutomaticScales(figure));
  return makeTexFile(sceneFor(figure, { scales, hidden: new Set(hidden) }), light, width, {
    title: 'A 100 % title',
    caption: 'n = 15, p_value < 0.05.',
  });
}

const getFigure = (id: string) => entries.find((entry) => entry.id === id)!.figure();

const curves: LineFigure = {
  kind: 'lines',
  x: { title: 'evaluations' },
  y: { title: 'best' },
  series: [
    {
      name: 'a_b',
      x: [0, 1, 2, 3],
      y: [6, 5, null, 1.25],
      shape: 'step',
      paletteIndex: 1,
      legendNote: 'n = 3',
    },
    { name: 'off', x: [1], y: [9], shape: 'line', paletteIndex: 2 },
  ],
  references: [{ label: 'target 2', value: 2 }],
  empty: '',
};

describe('A figure for pgfplots', () => {
  test('has values that have reached 0 at the edge of its logarithmic axis, as on the screen', () => {
    const y = { title: 'best so far', reachesZero: true };
    const [series] = curves.series;
    const solved = { ...curves, y, series: [{ ...series!, y: [1e4, 100, 1e-2, 0] }] };
    const source = getSource(solved) ?? '';
    const low = /ymin=([\d.e-]+)/.exec(source)?.[1] ?? '';
    expect(source).toContain('ylabel={best so far ($\\leq$ 0 at the edge), log}');
    expect(source).toContain(`1 100\\\\\n2 0.01\\\\\n3 ${low}\\\\`);
    const quartiles = { min: 0, q1: 0, median: 1, mean: 30, q3: 90, max: 1e3 };
    const box = { n: 3, ...quartiles, whiskerLow: 0, whiskerHigh: 1e3, stdDev: 9, outliers: [0] };
    const boxes = makeBestFitnessBoxes([{ name: 'a', paletteIndex: 0, box }], null);
    expect(getSource(boxes)).not.toMatch(/axis cs:[\d.-]+,0\)/);
  });

  test('has its data, gaps, colours, dashes, legend, target and caption inside', () => {
    const source = getSource(curves, '85 mm', ['off']);
    expect(source).toContain('table[row sep=\\\\] {\n0 6\\\\\n1 5\\\\\n2 nan\\\\\n3 1.25\\\\\n}');
    expect(source).toContain('\\definecolor{series2}{HTML}{D9480F}');
    expect(source).toContain(
      '\\addplot[series2, thick, dash pattern=on 4.2pt off 2.4pt, const plot, mark=square*, mark size=1.6pt, mark options=solid]',
    );
    expect(source).toContain('\\addlegendentry{a\\_b, n = 3}');
    expect(source).toContain('{target 2}');
    expect(source).toContain('width=85mm');
    expect(source).toContain('\\caption{A 100 \\% title. n = 15, p\\_value \\textless{} 0.05.}');
    expect(source).not.toContain('off}');
    expect(source).toMatch(/^[\n\x20-\x7e]*$/);
  });

  test('thins long curves, which a comment states', () => {
    const source = getSource(getFigure('thinned'))!;
    expect(source).toContain('% Long curves keep their extremes only');
    expect(source.length).toBeLessThan(200_000);
    expect(getSource(curves)).not.toContain('extremes');
  });

  test('is refused with a reason for a heat map', () => {
    expect(getSource(getFigure('metrics'))).toBeNull();
    expect(noHeatMap).toMatch(/^A heat map cannot be exported for pgfplots/);
  });

  test.skipIf(!hasPgfplots())(
    'compiles, of every kind, in every width',
    () => {
      const shown = entries.filter(
        ({ id }) => !['empty', 'growing', 'metrics', 'large'].includes(id),
      );
      const sources = [
        ...shown.map((entry) => getSource(entry.figure())),
        ...shown.slice(2, 6).map((entry) => getSource(entry.figure(), '178 mm')),
        getSource(curves, 'screen'),
      ];
      const { isSuccessful, log } = compileLatex(sources.join('\n\\clearpage\n'), {
        preamble,
        pdfFile: process.env['KEEP_PDF'],
      });
      expect(log.slice(-2_000)).toContain('Output written');
      expect(isSuccessful).toBe(true);
      expect(log).not.toMatch(/Package pgfplots Warning/);
    },
    120_000,
  );
});
