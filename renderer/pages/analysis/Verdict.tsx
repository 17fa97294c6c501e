import { createSignal, Show, type JSX } from 'solid-js';
import type { ProblemComparison } from '#shared/schemas/analysis.ts';
import { Button } from '#renderer/components/Button.tsx';
import { Card } from '#renderer/components/Card.tsx';
import { ItemsWithTerms } from '#renderer/components/TermCard.tsx';

/** Sentences that are read before anything is asked for. */
const firstSentences = 2;

/** What the tests of a comparison support, in sentences. */
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
          {/* A number stays with what it is of. */}
          <ItemsWithTerms
            texts={sentences().map(({ text }) => text.replaceAll(' = ', '\u00a0=\u00a0'))}
          />
        </ol>
      </Card>
    </Show>
  );
}
