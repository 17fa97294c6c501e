import type { JSX } from 'solid-js';
import { ChartCard } from '#renderer/charts/ChartCard.tsx';
import type { Figure, Scales } from '#renderer/charts/figure.ts';

interface AnalysisChartProps {
  id: string;
  title: string;
  description: string;
  figure: Figure;
  /** What the file of an export is about: the experiment or problem. */
  subject: string;
  usualScales?: Partial<Scales>;
  controls?: () => JSX.Element;
  notes?: readonly string[];
  heightPixels?: number;
}

/** Budgets span decades: their axis is logarithmic wherever it can be. */
export const logBudgetScales: Partial<Scales> = { x: 'log' };

/** A chart of an analysis. */
export function AnalysisChart(props: AnalysisChartProps): JSX.Element {
  return (
    <ChartCard
      subject={props.subject}
      entry={{
        id: props.id,
        title: props.title,
        describe: props.description,
        figure: props.figure,
        notes: props.notes ?? [],
        ...(props.usualScales && { scales: props.usualScales }),
        ...(props.controls && { controls: props.controls }),
        ...(props.heightPixels !== undefined && { heightPixels: props.heightPixels }),
      }}
    />
  );
}
