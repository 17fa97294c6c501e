import { A, useLocation } from '@solidjs/router';
import { createMemo, Show, type JSX } from 'solid-js';
import type { ProblemComparison } from '#shared/schemas/analysis.ts';
import { groupings } from '#shared/words.ts';
import { useEndpoint } from '#renderer/api/queries.ts';
import { callFile } from '#renderer/api/client.ts';
import { useTableExhibits } from '#renderer/api/table-exhibits.ts';
import { comparisonTables } from '#renderer/features/analysis/archived-tables.ts';
import { AnalysisContext } from '#renderer/features/analysis/analysis-choice.ts';
import { describeObjective } from '#renderer/features/analysis/objective.ts';
import { Comparison } from '#renderer/features/analysis/Comparison.tsx';
import { TableLatexSource } from '#renderer/features/analysis/TableLatex.tsx';
import { LatexButtons } from '#renderer/features/analysis/LatexButtons.tsx';
import { ArchiveButton } from '#renderer/features/archive/ArchiveButton.tsx';
import { ExportMenu } from '#renderer/features/export/ExportMenu.tsx';
import { FigureSubject } from '#renderer/charts/chart-entry.ts';
import { EmptyState } from '#renderer/ui/EmptyState.tsx';
import { formatSentence } from '#renderer/ui/sentence.ts';
import { PageHeader } from '#renderer/features/frame/PageHeader.tsx';
import { FailedPart, QueryView } from '#renderer/ui/QueryView.tsx';
import { Skeleton } from '#renderer/ui/Skeleton.tsx';
import { makeTab, Tabs } from '#renderer/ui/Tabs.tsx';
import { getProblemPath } from '#renderer/paths.ts';
import { ProblemBar } from './ProblemBar.tsx';
import { asChoice } from '#renderer/state/url-kinds.ts';
import { createUrlSignal, usePathText } from '#renderer/state/url.ts';
import { AcrossTab } from './AcrossTab.tsx';
import { ParametersTab } from './ParametersTab.tsx';
import { createProblemChoice } from './problem-choice.ts';

const problemTabs = ['comparison', 'parameters', 'across'] as const;

const crumbs = [{ label: 'Problems', href: '/problems' }];

/** One problem: which algorithm is better on one of its instances, and whether that is significant. */
export function ProblemPage(): JSX.Element {
  const problemType = usePathText('problemType');
  // Another problem is another page: no choice or zoom of this one applies there.
  return (
    <Show when={problemType()} keyed>
      {(type) => <ProblemView problemType={type} />}
    </Show>
  );
}

