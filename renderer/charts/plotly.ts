import type * as PlotlyModule from 'plotly.js-dist-min';
import type { PlotlyDrawing } from './picture.ts';

type Plotly = typeof PlotlyModule;

let loading: Promise<Plotly> | undefined;

/** The library, 1.5 MB that pages without a chart never fetch; loaded once, a failed load is tried again. */
export function loadPlotly(): Promise<Plotly> {
  loading ??= importPlotly().catch((error: unknown) => {
    loading = undefined;
    throw error;
  });
  return loading;
}

async function importPlotly(): Promise<Plotly> {
  // The build makes the bundle a module with one export, which its types know nothing of.
  const module = (await import('plotly.js-dist-min')) as unknown as { default: Plotly };
  return module.default;
}

/** The SVG text of a drawing as it would be on the page. */
export async function plotlySvg({ data, layout }: PlotlyDrawing): Promise<string> {
  const plotly = await loadPlotly();
  const { width = 0, height = 0 } = layout;
  return plotly.toImage({ data, layout }, { format: 'svg', width, height, imageDataOnly: true });
}
