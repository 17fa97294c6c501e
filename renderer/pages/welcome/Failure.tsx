import { Show, type JSX } from 'solid-js';

/** Why something could not be done, said at once; nothing where there is nothing to say. */
export function Failure(props: { text: string | null | undefined }): JSX.Element {
  return (
    <Show when={props.text}>
      <p class="welcome-failure" role="alert">
        {props.text}
      </p>
    </Show>
  );
}
