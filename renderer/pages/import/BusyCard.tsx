import { createUniqueId, type JSX } from 'solid-js';
import { Button } from '#renderer/components/Button.tsx';
import { Card } from '#renderer/components/Card.tsx';
import type { ImportPageState, Step } from './import-state.ts';

/** How far it is, with a way to end it. */
export function BusyCard(props: {
  step: Extract<Step, { kind: 'busy' }>;
  page: ImportPageState;
}): JSX.Element {
  const id = createUniqueId();
  return (
    <Card
      title={props.step.dryRun ? 'Looking at it' : 'Importing'}
      description={
        props.step.dryRun
          ? 'Nothing is written yet.'
          : 'All of it becomes visible at once at the end. Cancelled, nothing of it stays.'
      }
    >
      <div class="import-busy">
        <p id={id} class="import-progress-text">
          {props.step.words.text}
        </p>
        <progress
          aria-labelledby={id}
          max="1"
          {...(props.step.words.share !== null && { value: props.step.words.share })}
        />
        <Button onClick={() => props.page.cancel()}>Cancel</Button>
      </div>
    </Card>
  );
}
