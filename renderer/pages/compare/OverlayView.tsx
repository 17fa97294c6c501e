import { createMemo, type JSX } from 'solid-js';
import type { ProgressAxis, RunsOverlay, TelemetryOverlay } from '#shared/schemas/analysis-runs.ts';
import type { QueryState } from '#renderer/api/queries.ts';
import { FigureSubject } from '#renderer/charts/chart-entry.ts';
import { ChartGrid } from '#renderer/charts/ChartGrid.tsx';
import { createEmphasis } from '#renderer/charts/page-emphasis.ts';
import type { RunLook } from '#renderer/charts/figures/run-overlay.ts';
import { ChoiceButtons } from '#renderer/ui/ChoiceButtons.tsx';
import { FailedPart } from '#renderer/ui/QueryView.tsx';
import { Select } from '#renderer/ui/Select.tsx';
import { getNotesAt } from '#renderer/features/analysis/note-places.ts';
import type { ComparedSet } from './compared-set.ts';
import { makeOverlayCharts, makeSeriesCharts, getTelemetry } from './overlay-charts.ts';
import { makeLeadSentences } from './overlay-words.ts';
import { ParametersCard } from './ParametersCard.tsx';
import { ResultsCard } from './ResultsCard.tsx';
import { getNamesByResult, makeRunLooks, makeRunNames } from './run-names.ts';
import { SeriesChoice } from './SeriesChoice.tsx';
import './compare.css';

interface OverlayViewProps {
  overlay: RunsOverlay;
  telemetry: QueryState<TelemetryOverlay>;
  set: ComparedSet;
  isPlaceholder: boolean;
}

const axisNames: Readonly<Record<ProgressAxis, string>> = {
  evaluations: 'Evaluations',
  iteration: 'Iterations',
  time: 'Time',
};

/** The compared runs: summary, then charts, results and parameters. */
export function OverlayView(props: OverlayViewProps): JSX.Element {
  const names = createMemo(() =>
    makeRunNames(props.overlay.runs, props.overlay.parameters.differing),
  );
  const emphasis = createEmphasis(names, () =>
    getNamesByResult(props.overlay.runs, names(), props.overlay.reference),
  );
  const looks = createMemo(() => makeRunLooks(props.overlay.runs, names(), emphasis()));
  const getLook = (runId: string): RunLook =>
    looks().get(runId) ?? { name: runId, paletteIndex: 0 };
  const getName = (runId: string): string => getLook(runId).name;
  const telemetry = createMemo(
    () => props.telemetry.data && getTelemetry(props.telemetry.data, (runId) => looks().has(runId)),
  );
  const overlay = (): RunsOverlay => props.overlay;
  const charts = createMemo(() => [
    ...makeOverlayCharts(overlay, getLook, overlay().reference),
    ...makeSeriesCharts(telemetry(), props.set.series(), getLook),
  ]);
  const figureSubject = createMemo(() =>
    [...new Set(overlay().runs.map(({ instance }) => instance.label))].join('; '),
  );
  return (
    <div class="card-stack" classList={{ 'previous-data': props.isPlaceholder }}>
      <p class="compare-lead">{makeLeadSentences(props.overlay, getName).join(' ')}</p>
      <div class="toolbar">
        <div class="compare-axes" role="group" aria-label="Curves over">
          <ChoiceButtons
            size="normal"
            labels={axisNames}
            selected={props.set.by()}
            onChoose={props.set.setBy}
          />
        </div>
        <SeriesChoice
          keys={telemetry()?.keys}
          runCount={props.overlay.runs.length}
          selection={props.set.series()}
          onChange={props.set.setSeries}
        />
        <Select
          label="Reference"
          term="referenceRun"
          value={props.set.reference() ?? ''}
          options={[
            { value: '', label: 'none' },
            ...props.overlay.runs.map(({ runId }) => ({ value: runId, label: getName(runId) })),
          ]}
          onChange={(runId) => props.set.setReference(runId === '' ? undefined : runId)}
        />
      </div>
      <FailedPart query={props.telemetry} consequence="Series and diagnoses are not up to date" />
      <FigureSubject.Provider value={figureSubject}>
        <ChartGrid entries={charts()} subject="compared-runs" />
      </FigureSubject.Provider>
      <ResultsCard
        overlay={props.overlay}
        telemetry={telemetry()}
        set={props.set}
        getLook={getLook}
      />
      <ParametersCard overlay={props.overlay} notes={getNotesAt(props.overlay.notes, 'groups')} />
    </div>
  );
}
