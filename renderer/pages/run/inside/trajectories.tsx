import type { JSX } from 'solid-js';
import type { Insights } from '#shared/schemas/insights.ts';
import type { ChartEntry } from '#renderer/charts/chart-entry.ts';
import { getMostChanging, getRowTrajectories } from '#renderer/charts/figures/telemetry-lines.ts';
import { Button } from '#renderer/ui/Button.tsx';
import { CommittedField } from '#renderer/ui/CommittedField.tsx';
import { asText } from '#renderer/state/url-kinds.ts';
import { createUrlSignal } from '#renderer/state/url.ts';
import { makeChosenRows, mostRows } from './chosen-rows.ts';

/** Number of rows drawn by default. */
const defaultRows = 6;

const vectors = {
  probabilities: {
    title: 'Probability trajectories',
    name: 'bits',
    y: { title: 'P(bit = 1)', range: [-0.02, 1.02] },
  },
  meanVector: { title: 'Mean trajectories', name: 'dimensions', y: { title: 'mean' } },
} as const;

/** Creates the charts of the model vector over the iterations: the elements that change most, or those in the URL. */
export function createTrajectories(): (insights: Insights) => ChartEntry[] {
  const [text, setText] = createUrlSignal('rows', asText(200));
  return ({ heatmaps }) =>
    heatmaps.flatMap((map): ChartEntry[] => {
      const vector = vectors[map.key as keyof typeof vectors];
      if (!vector) return [];
      const rows = (): number[] => {
        const visibleRows = makeChosenRows(map, text());
        return visibleRows.length > 0
          ? visibleRows
          : getMostChanging(map.cells).slice(0, defaultRows);
      };
      return [
        {
          id: map.key,
          title: vector.title,
          describe: () =>
            text() === ''
              ? `The ${vector.name} that change most, in descending order`
              : `The chosen ${vector.name}, at most ${mostRows}`,
          figure: () => getRowTrajectories(map, rows(), vector.y),
          controls: () => <RowChooser name={vector.name} text={text()} onChange={setText} />,
        },
      ];
    });
}

function RowChooser(props: {
  name: string;
  text: string;
  onChange: (text: string) => void;
}): JSX.Element {
  return (
    <>
      <Button size="small" pressed={props.text === ''} onClick={() => props.onChange('')}>
        Largest changes
      </Button>
      <CommittedField
        class="row-chooser"
        label={`Choose ${props.name}`}
        labelHidden
        placeholder={`${props.name}: 3, 17`}
        value={props.text}
        onCommit={props.onChange}
      />
    </>
  );
}
