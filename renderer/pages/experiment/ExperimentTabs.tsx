import { getShortId } from '#shared/words.ts';
import { A } from '@solidjs/router';
import { createMemo, Show, untrack, type Accessor, type JSX } from 'solid-js';
import type { ExperimentAnalysis, ProblemComparison } from '#shared/schemas/analysis.ts';
import type { ExperimentDetail } from '#shared/schemas/experiment.ts';
import { callFile } from '#renderer/api/client.ts';
import { useEndpoint } from '#renderer/api/queries.ts';
import { useTableExhibits } from '#renderer/api/table-exhibits.ts';
import { Comparison } from '#renderer/features/analysis/Comparison.tsx';
import { FigureSubject } from '#renderer/charts/chart-entry.ts';
import { LatexButtons } from '#renderer/features/analysis/LatexButtons.tsx';
import { TableLatexSource } from '#renderer/features/analysis/TableLatex.tsx';
import { createLastValue } from '#renderer/state/last-value.ts';
import { ObjectiveControls } from '#renderer/features/analysis/ObjectiveControls.tsx';
import { Configuration } from '#renderer/features/configuration/Configuration.tsx';
import { EmptyState } from '#renderer/ui/EmptyState.tsx';
import { QueryView } from '#renderer/ui/QueryView.tsx';
import { Skeleton } from '#renderer/ui/Skeleton.tsx';
import { makeTab, Tabs } from '#renderer/ui/Tabs.tsx';
import { getExperimentName } from '#renderer/names.ts';
import { getProblemPath } from '#renderer/paths.ts';
import {
  AnalysisContext,
  createAnalysisChoice,
  useAnalysisChoice,
} from '#renderer/features/analysis/analysis-choice.ts';
import { comparisonTables } from '#renderer/features/analysis/archived-tables.ts';
import { describeObjective } from '#renderer/features/analysis/objective.ts';
import { asChoice } from '#renderer/state/url-kinds.ts';
import { createUrlSignal } from '#renderer/state/url.ts';
import { AnalysisTab } from './AnalysisTab.tsx';
import { RunsCard } from './RunsCard.tsx';

const experimentTabs = ['analysis', 'problem', 'runs', 'config'] as const;

interface ExperimentTabsProps {
  experiment: Accessor<ExperimentDetail>;
}

/** The tabs of an experiment: its statistics, the comparison on its problem, runs, configuration. */
export function ExperimentTabs(props: ExperimentTabsProps): JSX.Element {
  const [shownTab, showTab] = createUrlSignal('tab', asChoice(experimentTabs, 'analysis'));
  const experimentId = createMemo(() => props.experiment().experimentId);
  const tabs = [
    makeTab('analysis', 'Analysis', () => <AnalysisPanel {...props} of="experiment" />),
    makeTab('problem', 'Same problem', () => <AnalysisPanel {...props} of="problem" />),
    makeTab('runs', 'Runs', () => <RunsCard experimentId={experimentId()} />),
    makeTab('config', 'Configuration', () => {
      const params = useEndpoint('listExperimentParams', () => ({
        params: { experimentId: experimentId() },
      }));
      return (
        <Configuration
          source={{ ...props.experiment(), fileName: getShortId(experimentId()) }}
          params={params}
        />
      );
    }),
  ];
  return <Tabs label="Experiment" value={shownTab()} onChange={showTab} tabs={tabs} />;
}

function AnalysisPanel(props: ExperimentTabsProps & { of: 'experiment' | 'problem' }): JSX.Element {
  const experimentId = (): string => props.experiment().experimentId;
  // The query does not read this before it exists.
  const choice = createAnalysisChoice(() => analysis.isPlaceholder);
  const { query } = choice;
  // The analysis of finished runs does not update on changes; new and finished runs show in the counters.
  const runCounters = createMemo(() => {
    const { totalRuns, completedRuns, failedRuns, runningRuns, stoppedRuns } = props.experiment();
    return [totalRuns, completedRuns, failedRuns, runningRuns, stoppedRuns].join();
  });
  // The comparison reads all runs of the instance: it is fetched only where it is shown.
  const analysis = useEndpoint('analyseExperiment', () => ({
    params: { experimentId: experimentId() },
    query: { ...query(), ...(props.of === 'experiment' && { sameProblem: false }) },
    changesWith: runCounters(),
  }));
  const readLatex = (table?: string) =>
    callFile('exportExperimentAnalysis', {
      params: { experimentId: experimentId() },
      query: { ...query(), table },
    });
  const subject = (): string => getShortId(experimentId());
  useTableExhibits(
    'analyseExperiment',
    untrack(() => (props.of === 'experiment' ? figureTables : comparisonTables)),
    () => ({ params: { experimentId: experimentId() }, query: query() }),
    () =>
      analysis.data ? `${describeObjective(analysis.data)}; runs: ${analysis.data.totalRuns}.` : '',
  );
  return (
    <AnalysisContext.Provider value={choice}>
      <div class="card-stack">
        <div class="toolbar">
          <ObjectiveControls response={analysis.data} />
          <div class="toolbar-end">
            <LatexButtons read={() => readLatex()} defaultName="experiment.tex" />
          </div>
        </div>
        <FigureSubject.Provider value={() => analysis.data?.problemInstance.label ?? ''}>
          <QueryView
            query={analysis}
            skeleton={<Skeleton content="analysis" shape={{ blockPixels: 520 }} />}
          >
            {(response) => (
              <Show
                when={props.of === 'experiment'}
                fallback={
                  <TableLatexSource.Provider value={readLatex}>
                    <SameProblem
                      response={response()}
                      subject={`${subject()}-problem`}
                      isPlaceholder={analysis.isPlaceholder}
                    />
                  </TableLatexSource.Provider>
                }
              >
                <Show
                  when={response().totalRuns > 0}
                  fallback={
                    <EmptyState title="This experiment has no runs yet">
                      Statistics appear here automatically with the first run.
                    </EmptyState>
                  }
                >
                  <AnalysisTab
                    response={response()}
                    name={getExperimentName(props.experiment())}
                    subject={subject()}
                    isPlaceholder={analysis.isPlaceholder}
                  />
                </Show>
              </Show>
            )}
          </QueryView>
        </FigureSubject.Provider>
      </div>
    </AnalysisContext.Provider>
  );
}

const figureTables = [
  { table: 'summary', title: 'Statistics of the experiment' },
  { table: 'best-fitness', title: 'Best fitness of the completed runs' },
];

interface SameProblemProps {
  response: ExperimentAnalysis;
  subject: string;
  isPlaceholder: boolean;
}

function SameProblem(props: SameProblemProps): JSX.Element {
  const { query } = useAnalysisChoice();
  const comparison = createLastValue(
    () => props.response.sameProblem,
  ) as Accessor<ProblemComparison>;
  return (
    <Show when={props.response.sameProblem}>
      {(_comparison) => (
        <>
          <p class="muted">
            All experiments on {props.response.problemInstance.label}, by the direction and target
            above.{' '}
            <A
              href={getProblemPath(
                comparison().problemType,
                props.response.problemInstance.id,
                query(),
              )}
            >
              Choose algorithms, instance and groups
            </A>
          </p>
          <Comparison
            response={comparison()}
            knownAlgorithms={[]}
            subject={props.subject}
            isPlaceholder={props.isPlaceholder}
          />
        </>
      )}
    </Show>
  );
}
