import { Match, Show, Switch, type Accessor, type JSX } from 'solid-js';
import { createLastValue } from '#renderer/state/last-value.ts';
import type { FailureCode } from '#renderer/state/problem-error.ts';
import { Button } from './Button.tsx';
import { ErrorPanel } from './ErrorPanel.tsx';

/** The required part of a query: its last data, the error of its last attempt, and a retry. */
interface ShownQuery<Data> {
  readonly data: Data | undefined;
  readonly error: { code: FailureCode; detail: string } | undefined;
  retry: () => void;
}

interface QueryViewProps<Data> {
  query: ShownQuery<Data>;
  /** Placeholder while loading; see Skeleton. */
  skeleton: JSX.Element;
  children: (data: Accessor<NonNullable<Data>>) => JSX.Element;
}

/** A query's data, skeleton or error; after a failed update it keeps the data and shows the failure above. */
export function QueryView<Data>(props: QueryViewProps<Data>): JSX.Element {
  const lastData = createLastValue(() => props.query.data) as Accessor<NonNullable<Data>>;
  return (
    <Switch fallback={props.skeleton}>
      <Match when={props.query.data}>
        {(_data) => (
          <>
            <FailedPart query={props.query} consequence="Not up to date" />
            {props.children(lastData)}
          </>
        )}
      </Match>
      <Match when={props.query.error}>
        {(error) => <ErrorPanel error={error()} onRetry={() => props.query.retry()} />}
      </Match>
    </Switch>
  );
}

interface FailedPartProps {
  query: Pick<ShownQuery<unknown>, 'error' | 'retry'>;
  /** What the reader does not see, or sees only as it was: "Computed columns could not be loaded". */
  consequence: string;
}

/** The failure of a query without which the rest of the page still shows; nothing while it has not failed. */
export function FailedPart(props: FailedPartProps): JSX.Element {
  return (
    <Show when={props.query.error}>
      {(error) => (
        <p class="stale-line" role="status">
          {props.consequence}: {error().detail} <span class="mono">{error().code}</span>
          <Button kind="quiet" size="small" onClick={() => props.query.retry()}>
            Retry
          </Button>
        </p>
      )}
    </Show>
  );
}
