import { Match, Show, Switch, type JSX } from 'solid-js';
import type { DashboardSummary } from '#shared/schemas/service.ts';
import { Button } from '#renderer/components/Button.tsx';
import { EmptyState } from '#renderer/components/EmptyState.tsx';
import { NoDataYet } from '#renderer/components/explorer/NoDataYet.tsx';
import { hasFilters, type RunsView } from './filters.ts';

interface RunsEmptyProps {
  view: RunsView;
  summary: DashboardSummary | undefined;
  onClear: () => void;
  onTrials: () => void;
}

/** Why the list is empty: no data at all, filters that exclude everything, or trials left out. */
export function RunsEmpty(props: RunsEmptyProps): JSX.Element {
  return (
    <Switch fallback={<EmptyState title="No runs to show" />}>
      <Match when={props.summary?.runCount === 0}>
        <NoDataYet noun="runs" />
      </Match>
      <Match when={hasFilters(props.view)}>
        <EmptyState
          title="No run matches these filters"
          actions={
            <>
              <Button onClick={() => props.onClear()}>Clear all filters</Button>
              <Show when={props.view.trials === 'exclude' && props.summary?.trialRunCount}>
                <Button onClick={() => props.onTrials()}>Look among COCO trials too</Button>
              </Show>
            </>
          }
        />
      </Match>
      <Match when={props.view.trials === 'exclude' && props.summary?.trialRunCount}>
        {(count) => (
          <EmptyState
            title="Every run here is a COCO trial"
            actions={<Button onClick={() => props.onTrials()}>Show {count()} trials</Button>}
          >
            They are left out at first.
          </EmptyState>
        )}
      </Match>
    </Switch>
  );
}
