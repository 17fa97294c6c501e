import { A } from '@solidjs/router';
import { For, Show, type JSX } from 'solid-js';
import type { GuardedSamples } from '#shared/schemas/analysis-guard.ts';
import { Select } from '#renderer/ui/Select.tsx';
import { WithTerms } from '#renderer/ui/TermCard.tsx';
import { getShortId } from '#shared/words.ts';
import { getRunPath } from '#renderer/paths.ts';
import { createGuardChoice } from './guard-choice.ts';
import './analysis.css';

/** Conditions of the claims: common budget, exclusions, and silent runs that delay them. */
export function GuardLine(props: { guard: GuardedSamples; budgets?: string }): JSX.Element {
  const guard = () => props.guard;
  const heading = (): string => [guard().heading, props.budgets].filter(Boolean).join(' ');
  return (
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
                <A href={getRunPath(runId)}>{getShortId(runId)}</A>
              </>
            )}
          </For>
          {guard().silentRuns.length > mostSilentRuns &&
            ` and ${guard().silentRuns.length - mostSilentRuns} more`}
          . Mark crashed runs as failed on their page, or count silent runs as failed.
        </p>
      </Show>
    </div>
  );
}

const mostSilentRuns = 5;

/** Choice of the runs that enter the tests; only the choices with an effect. */
export function GuardChoices(props: { guard: GuardedSamples }): JSX.Element {
  const choice = createGuardChoice();
  const guard = () => props.guard;
  return (
    <>
      <Show when={guard().hasFailed}>
        <Select
          label="Failed runs"
          size="small"
          value={choice.failed()}
          options={[
            { value: 'include', label: 'count as failures' },
            { value: 'exclude', label: 'excluded' },
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
            { value: 'exclude', label: 'excluded (exploratory)' },
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
    </>
  );
}
