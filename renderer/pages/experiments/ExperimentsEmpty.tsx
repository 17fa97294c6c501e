import { Match, Show, Switch, type JSX } from 'solid-js';
import type { DashboardSummary } from '#shared/schemas/service.ts';
import { Button } from '#renderer/components/Button.tsx';
import { EmptyState } from '#renderer/components/EmptyState.tsx';
import { NoDataYet } from '#renderer/components/explorer/NoDataYet.tsx';
import { chipsOf, type ExperimentsView } from './filters.ts';

interface ExperimentsEmptyProps {
  view: ExperimentsView;
  summary: DashboardSummary | undefined;
  onClear: () => void;
  onTrials: () => void;
}

/** Why the list is empty: no data at all, filters that exclude everything, or trials left out. */
export function ExperimentsEmpty(props: ExperimentsEmptyProps): JSX.Element {
  const leftOut = (): number | undefined =>
    props.view.trials === 'exclude' ? props.summary?.trialExperimentCount : undefined;
  return (
    <Switch fallback={<EmptyState title="No experiments to show" />}>
      <Match when={props.summary?.experimentCount === 0}>
        <NoDataYet noun="experiments" />
      </Match>
      <Match when={chipsOf(props.view).length > 0}>
        <EmptyState
          title="No experiment matches these filters"
          actions={
            <>
              <Button onClick={() => props.onClear()}>Clear all filters</Button>
              <Show when={leftOut()}>
                <Button onClick={() => props.onTrials()}>Look among COCO trials too</Button>
              </Show>
            </>
          }
        />
      </Match>
      <Match when={leftOut()}>
        {(count) => (
          <EmptyState
            title="Every experiment here is a COCO trial"
            actions={<Button onClick={() => props.onTrials()}>Show {count()} trials</Button>}
          >
            They are left out at first.
          </EmptyState>
        )}
      </Match>
    </Switch>
  );
}
