import { formatCount } from '#shared/number-format.ts';
import type { CampaignEcdf } from '#shared/schemas/coco-analysis.ts';
import type { ChartEntry } from '#renderer/charts/chart-entry.ts';

interface ViewWords {
  title: string;
  /** Note on this chart, before the notes of the response. */
  note?: string;
}

type ViewContent = Omit<ChartEntry, 'id' | 'title' | 'scales' | 'notes'> &
  Required<Pick<ChartEntry, 'notes'>>;

/**
 * Returns the entry of a chart of one ECDF. Its words follow `props`, because a step changes them but not the chart.
 */
export function makeViewEntry(props: ViewWords, content: ViewContent): ChartEntry {
  return {
    ...content,
    id: 'ecdf',
    get title() {
      return props.title;
    },
    scales: { x: 'log' },
    notes: () => [...(props.note === undefined ? [] : [props.note]), ...content.notes()],
  };
}

/** Returns "Dimension 5"; imports store 0 for an unknown dimension. */
export function formatDimension(dimension: number): string {
  return dimension === 0 ? 'Unknown dimension' : `Dimension ${formatCount(dimension)}`;
}

/** Returns the dimension of the pooled curves of a response: 0 if it is unknown, undefined for several. */
export function getPooledDimension({ panels }: Pick<CampaignEcdf, 'panels'>): number | undefined {
  return panels.length > 0 && panels.every(({ dimension }) => dimension === 0) ? 0 : undefined;
}

/** Returns the note that the pooled curves of a response omit the unknown dimension, if they do. */
export function makePooledNotes({ panels }: Pick<CampaignEcdf, 'panels'>): string[] {
  const unknown = panels.filter(({ dimension }) => dimension === 0);
  return unknown.length === 0 || unknown.length === panels.length
    ? []
    : [
        'Problems of unknown dimension are omitted, because their budgets are not in evaluations / dimension.',
      ];
}
