import { untrack, type JSX } from 'solid-js';
import { ChartCard } from '#renderer/charts/ChartCard.tsx';
import type { Figure, Scales } from '#renderer/charts/figure.ts';
import { createUrlScales } from '#renderer/state/url.ts';

interface AnalysisChartProps {
  /** Names its axes in the URL: `<id>.x`, `<id>.y`. */
  id: string;
  title: string;
  description: string;
  figure: Figure;
  /** What the file of an export is about: the experiment or problem. */
  subject: string;
  usualScales?: Scales;
  controls?: JSX.Element;
  notes?: readonly string[];
  heightPixels?: number;
}

/** Both axes linear. */
export const linearScales: Scales = { x: 'linear', y: 'linear' };

/** Budgets span decades: only their axis is logarithmic. */
export const logBudgetScales: Scales = { x: 'log', y: 'linear' };

/** A chart of an analysis, whose scales stand in the URL. */
export function AnalysisChart(props: AnalysisChartProps): JSX.Element {
  const [scales, setScales] = createUrlScales(
    untrack(() => props.id),
    () => props.usualScales ?? linearScales,
  );
  return (
    <ChartCard
      title={props.title}
      description={props.description}
      figure={props.figure}
      fileName={`${props.subject}-${props.id}`}
      scales={scales()}
      onScalesChange={setScales}
      controls={props.controls}
      notes={props.notes ?? []}
      heightPixels={props.heightPixels ?? 280}
    />
  );
}
