import { useNavigate } from '@solidjs/router';
import { createMemo, For, type JSX } from 'solid-js';
import type { ProgressAxis, RunsOverlay } from '#shared/schemas/analysis-runs.ts';
import { progressAxes } from '#shared/words.ts';
import type { ChartEntry } from '#renderer/charts/chart-entry.ts';
import { ChartGrid } from '#renderer/charts/ChartGrid.tsx';
import {
  differenceFigure,
  overlayFigure,
  type RunLook,
} from '#renderer/charts/figures/run-overlay.ts';
import { Button } from '#renderer/components/Button.tsx';
import { Card } from '#renderer/components/Card.tsx';
import { Select } from '#renderer/components/Select.tsx';
import { createTableModel } from '#renderer/components/table/table-model.ts';
import { TableGrid } from '#renderer/components/table/TableGrid.tsx';
import { TableTools } from '#renderer/components/table/TableTools.tsx';
import { notesAt } from '#renderer/pages/analysis/note-places.ts';
import { runPath } from '#renderer/paths.ts';
import type { ComparedSet } from './compared-set.ts';
import { leadSentences } from './overlay-words.ts';
import { ParametersCard } from './ParametersCard.tsx';
import { resultColumns, type ResultRow } from './result-columns.tsx';
import { runNames, runPlaces } from './run-names.ts';
import './compare.css';

interface OverlayViewProps {
  overlay: RunsOverlay;
  set: ComparedSet;
  isPlaceholder: boolean;
}

const axisNames: Readonly<Record<ProgressAxis, string>> = {
  evaluations: 'Evaluations',
  iteration: 'Iterations',
  time: 'Time',
};

/** The runs of the page: what is to be said of them first, then curves, results and parameters. */
export function OverlayView(props: OverlayViewProps): JSX.Element {
  const looks = createMemo((): ReadonlyMap<string, RunLook> => {
    const { runs, parameters } = props.overlay;
    const names = runNames(runs, parameters.differing);
    const places = runPlaces(runs);
    return new Map(
      runs.map(({ runId }, place) => [
        runId,
        { name: names[place] ?? runId, paletteIndex: places[place] ?? place },
      ]),
    );
  });
  const lookOf = (runId: string): RunLook => looks().get(runId) ?? { name: runId, paletteIndex: 0 };
  const nameOf = (runId: string): string => lookOf(runId).name;
  const reference = (): string | undefined => props.overlay.reference ?? undefined;
  return (
    <div class="analysis" classList={{ 'analysis-previous': props.isPlaceholder }}>
      <p class="compare-lead">{leadSentences(props.overlay, nameOf).join(' ')}</p>
      <div class="analysis-bar">
        <div class="compare-axes" role="group" aria-label="Curves over">
          <For each={progressAxes}>
            {(axis) => (
              <Button pressed={props.set.by() === axis} onClick={() => props.set.setBy(axis)}>
                {axisNames[axis]}
              </Button>
            )}
          </For>
        </div>
        <Select
          label="Reference"
          value={props.set.reference() ?? ''}
          options={[
            { value: '', label: 'none' },
            ...props.overlay.runs.map(({ runId }) => ({ value: runId, label: nameOf(runId) })),
          ]}
          onChange={(runId) => props.set.setReference(runId === '' ? undefined : runId)}
        />
      </div>
      <ChartGrid
        entries={chartEntries(() => props.overlay, lookOf, reference())}
        subject="compared-runs"
      />
      <ResultsCard {...props} lookOf={lookOf} />
      <ParametersCard overlay={props.overlay} notes={notesAt(props.overlay.notes, 'groups')} />
    </div>
  );
}

function chartEntries(
  overlay: () => RunsOverlay,
  lookOf: (runId: string) => RunLook,
  reference: string | undefined,
): ChartEntry[] {
  const best: ChartEntry = {
    id: 'best',
    title: 'Best so far',
    describe: () =>
      `Each run to where it ended${overlay().by === 'evaluations' ? '; a cross marks where it reached its target' : ''}`,
    figure: () => overlayFigure(overlay(), lookOf),
    notes: () => notesAt(overlay().notes, 'general', 'sample', 'success'),
    heightPixels: () => 380,
  };
  if (reference === undefined) return [best];
  const name = lookOf(reference).name;
  const difference: ChartEntry = {
    id: 'difference',
    title: `Difference to ${name}`,
    describe: () => 'Best so far less that of the reference; finished runs hold their last value',
    figure: () => differenceFigure(overlay(), lookOf, name),
    heightPixels: () => 380,
  };
  return [best, difference];
}

interface ResultsCardProps extends OverlayViewProps {
  lookOf: (runId: string) => RunLook;
}

/** What became of each run, and what can be done with it here. */
function ResultsCard(props: ResultsCardProps): JSX.Element {
  const navigate = useNavigate();
  const table = createTableModel<ResultRow>({
    name: 'compared-runs',
    urlKey: '',
    columns: resultColumns,
    get rows() {
      const { runs, reference } = props.overlay;
      return runs.map((run) => ({
        ...run,
        ...props.lookOf(run.runId),
        isReference: run.runId === reference,
      }));
    },
    rowId: ({ runId }) => runId,
  });
  const toggleReference = ({ runId, isReference }: ResultRow): void =>
    props.set.setReference(isReference ? undefined : runId);
  return (
    <Card
      title="Results"
      description={
        props.overlay.reference === null
          ? 'As the runs ended, or as far as they are; Reference sets the others against a run'
          : `The small numbers are differences to ${props.lookOf(props.overlay.reference).name}`
      }
      controls={<TableTools table={table} size="small" />}
      flush
    >
      <TableGrid
        table={table}
        label="Results"
        maxHeight="70vh"
        onOpen={({ runId }) => navigate(runPath(runId))}
        actions={(row, context) => (
          <span class="row-actions">
            <Button
              size="small"
              pressed={row().isReference}
              tabIndex={context.tabIndex()}
              aria-label={`${row().name} as reference`}
              onClick={() => toggleReference(row())}
            >
              Reference
            </Button>
            <Button
              size="small"
              tabIndex={context.tabIndex()}
              aria-label={`Remove ${row().name}`}
              onClick={() => props.set.remove(row().runId)}
            >
              Remove
            </Button>
          </span>
        )}
        empty={null}
      />
    </Card>
  );
}
