import { A, useLocation } from '@solidjs/router';
import { createEffect, createMemo, createSignal, For, Show, type JSX } from 'solid-js';
import { glossary, type Term } from '#shared/glossary.ts';
import { pagePaths } from '#shared/pages.ts';
import { Button } from '#renderer/ui/Button.tsx';
import { Card } from '#renderer/ui/Card.tsx';
import { PageHeader } from '#renderer/features/frame/PageHeader.tsx';
import { TermText } from '#renderer/ui/TermCard.tsx';
import { TextField } from '#renderer/ui/TextField.tsx';
import { setKeyListOpen } from '#renderer/state/frame.ts';
import { Assistants } from './Assistants.tsx';
import { RecordingWays } from './RecordingWays.tsx';
import { ScriptExamples } from './ScriptExamples.tsx';
import { getTermsMatching } from './terms-matching.ts';
import './help.css';

/**
 * First steps, recording, assistants, shortcuts, examples for scripts, and the glossary with a search. Scrolls to a
 * term in the address.
 */
export function HelpPage(): JSX.Element {
  const location = useLocation();
  const [search, setSearch] = createSignal('');
  const terms = (Object.entries(glossary) as [string, Term][]).sort(([, a], [, b]) =>
    a.name.localeCompare(b.name, 'en'),
  );
  const matching = createMemo(() => getTermsMatching(terms, search()));
  createEffect(() => document.getElementById(location.hash.slice(1))?.scrollIntoView());
  return (
    <>
      <PageHeader title="Help" />
      <div class="help">
        <nav class="help-contents" aria-label="Contents">
          <a href="#first-steps">First steps</a>
          <a href="#recording">Get your runs in</a>
          <a href="#assistants">Ask an assistant</a>
          <a href="#shortcuts">Keyboard shortcuts</a>
          <a href="#scripts">Scripts</a>
          <a href="#glossary">Glossary</a>
        </nav>
        <div id="first-steps">
          <Card title="First steps" description="From a database of runs to the table for a paper">
            <ol class="help-steps">
              <li>
                Watch runs live in <A href={pagePaths.runs}>Runs</A>; click a row to see its
                fitness, model and events. Data of other tools come in by{' '}
                <A href={pagePaths.import}>Import</A>.
              </li>
              <li>
                Compare algorithms on the same problem in <A href={pagePaths.problems}>Problems</A>:
                the verdict first, then the tests that support it. For single runs, select 2 to 20
                rows in Runs and click Compare.
              </li>
              <li>
                See ERT and ECDF of COCO campaigns in <A href={pagePaths.campaigns}>COCO</A>.
              </li>
              <li>
                Export: each chart as SVG, PNG or pgfplots, each table as CSV or LaTeX, a whole page
                as an archive, whose numbers <code>evoscope verify</code> recomputes, and runs as
                IOHprofiler data, COCO data or Parquet, see <a href="#scripts">API for scripts</a>.
              </li>
            </ol>
          </Card>
        </div>
        <div id="recording">
          <RecordingWays />
        </div>
        <div id="assistants">
          <Assistants />
        </div>
        <div id="shortcuts">
          <Card
            title="Keyboard shortcuts"
            description="Pages, tables and charts have their own shortcuts. Ctrl K (⌘ K on a Mac) searches all commands."
          >
            <Button onClick={() => setKeyListOpen(true)}>Show keyboard shortcuts (?)</Button>
          </Card>
        </div>
        <div id="scripts">
          <ScriptExamples />
        </div>
        <div id="glossary">
          <Card title="Glossary" description="Definitions and formulas">
            <TextField
              label="Search the glossary"
              type="search"
              autocomplete="off"
              value={search()}
              onInput={setSearch}
            />
            <Show
              when={matching().length > 0}
              fallback={
                <p class="muted">No term contains “{search()}”. Try another or a shorter word.</p>
              }
            >
              <dl class="help-terms">
                <For each={matching()}>
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
            </Show>
          </Card>
        </div>
      </div>
    </>
  );
}
