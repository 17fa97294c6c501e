import { A } from '@solidjs/router';
import { createSignal, For, Show, type JSX } from 'solid-js';
import type { ProblemComparison } from '#shared/schemas/analysis.ts';
import { effectsOfInterest } from '#shared/words.ts';
import { Button } from '#renderer/components/Button.tsx';
import { Card } from '#renderer/components/Card.tsx';
import { Select } from '#renderer/components/Select.tsx';
import { ItemsWithTerms, WithTerms } from '#renderer/components/TermCard.tsx';
import { runPath } from '#renderer/paths.ts';
import { createGuardChoice } from './guard-choice.ts';

/** Sentences that are shown until more are requested. */
const firstSentences = 3;

/** What the tests of a comparison support, in sentences, and what they rest on: budget, runs, and the reader's choices. */
export function Verdict(props: { answer: ProblemComparison }): JSX.Element {
  const [isWhole, showWhole] = createSignal(false);
  // The line above the sentences has the heading already.
  const all = () => props.answer.verdict.filter(({ text }) => text !== props.answer.guard.heading);
  const sentences = () => (isWhole() ? all() : all().slice(0, firstSentences));
  const more = (): number => all().length - firstSentences;
  return (
    <Show when={props.answer.verdict.length > 0}>
      <Card
        title="Verdict"
        description="What the tests below support, strongest evidence first"
        controls={
          <>
            <GuardChoices answer={props.answer} />
            <Show when={more() > 0}>
              <Button size="small" aria-expanded={isWhole()} onClick={() => showWhole(!isWhole())}>
                {isWhole() ? 'Show less' : `Show ${more()} more`}
              </Button>
            </Show>
          </>
        }
      >
        <GuardLine answer={props.answer} />
        <ol class="verdict">
          {/* A number stays with what it belongs to. */}
          <ItemsWithTerms
            texts={sentences().map(({ text }) => text.replaceAll(' = ', '\u00a0=\u00a0'))}
          />
        </ol>
      </Card>
    </Show>
  );
}

/** Under which conditions the verdict holds, what was left out, and which silent runs hold it up. */
function GuardLine(props: { answer: ProblemComparison }): JSX.Element {
  const guard = () => props.answer.guard;
  const heading = (): string => [guard().heading, guard().text].filter(Boolean).join(' ');
  return (
    <Show when={props.answer.algorithms.length > 1}>
      <div
        class="guard-line"
        classList={{ 'guard-open': guard().isInterim || guard().isExploratory }}
      >
        <Show when={heading()}>
          {(text) => (
            <p>
              <WithTerms text={text()} />
            </p>
          )}
        </Show>
        <For each={guard().notes}>{(note) => <p>{note}</p>}</For>
        <Show when={guard().silent === 'running' && guard().silentRuns.length > 0}>
          <p>
            No new data for a long time from{' '}
            <For each={guard().silentRuns.slice(0, mostSilentRuns)}>
              {({ runId }, index) => (
                <>
                  {index() > 0 && ', '}
                  <A href={runPath(runId)}>{runId.slice(0, mostIdCharacters)}</A>
                </>
              )}
            </For>
            {guard().silentRuns.length > mostSilentRuns &&
              ` and ${guard().silentRuns.length - mostSilentRuns} more`}
            . Mark crashed runs as failed on their page, or count silent runs as failed.
          </p>
        </Show>
      </div>
    </Show>
  );
}

const mostSilentRuns = 5;
const mostIdCharacters = 20;

/** Which runs enter the tests, and which effect the number of needed runs is for; only choices that matter here. */
function GuardChoices(props: { answer: ProblemComparison }): JSX.Element {
  const choice = createGuardChoice();
  const guard = () => props.answer.guard;
  const isPaired = () => props.answer.algorithms.length > 1;
  return (
    <Show when={isPaired()}>
      <Show when={guard().hasFailed}>
        <Select
          label="Failed runs"
          size="small"
          value={choice.failed()}
          options={[
            { value: 'include', label: 'count as failures' },
            { value: 'exclude', label: 'left out' },
          ]}
          onChange={choice.setFailed}
        />
      </Show>
      <Show when={guard().hasStopped}>
        <Select
          label="Stopped runs"
          size="small"
          value={choice.stopped()}
          options={[
            { value: 'include', label: 'included' },
            { value: 'exclude', label: 'left out (exploratory)' },
          ]}
          onChange={choice.setStopped}
        />
      </Show>
      <Show when={guard().silentRuns.length > 0}>
        <Select
          label="Silent runs"
          size="small"
          value={choice.silent()}
          options={[
            { value: 'running', label: 'count as running' },
            { value: 'failed', label: 'count as failed' },
          ]}
          onChange={choice.setSilent}
        />
      </Show>
      <Select
        label="Effect of interest"
        size="small"
        value={choice.effect()}
        options={effectsOfInterest.map((value) => ({ value, label: `A12 ≥ ${value}` }))}
        onChange={choice.setEffect}
      />
    </Show>
  );
}
