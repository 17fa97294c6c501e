import { createSignal, For, Show, type JSX } from 'solid-js';
import type { ProblemComparison } from '#shared/schemas/analysis.ts';
import { formatFitness } from '#shared/number-format.ts';
import { Button } from '#renderer/components/Button.tsx';
import { Card } from '#renderer/components/Card.tsx';
import { WithTerms } from '#renderer/components/TermCard.tsx';
import { createObjective } from './asked-objective.ts';

/** Sentences that are read before anything is asked for. */
const firstSentences = 2;

/** What the tests of a comparison support, in sentences; without a target, targets to choose from. */
export function Verdict(props: { answer: ProblemComparison }): JSX.Element {
  const [isWhole, showWhole] = createSignal(false);
  const sentences = () =>
    isWhole() ? props.answer.verdict : props.answer.verdict.slice(0, firstSentences);
  const more = (): number => props.answer.verdict.length - firstSentences;
  return (
    <Show when={props.answer.verdict.length > 0}>
      <Card
        title="Verdict"
        description="What the tests below support, best supported first"
        controls={
          <Show when={more() > 0}>
            <Button size="small" aria-expanded={isWhole()} onClick={() => showWhole(!isWhole())}>
              {isWhole() ? 'Fewer sentences' : `${more()} more`}
            </Button>
          </Show>
        }
      >
        <ol class="verdict">
          <For each={sentences()}>
            {({ text }) => (
              <li>
                <WithTerms text={text} />
              </li>
            )}
          </For>
        </ol>
        <SuggestedTargets answer={props.answer} />
      </Card>
    </Show>
  );
}

function SuggestedTargets(props: { answer: ProblemComparison }): JSX.Element {
  const { setTarget } = createObjective();
  const values = (): readonly number[] =>
    props.answer.notes.find(({ code }) => code === 'SUGGESTED_TARGETS')?.values ?? [];
  return (
    <Show when={values().length > 0}>
      <p class="verdict-targets">
        <span class="muted">Compare by a target:</span>
        <For each={values()}>
          {(value) => (
            <Button size="small" onClick={() => setTarget(value)}>
              {formatFitness(value)}
            </Button>
          )}
        </For>
      </p>
    </Show>
  );
}
