import type { ChartEntry } from '#renderer/charts/chart-entry.ts';

interface ViewWords {
  title: string;
  /** Note on this chart, before the notes of the response. */
  note?: string;
}

type ViewContent = Omit<ChartEntry, 'id' | 'title' | 'scales' | 'notes'> &
  Required<Pick<ChartEntry, 'notes'>>;

/** Returns the entry of a chart of one ECDF. Its words follow `props`, because a step changes them but not the chart. */
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
