import { Show, type JSX } from 'solid-js';

interface EmptyStateProps {
  title: string;
  /** Why it is empty and what to do about it. */
  children?: JSX.Element;
  actions?: JSX.Element;
}

/** States that there is nothing, why, and what to do. */
export function EmptyState(props: EmptyStateProps): JSX.Element {
  return (
    <div class="panel">
      <p class="panel-title">{props.title}</p>
      <Show when={props.children}>
        <div class="panel-text">{props.children}</div>
      </Show>
      <Show when={props.actions}>
        <div class="panel-actions">{props.actions}</div>
      </Show>
    </div>
  );
}
