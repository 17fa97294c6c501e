import { A } from '@solidjs/router';
import { createMemo, Show, type Accessor, type JSX } from 'solid-js';
import type { IterationRow, RunDetail } from '#shared/schemas/run.ts';
import { makeSilentDiagnosis } from '#shared/silence.ts';
import { getShortId, isRunning } from '#shared/words.ts';
import { useDiagnosis, useInsights } from '#renderer/api/insights.ts';
import { useIterations } from '#renderer/api/iterations.ts';
import { useEndpoint, type QueryState } from '#renderer/api/queries.ts';
import { FigureSubject } from '#renderer/charts/chart-entry.ts';
import { Configuration } from '#renderer/features/configuration/Configuration.tsx';
import { WatchButton } from '#renderer/features/desktop/WatchButton.tsx';
import { EmptyState } from '#renderer/ui/EmptyState.tsx';
import { NotesButton } from '#renderer/features/notes/NotesButton.tsx';
import { PageHeader } from '#renderer/features/frame/PageHeader.tsx';
import { FailedPart, QueryView } from '#renderer/ui/QueryView.tsx';
import { Skeleton } from '#renderer/ui/Skeleton.tsx';
import { makeTab, Tabs } from '#renderer/ui/Tabs.tsx';
import { getRunName } from '#renderer/names.ts';
import { isSilentAt } from '#renderer/features/runs/silence.ts';
import { EventsTab } from './EventsTab.tsx';
import { FitnessTab } from './FitnessTab.tsx';
import { InsightsTab } from './inside/InsightsTab.tsx';
import type { InsideProps } from './inside/InsideTab.tsx';
import { SeriesTab } from './inside/SeriesTab.tsx';
import { diversitySpecs, driftSpecs } from '#renderer/features/runs/telemetry-specs.ts';
import { IterationsTab } from './IterationsTab.tsx';
import { hasStoredTree } from './artifacts.ts';
import { RunHead } from './RunHead.tsx';
import { SeedLinks } from './SeedLinks.tsx';
import { StopRunButton } from './StopRunButton.tsx';
import { createNow } from '#renderer/state/now.ts';
import { asChoice } from '#renderer/state/url-kinds.ts';
import { createUrlSignal, usePathText } from '#renderer/state/url.ts';
import { TreeTab } from './tree/TreeTab.tsx';
import './run.css';

const runTabs = [
  'fitness',
  'diversity',
  'drift',
  'insights',
  'iterations',
  'events',
  'config',
  'tree',
] as const;

/** Tabs of telemetry. They show if its request, which also fetches the diagnosis, failed. */
const tabsOfTelemetry = ['diversity', 'drift', 'insights'];

/** Tabs that show telemetry, which is fetched only for them. */
const tabsOfInsights = new Set([...tabsOfTelemetry, 'events']);

const crumbs = [{ label: 'Runs', href: '/' }];

/** One run: its status and everything recorded for it. */
export function RunPage(): JSX.Element {
  const runId = usePathText('runId');
  // Another run is another page: opened entries and zooms do not apply there.
  return (
    <Show when={runId()} keyed>
      {(id) => <RunView runId={id} />}
    </Show>
  );
}

function RunView(props: { runId: string }): JSX.Element {
  const run = useEndpoint('getRun', () => ({ params: { runId: props.runId } }));
  // Fetched together with the run, because the first chart shows them.
  const iterations = useIterations(
    () => props.runId,
    () => run.data !== undefined && isRunning(run.data),
  );
  const isUnknown = (): boolean => run.error?.code === 'RUN_NOT_FOUND';
  return (
    <>
      <PageHeader
        title={getRunName(run.data ?? { runId: props.runId })}
        crumbs={crumbs}
        actions={
          <Show when={!isUnknown() && run.data}>
            {(data) => (
              <>
                <SeedLinks run={data()} />
                <WatchButton runId={props.runId} isRunning={isRunning(data())} />
                <NotesButton
                  subject={{ kind: 'run', id: props.runId, name: getShortId(props.runId) }}
                />
                <StopRunButton run={data()} />
              </>
            )}
          </Show>
        }
      />
      <Show
        when={!isUnknown()}
        fallback={
          <EmptyState title="Run not found" actions={<A href="/">All runs</A>}>
            {run.error?.detail}. Trials that failed before starting have no run.
          </EmptyState>
        }
      >
        <QueryView query={run} skeleton={<Skeleton content="run" shape={{ blockPixels: 420 }} />}>
          {(data) => <RunBody run={data} iterations={iterations} />}
        </QueryView>
      </Show>
    </>
  );
}

