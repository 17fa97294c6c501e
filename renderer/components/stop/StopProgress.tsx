import { createMemo, For, Show, type JSX } from 'solid-js';
import { createNow } from '#renderer/state/now.ts';
import { isWaitingForRunner, stopProgress, type StopSubject } from './stop-progress.ts';
import './stop.css';
import { requestFacts, stopWords, type StopWords } from './stop-words.ts';

/** How far the stop of a run or experiment has come, and why it was asked; nothing when it was not. */
export function StopProgress(props: { subject: StopSubject }): JSX.Element {
  const words = createStopWords(() => props.subject);
  return (
    <Show when={words()}>
      {(shown) => (
        <section class={`stop-progress stop-${shown().tone}`} aria-label="Stop request">
          <p class="visually-hidden" role="status">
            {shown().announcement}
          </p>
          <div>
            <p class="stop-title">{shown().title}</p>
            <p>{shown().detail}</p>
          </div>
          <dl class="stop-facts">
            <For each={requestFacts(props.subject)}>
              {(fact) => (
                <div>
                  <dt>{fact.label}</dt>
                  <dd title={fact.title}>{fact.value}</dd>
                </div>
              )}
            </For>
          </dl>
        </section>
      )}
    </Show>
  );
}

/** The words for a stop's progress, told anew every second while the runner's answer is awaited. */
export function createStopWords(subject: () => StopSubject): () => StopWords | null {
  const now = createNow(() => isWaitingForRunner(stopProgress(subject(), Date.now())));
  return createMemo(() => stopWords(stopProgress(subject(), now()), subject()));
}
