import { createMemo, For, Show, type JSX } from 'solid-js';
import { createNow } from '#renderer/state/now.ts';
import { getServiceTime } from '#renderer/state/service-clock.ts';
import { isWaitingForRunner, getStopProgress, type StopSubject } from './stop-progress.ts';
import './stop.css';
import { getRequestFacts, describeStop, type RequestFact, type StopWords } from './stop-words.ts';

interface StopProgressProps {
  subject: StopSubject;
  /** With the reason alone, without the times. */
  isBrief?: boolean;
}

/** The progress of a stop request of a run or experiment with its reason; nothing without a request. */
export function StopProgress(props: StopProgressProps): JSX.Element {
  const words = createStopWords(() => props.subject);
  const facts = (): readonly RequestFact[] =>
    getRequestFacts(props.subject).filter(
      ({ label }) => props.isBrief !== true || label === 'Reason',
    );
  return (
    <Show when={words()}>
      {(text) => (
        <section
          class={`stop-progress stop-${text().tone}`}
          classList={{ 'stop-progress-brief': props.isBrief === true }}
          aria-label="Stop request"
        >
          <p class="visually-hidden" role="status">
            {text().announcement}
          </p>
          <div>
            <p class="stop-title">{text().title}</p>
            <p>{text().detail}</p>
          </div>
          <dl class="stop-facts">
            <For each={facts()}>
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

/**
 * Returns the words for the progress of a stop request, updated every second while the runner's response is pending.
 */
export function createStopWords(subject: () => StopSubject): () => StopWords | null {
  const getProgress = (nowMillis: number) => getStopProgress(subject(), nowMillis);
  const now = createNow(() => isWaitingForRunner(getProgress(getServiceTime())));
  return createMemo(() => describeStop(getProgress(now()), subject()));
}
