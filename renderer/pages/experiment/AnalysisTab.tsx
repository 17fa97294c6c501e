import { createMemo, type JSX } from 'solid-js';
import type { ExperimentAnalysis } from '#shared/schemas/analysis.ts';
import { ChartGrid } from '#renderer/charts/ChartGrid.tsx';
import { Notes } from '#renderer/ui/Notes.tsx';
import { PageTerms } from '#renderer/ui/TermCard.tsx';
import { getGroupOfExperiment } from '#renderer/features/analysis/analysed-groups.ts';
import {
  createExperimentCharts,
  createMainCharts,
  createProfileCharts,
  makeDrawableCharts,
} from '#renderer/features/analysis/analysis-charts.tsx';
import { KeyMetrics } from '#renderer/features/analysis/KeyMetrics.tsx';
import { getNotesAt } from '#renderer/features/analysis/note-places.ts';
import { createGroupTraces } from '#renderer/features/analysis/run-traces.ts';
import { getTermsOfExperiment } from '#renderer/features/analysis/terms-here.ts';
import { useAnalysisChoice } from '#renderer/features/analysis/analysis-choice.ts';

interface AnalysisTabProps {
  response: ExperimentAnalysis;
  /** Name of the experiment in the charts. */
  name: string;
  /** Prefix of the names of exported files. */
  subject: string;
  isPlaceholder: boolean;
}

/** Statistics of one experiment over its repeats. */
export function AnalysisTab(props: AnalysisTabProps): JSX.Element {
  const analysed = createMemo(() => getGroupOfExperiment(props.response, props.name));
  const traces = createGroupTraces(analysed);
  const { heldTarget } = useAnalysisChoice();
  const charts = [
    ...createMainCharts(analysed, traces),
    ...createExperimentCharts(() => props.response),
    ...createProfileCharts(analysed),
  ];
  return (
    <PageTerms terms={getTermsOfExperiment(props.response)}>
      <div
        class="card-stack"
        classList={{ 'previous-data': props.isPlaceholder && heldTarget.heldValue() === undefined }}
      >
        <Notes notes={getNotesAt(props.response.notes, 'general')} />
        <div class="key-values">
          <KeyMetrics response={props.response} />
          <Notes notes={getNotesAt(props.response.notes, 'success')} />
        </div>
        <ChartGrid entries={makeDrawableCharts(charts, props.response)} subject={props.subject} />
      </div>
    </PageTerms>
  );
}
