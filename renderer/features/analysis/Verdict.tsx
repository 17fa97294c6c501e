import { createSignal, Show, type JSX } from 'solid-js';
import type { ProblemComparison } from '#shared/schemas/analysis.ts';
import { effectsOfInterest } from '#shared/words.ts';
import { Button } from '#renderer/ui/Button.tsx';
import { Card } from '#renderer/ui/Card.tsx';
import { Select } from '#renderer/ui/Select.tsx';
import { ItemsWithTerms } from '#renderer/ui/TermCard.tsx';
import { createGuardChoice } from './guard-choice.ts';
import { GuardChoices, GuardLine } from './GuardLine.tsx';
import { describeVerdict } from './pair-words.ts';

/** Number of sentences shown before "Show more". */
const firstSentences = 3;

/** Sentences on what the tests support, and their basis: budget, runs, and the user's choices. */
export function Verdict(props: { response: ProblemComparison }): JSX.Element {
  const [isWhole, showWhole] = createSignal(false);
  // The line above the sentences already shows the heading.
  const all = () =>
    props.response.verdict.filter(({ text }) => text !== props.response.guard.heading);
  const sentences = () => (isWhole() ? all() : all().slice(0, firstSentences));
  const more = (): number => all().length - firstSentences;
  return (
    <Show when={props.response.verdict.length > 0}>
      <Card
        title="Verdict"
        description={describeVerdict(props.response)}
        controls={
          <>
            <Show when={props.response.algorithms.length > 1}>
              <GuardChoices guard={props.response.guard} />
              <EffectChoice />
            </Show>
            <Show when={more() > 0}>
              <Button size="small" aria-expanded={isWhole()} onClick={() => showWhole(!isWhole())}>
                {isWhole() ? 'Show less' : `Show ${more()} more`}
              </Button>
            </Show>
          </>
        }
      >
        <Show when={props.response.algorithms.length > 1}>
          <GuardLine guard={props.response.guard} budgets={props.response.guard.text} />
        </Show>
        <ol class="verdict">
          {/* Keeps a number next to its noun. */}
          <ItemsWithTerms
            texts={sentences().map(({ text }) => text.replaceAll(' = ', '\u00a0=\u00a0'))}
          />
        </ol>
      </Card>
    </Show>
  );
}

/** Choice of the effect that the number of needed runs must detect. */
function EffectChoice(): JSX.Element {
  const choice = createGuardChoice();
  return (
    <Select
      label="Effect of interest"
      size="small"
      value={choice.effect()}
      options={effectsOfInterest.map((value) => ({ value, label: `A12 ≥ ${value}` }))}
      onChange={choice.setEffect}
    />
  );
}
