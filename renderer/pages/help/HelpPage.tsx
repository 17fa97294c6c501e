import { createEffect, For, type JSX } from 'solid-js';
import { useLocation } from '@solidjs/router';
import { glossary, type Term } from '#shared/glossary.ts';
import { Button } from '#renderer/components/Button.tsx';
import { Card } from '#renderer/components/Card.tsx';
import { PageHeader } from '#renderer/components/PageHeader.tsx';
import { TermText } from '#renderer/components/TermCard.tsx';
import { setKeyListOpen } from '#renderer/state/frame.ts';
import { ScriptExamples } from './ScriptExamples.tsx';
import './help.css';

/** Every term by its name, the keys, and the way to the API. A term in the address is scrolled to. */
export function HelpPage(): JSX.Element {
  const location = useLocation();
  const terms = (Object.entries(glossary) as [string, Term][]).sort(([, a], [, b]) =>
    a.name.localeCompare(b.name, 'en'),
  );
  createEffect(() => document.getElementById(location.hash.slice(1))?.scrollIntoView());
  return (
    <>
      <PageHeader title="Help" />
      <div class="help">
        <Card
          title="Terms"
          description="What the words on the pages mean, and how each figure is computed"
        >
          <dl class="help-terms">
            <For each={terms}>
              {([id, term]) => (
                <div
                  id={id}
                  class="term-text"
                  classList={{ 'help-asked': location.hash === `#${id}` }}
                >
                  <dt>{term.name}</dt>
                  <dd>
                    <TermText term={term} />
                  </dd>
                </div>
              )}
            </For>
          </dl>
        </Card>
        <Card
          title="Keys"
          description="Each page, table and chart has its own; Ctrl K, on a Mac ⌘ K, finds everything by name"
        >
          <Button onClick={() => setKeyListOpen(true)}>List of keys (?)</Button>
        </Card>
        <ScriptExamples />
      </div>
    </>
  );
}