function ProblemView(props: { problemType: string }): JSX.Element {
  const params = () => ({ problemType: props.problemType });
  // The query does not read this before it exists.
  const choice = createProblemChoice(() => comparison.isPlaceholder);
  const { query } = choice;
  const [shownTab, showTab] = createUrlSignal('tab', asChoice(problemTabs, 'comparison'));
  const problems = useEndpoint('listProblems');
  const summary = createMemo(() =>
    problems.data?.find(({ problemType }) => problemType === props.problemType),
  );
  // A comparison of finished runs does not update on changes; new and finished runs show in the list of problems.
  const runsOfProblem = createMemo(() => {
    const current = summary();
    return current && [current.experiments, current.runs, current.completedRuns].join();
  });
  const comparison = useEndpoint('compareProblem', () => ({
    params: params(),
    query: query(),
    changesWith: runsOfProblem(),
  }));
  const isUnknown = (): boolean => comparison.error?.code === 'NOT_FOUND';
  const instance = (): string | undefined =>
    isUnknown() || shownTab() === 'across' ? undefined : getSelectedLabel(comparison.data);
  const title = (): string => instance() ?? props.problemType;
  const algorithms = (): readonly string[] => summary()?.algorithms ?? [];
  const readLatex = (table?: string) =>
    callFile('exportProblemComparison', { params: params(), query: { ...query(), table } });
  const failedAlgorithms = () => (
    <Show when={!comparison.error}>
      <FailedPart query={problems} consequence="The choices of algorithms could not be loaded" />
    </Show>
  );
  const comparisonTab = () => {
    useTableExhibits(
      'compareProblem',
      comparisonTables,
      () => ({ params: params(), query: query() }),
      () => (comparison.data ? `${title()}, ${describeObjective(comparison.data)}.` : ''),
    );
    return (
      <div class="card-stack">
        <ProblemBar choice={choice} response={comparison.data} algorithms={algorithms()} />
        {failedAlgorithms()}
        <QueryView
          query={comparison}
          skeleton={<Skeleton content="comparison" shape={{ blockPixels: 520 }} />}
        >
          {(response) => (
            <TableLatexSource.Provider value={readLatex}>
              <Comparison
                response={response()}
                knownAlgorithms={algorithms()}
                subject={getFileSubject(props.problemType)}
                isPlaceholder={comparison.isPlaceholder}
              />
            </TableLatexSource.Provider>
          )}
        </QueryView>
      </div>
    );
  };
  const parametersTab = () => (
    <QueryView
      query={comparison}
      skeleton={<Skeleton content="comparison" shape={{ blockPixels: 400 }} />}
    >
      {(response) => (
        <>
          {failedAlgorithms()}
          <ParametersTab
            choice={choice}
            allAlgorithms={algorithms()}
            comparison={response()}
            subject={getFileSubject(props.problemType)}
          />
        </>
      )}
    </QueryView>
  );
  const acrossTab = () => (
    <QueryView
      query={problems}
      skeleton={<Skeleton content="problems" shape={{ blockPixels: 400 }} />}
    >
      {() => (
        <Show when={summary()}>
          <AcrossTab
            allAlgorithms={algorithms()}
            selection={choice.algorithms()}
            onChoose={choice.setAlgorithms}
            groupBy={groupings.find((name) => name === choice.groupBy()) ?? 'algorithm'}
          />
        </Show>
      )}
    </QueryView>
  );
  return (
    <AnalysisContext.Provider value={choice.analysis}>
      <PageHeader
        title={title()}
        crumbs={crumbs}
        actions={
          <Show when={!isUnknown() && comparison.data}>
            <ExportMenu
              kind="problem"
              subjectId={props.problemType}
              query={{
                algorithm: choice.algorithms(),
                ...(shownTab() === 'comparison' && {
                  instance: comparison.data?.instances.find(({ selected }) => selected)?.id,
                }),
              }}
            />
            <ArchiveButton
              subject={`${getFileSubject(props.problemType)}-${shownTab()}`}
              data={{ kind: 'problem', subjectIds: [props.problemType] }}
            />
            <Show when={shownTab() === 'comparison'}>
              <LatexButtons read={() => readLatex()} defaultName="comparison.tex" />
            </Show>
          </Show>
        }
      />
      <Show
        when={!isUnknown()}
        fallback={<Unknown {...params()} error={comparison.error?.detail} />}
      >
        <FigureSubject.Provider value={title}>
          <Tabs
            label="Comparison"
            value={shownTab()}
            onChange={showTab}
            tabs={[
              makeTab('comparison', 'Comparison', comparisonTab),
              makeTab('parameters', 'Parameters', parametersTab),
              makeTab('across', 'Across instances', acrossTab),
            ]}
          />
        </FigureSubject.Provider>
      </Show>
    </AnalysisContext.Provider>
  );
}

function getSelectedLabel(response: ProblemComparison | undefined): string | undefined {
  return response?.instances.find(({ selected }) => selected)?.label;
}

function getFileSubject(problemType: string): string {
  return problemType.replaceAll(/[^\w.-]+/g, '-');
}

function Unknown(props: { problemType: string; error: string | undefined }): JSX.Element {
  const location = useLocation();
  return (
    <EmptyState
      title="Nothing to compare"
      actions={
        <>
          <Show when={location.search !== ''}>
            <A href={getProblemPath(props.problemType)}>Clear filters</A>
          </Show>
          <A href="/problems">All problems</A>
        </>
      }
    >
      {formatSentence(props.error ?? '')}
    </EmptyState>
  );
}
