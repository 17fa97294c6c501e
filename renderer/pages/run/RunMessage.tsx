import { For, type JSX } from 'solid-js';
import type { RunDetail } from '#shared/schemas/run.ts';
import { runMessages } from './run-message.ts';

/** Why a run failed or stopped, in full. */
export function RunMessage(props: { run: RunDetail }): JSX.Element {
  return (
    <For each={runMessages(props.run)}>
      {(message) => (
        <p class={`run-message run-message-${message.kind}`}>
          <strong>{message.title}</strong>
          <span>{message.text}</span>
        </p>
      )}
    </For>
  );
}
