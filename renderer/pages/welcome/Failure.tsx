import { Show, type JSX } from 'solid-js';

/** An error message, announced immediately; nothing without one. */
export function Failure(props: { text: string | null | undefined }): JSX.Element {
  return (
    <Show when={props.text}>
      <p class="welcome-failure" role="alert">
        {props.text}
      </p>
    </Show>
  );
}
