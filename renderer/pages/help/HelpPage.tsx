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

/** All terms, the shortcuts, and a link to the API. A term in the URL is scrolled to. */
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
        <Card title="Glossary" description="Definitions and formulas">
          <dl class="help-terms">
            <For each={terms}>
              {([id, term]) => (
                <div
                  id={id}
                  class="term-text"
                  classList={{ 'help-target': location.hash === `#${id}` }}
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
          title="Keyboard shortcuts"
          description="Pages, tables and charts have their own shortcuts. Ctrl K (⌘ K on a Mac) searches all commands."
        >
          <Button onClick={() => setKeyListOpen(true)}>Show keyboard shortcuts (?)</Button>
        </Card>
        <ScriptExamples />
      </div>
    </>
  );
}
