import { A } from '@solidjs/router';
import { Match, Show, Switch, type JSX } from 'solid-js';
import { describeCount } from '#shared/number-format.ts';
import { pagePaths } from '#shared/pages.ts';
import { useEndpoint } from '#renderer/api/queries.ts';
import { Button } from '#renderer/ui/Button.tsx';
import { EmptyState } from '#renderer/ui/EmptyState.tsx';
import type { ListState } from './list-state.ts';

interface ListEmptyProps {
  list: ListState;
  /** Name of an item: "run", "experiment". */
  noun: string;
  /** Total number in the database, and number of COCO trials among them; undefined while unknown. */
  total: number | undefined;
  trialCount: number | undefined;
  /** Command that writes sample data, without its database; default: the command for runs. */
  sampleCommand?: string | undefined;
}

/** Empty state of a list with its reason: no data at all, filters that exclude everything, or hidden trials. */
export function ListEmpty(props: ListEmptyProps): JSX.Element {
  const hiddenTrials = (): number | undefined =>
    props.list.trials() === 'exclude' ? props.trialCount : undefined;
  const showTrials = (): void => props.list.setTrials('include');
  return (
    <Switch fallback={<EmptyState title={`No ${props.noun}s to show`} />}>
      <Match when={props.total === 0}>
        <NoDataYet noun={props.noun} command={props.sampleCommand} />
      </Match>
      <Match when={props.list.chips().length > 0}>
        <EmptyState
          title={`No ${props.noun}s match these filters`}
          actions={
            <>
              <Button onClick={() => props.list.clear()}>Clear filters</Button>
              <Show when={hiddenTrials()}>
                {(count) => (
                  <Button onClick={showTrials}>Show {describeCount(count(), 'COCO trial')}</Button>
                )}
              </Show>
            </>
          }
        />
      </Match>
      <Match when={hiddenTrials()}>
        {(count) => (
          <EmptyState
            title={`All ${props.noun}s are COCO trials`}
            actions={
              <Button onClick={showTrials}>Show {describeCount(count(), 'COCO trial')}</Button>
            }
          >
            They are hidden by default.
          </EmptyState>
        )}
      </Match>
    </Switch>
  );
}

/** Empty state of a database without data: how to get data. */
function NoDataYet(props: { noun: string; command: string | undefined }): JSX.Element {
  const summary = useEndpoint('getSummary');
  return (
    <EmptyState title={`This database has no ${props.noun}s yet`}>
      <p>
        Start the runner with this database, and its {props.noun}s appear here automatically. For an
        example, write sample data:
      </p>
      <p>
        <code class="mono">
          {props.command ?? 'npm run sample --'} --db '{summary.data?.databaseFile ?? '<URL>'}'
        </code>
      </p>
      <Show when={!props.command}>
        <p>
          <code class="mono">npm start</code> on an empty database offers sample data too.
        </p>
      </Show>
      <p>
        Or <A href={pagePaths.import}>import</A> COCO or IOHprofiler data, or a table.
      </p>
    </EmptyState>
  );
}
