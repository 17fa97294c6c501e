import { A } from '@solidjs/router';
import { createMemo, Show, type Accessor, type JSX } from 'solid-js';
import type { RunDetail } from '#shared/schemas/run.ts';
import { isRunning } from '#shared/words.ts';
import { useIterations } from '#renderer/api/iterations.ts';
import { useEndpoint } from '#renderer/api/queries.ts';
import { Configuration } from '#renderer/components/configuration/Configuration.tsx';
import { EmptyState } from '#renderer/components/EmptyState.tsx';
import { PageHeader } from '#renderer/components/PageHeader.tsx';
import { QueryView } from '#renderer/components/QueryView.tsx';
import { shortId } from '#renderer/components/short-id.ts';
import { Skeleton } from '#renderer/components/Skeleton.tsx';
import { Tabs, type Tab } from '#renderer/components/Tabs.tsx';
import { EventsTab } from './EventsTab.tsx';
import { FitnessTab } from './FitnessTab.tsx';
import { IterationsTab } from './IterationsTab.tsx';
import { RunHead } from './RunHead.tsx';
import { SeedLinks } from './SeedLinks.tsx';
import { StopRunButton } from './StopRunButton.tsx';
import { asChoice } from '#renderer/state/url-kinds.ts';
import { createUrlSignal, usePathText } from '#renderer/state/url.ts';
import './run.css';

const runTabs = ['fitness', 'iterations', 'events', 'config'] as const;

const crumbs = [{ label: 'Runs', href: '/' }];

/** One run: how it stands, and all that was recorded of it. */
export function RunPage(): JSX.Element {
  const runId = usePathText('runId');
  // Another run is another page: what was opened or zoomed there means nothing here.
  return (
    <Show when={runId()} keyed>
      {(id) => <RunView runId={id} />}
    </Show>
  );
}

function RunView(props: { runId: string }): JSX.Element {
  const run = useEndpoint('getRun', () => ({ params: { runId: props.runId } }));
  const isUnknown = (): boolean => run.error?.code === 'RUN_NOT_FOUND';
  return (
    <>
      <PageHeader
        title={shortId(props.runId)}
        crumbs={crumbs}
        actions={
          <Show when={run.data}>
            {(data) => (
              <>
                <SeedLinks run={data()} />
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
            {run.error?.detail}
          </EmptyState>
        }
      >
        <QueryView query={run} skeleton={<Skeleton shape={{ blockPixels: 420 }} />}>
          {(data) => <RunBody run={data} />}
        </QueryView>
      </Show>
    </>
  );
}

function RunBody(props: { run: Accessor<RunDetail> }): JSX.Element {
  const [shownTab, showTab] = createUrlSignal('tab', asChoice(runTabs, 'fitness'));
  const isLive = createMemo(() => isRunning(props.run()));
  const runId = createMemo(() => props.run().runId);
  const iterations = useIterations(runId, isLive);
  type Id = (typeof runTabs)[number];
  const tab = (id: Id, label: string, content: () => JSX.Element): Tab<Id> => ({
    id,
    label,
    content,
  });
  const tabs = [
    tab('fitness', 'Fitness', () => <FitnessTab run={props.run()} iterations={iterations} />),
    tab('iterations', 'Iterations', () => (
      <IterationsTab runId={runId()} isLive={isLive()} iterations={iterations} />
    )),
    tab('events', 'Events', () => <EventsTab runId={runId()} isLive={isLive()} />),
    tab('config', 'Configuration', () => {
      const params = useEndpoint('listRunParams', () => ({ params: { runId: runId() } }));
      return <Configuration source={{ ...props.run(), fileName: runId() }} params={params} />;
    }),
  ];
  return (
    <div class="run-page">
      <RunHead run={props.run()} iterations={iterations.data ?? []} />
      <Tabs
        label="What was recorded of the run"
        value={shownTab()}
        onChange={showTab}
        tabs={tabs}
      />
    </div>
  );
}