interface RunBodyProps {
  run: Accessor<RunDetail>;
  iterations: QueryState<readonly IterationRow[]>;
}

function RunBody(props: RunBodyProps): JSX.Element {
  const [shownTab, showTab] = createUrlSignal('tab', asChoice(runTabs, 'fitness'));
  const isLive = createMemo(() => isRunning(props.run()));
  const runId = createMemo(() => props.run().runId);
  const insights = useInsights(runId, isLive, () => tabsOfInsights.has(shownTab()));
  const showsInsights = (): boolean => tabsOfInsights.has(shownTab());
  // The telemetry contains the diagnosis.
  const diagnosis = useDiagnosis(runId, isLive, () => !showsInsights());
  const diagnosisQuery = () => (showsInsights() ? insights : diagnosis);
  // A run becomes silent with time alone.
  const now = createNow(isLive);
  // Its siblings change rarely, so they are fetched once a minute; what the run itself adds is in its progress.
  const forecast = useEndpoint('forecastRun', () => ({
    params: { runId: runId() },
    enabled: isLive(),
    live: false,
    changesWith: props.run().progress?.lastActivityAt.slice(0, '2026-01-01T00:00'.length),
  }));
  const silentSince = createMemo(() => {
    const { progress } = props.run();
    return progress && isSilentAt(progress, now()) ? progress.lastActivityAt : null;
  });
  const diagnoses = createMemo(() => {
    const allDiagnoses =
      (showsInsights() && insights.data ? insights : diagnosis).data?.diagnosis ?? [];
    const since = silentSince();
    if (since === null || allDiagnoses.some(({ code }) => code === 'SILENT')) return allDiagnoses;
    const last = props.iterations.data?.at(-1)?.iteration;
    return [makeSilentDiagnosis(since, typeof last === 'number' ? last : null), ...allDiagnoses];
  });
  const inside = (): InsideProps => ({
    runId: runId(),
    insights,
    diagnoses: diagnoses(),
  });
  const tabs = [
    makeTab('fitness', 'Fitness', () => (
      <FitnessTab
        run={props.run()}
        iterations={props.iterations}
        diagnoses={inside().diagnoses}
        band={isLive() ? (forecast.data?.band ?? null) : null}
      />
    )),
    makeTab('diversity', 'Diversity', () => (
      <SeriesTab {...inside()} what="diversity" specs={diversitySpecs} />
    )),
    makeTab('drift', 'Drift', () => (
      <SeriesTab {...inside()} what="drift of the model" specs={driftSpecs} />
    )),
    makeTab('insights', 'Insights', () => <InsightsTab {...inside()} />),
    makeTab('iterations', 'Iterations', () => (
      <IterationsTab
        runId={runId()}
        isLive={isLive()}
        omittedRows={props.run().iterationsLeftOut}
        iterations={props.iterations}
      />
    )),
    makeTab('events', 'Events', () => <EventsTab {...inside()} isLive={isLive()} />),
    makeTab('config', 'Configuration', () => {
      const params = useEndpoint('listRunParams', () => ({ params: { runId: runId() } }));
      return <Configuration source={{ ...props.run(), fileName: runId() }} params={params} />;
    }),
  ];
  const storesTree = createMemo(() => hasStoredTree(props.run().artifactsJson));
  const tree = useEndpoint('getTree', () => ({
    params: { runId: runId() },
    enabled: storesTree() && shownTab() === 'tree',
    isRunning: isLive(),
  }));
  // The service rejects a stored tree that is none, or is too large.
  const hasTree = (): boolean => storesTree() && tree.error?.code !== 'NOT_FOUND';
  const figureSubject = createMemo(() => {
    const { problemType, algorithmType } = props.run();
    return `${problemType}, ${algorithmType}, run ${getRunName(props.run())}`;
  });
  const treeTab = makeTab('tree', 'Tree', () => <TreeTab tree={tree} />);
  const allTabs = createMemo(() => (hasTree() ? [...tabs, treeTab] : tabs));
  return (
    <div class="run-page">
      <RunHead
        run={props.run()}
        iterations={props.iterations.data ?? []}
        diagnoses={diagnoses()}
        silentSince={silentSince()}
        forecast={forecast.data}
      />
      <Show when={!tabsOfTelemetry.includes(shownTab())}>
        <FailedPart query={diagnosisQuery()} consequence="The diagnosis could not be loaded" />
      </Show>
      <FigureSubject.Provider value={figureSubject}>
        <Tabs
          label="Run data"
          value={shownTab() === 'tree' && !hasTree() ? 'fitness' : shownTab()}
          onChange={showTab}
          tabs={allTabs()}
        />
      </FigureSubject.Provider>
    </div>
  );
}
