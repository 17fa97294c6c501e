import { A } from '@solidjs/router';
import { Match, Show, Switch, type JSX } from 'solid-js';
import { minimumComparedRuns, isRunning, maximumComparedRuns } from '#shared/words.ts';
import { pagePaths } from '#shared/pages.ts';
import { useEndpoint } from '#renderer/api/queries.ts';
import { Button } from '#renderer/ui/Button.tsx';
import { EmptyState } from '#renderer/ui/EmptyState.tsx';
import { PageHeader } from '#renderer/features/frame/PageHeader.tsx';
import { QueryView } from '#renderer/ui/QueryView.tsx';
import { Skeleton } from '#renderer/ui/Skeleton.tsx';
import { createComparedSet } from './compared-set.ts';
import { OverlayView } from './OverlayView.tsx';

const crumbs = [{ label: 'Runs', href: pagePaths.runs }];

/** Compares runs: charts, results, and the parameters that differ. */
export function ComparePage(): JSX.Element {
  const set = createComparedSet();
  const count = (): number => set.runIds().length;
  const isTooFew = (): boolean => count() < minimumComparedRuns;
  const isTooMany = (): boolean => count() > maximumComparedRuns;
  // The traces of ended runs do not update on changes; a deletion shows in the number of all runs.
  const summary = useEndpoint('getSummary');
  const overlay = useEndpoint('overlayRuns', () => ({
    query: { run: set.runIds(), by: set.by(), reference: set.reference() },
    enabled: !isTooFew() && !isTooMany(),
    changesWith: summary.data && String(summary.data.runCount),
  }));
  const telemetry = useEndpoint('overlayTelemetry', () => ({
    query: { run: set.runIds(), by: set.by(), series: set.series() },
    enabled: overlay.data !== undefined && !isTooFew() && !isTooMany(),
    isRunning: overlay.data?.runs.some(isRunning) === true,
  }));
  const missing = (): readonly string[] =>
    overlay.error?.code === 'RUN_NOT_FOUND'
      ? overlay.error.faults.flatMap(
          ({ path }) => set.runIds()[Number(path.split('.').at(-1))] ?? [],
        )
      : [];
  const keep = (isKept: (runId: string, place: number) => boolean) => () =>
    set.setRunIds(set.runIds().filter(isKept));
  return (
    <>
      <PageHeader title={isTooFew() ? 'Compare runs' : `Compare ${count()} runs`} crumbs={crumbs} />
      <Switch>
        <Match when={isTooFew()}>
          <EmptyState
            title={count() === 0 ? 'No runs chosen' : 'One run chosen'}
            actions={
              <>
                <A href={pagePaths.runs}>Choose from all runs</A>
                <A href={pagePaths.experiments}>Choose from one experiment</A>
              </>
            }
          >
            Select {minimumComparedRuns} to {maximumComparedRuns} rows in a list of runs (checkbox
            or Space), then click Compare to see their curves, results and parameters side by side.
          </EmptyState>
        </Match>
        <Match when={isTooMany()}>
          <EmptyState
            title="Too many runs"
            actions={
              <Button onClick={keep((_, place) => place < maximumComparedRuns)}>
                Compare the first {maximumComparedRuns}
              </Button>
            }
          >
            {count()} runs are selected; at most {maximumComparedRuns} can be compared.
          </EmptyState>
        </Match>
        <Match when={missing().length > 0}>
          <EmptyState
            title={missing().length === 1 ? 'A run is missing' : 'Runs are missing'}
            actions={
              <>
                <Show when={count() - missing().length >= minimumComparedRuns}>
                  <Button onClick={keep((runId) => !missing().includes(runId))}>
                    Compare the others
                  </Button>
                </Show>
                <A href={pagePaths.runs}>All runs</A>
              </>
            }
          >
            {overlay.error?.detail}.
          </EmptyState>
        </Match>
        <Match when={true}>
          <QueryView
            query={overlay}
            skeleton={<Skeleton content="runs" shape={{ blockPixels: 520 }} />}
          >
            {(response) => (
              <OverlayView
                overlay={response()}
                telemetry={telemetry}
                set={set}
                isPlaceholder={overlay.isPlaceholder}
              />
            )}
          </QueryView>
        </Match>
      </Switch>
    </>
  );
}
