import { For, Show, type JSX } from 'solid-js';
import { addresses } from '#shared/addresses.ts';
import { Button } from '#renderer/components/Button.tsx';
import { Card } from '#renderer/components/Card.tsx';
import { ChoiceButtons } from '#renderer/components/ChoiceButtons.tsx';
import { copyText } from '#renderer/components/clipboard.ts';
import { asChoice } from '#renderer/state/url-kinds.ts';
import { createUrlSignal } from '#renderer/state/url.ts';
import { exampleOf, languages, topics, type Language } from './examples.ts';

const known = Object.keys(languages) as [Language, ...Language[]];

/** How scripts use the API, in the language that is chosen. */
export function ScriptExamples(): JSX.Element {
  const [language, setLanguage] = createUrlSignal('language', asChoice(known, 'sh'));
  return (
    <Card
      title="For scripts"
      description="What the pages show comes from an API on this computer, with the same numbers"
      controls={<ChoiceButtons labels={languages} chosen={language()} onChoose={setLanguage} />}
    >
      <div id="scripts" class="help-scripts">
        <p>
          Every list and every table of an analysis is JSON, and CSV with <code>format=csv</code> or{' '}
          <code>Accept: text/csv</code>: lists whole, whatever their length; where there are several
          tables, <code>table</code> names one. Numbers have all their digits, <code>Inf</code> is
          infinite, an empty field has no value, an interval is two columns (
          <code>ertInterval.lower</code>, <code>ertInterval.upper</code>). A text that a spreadsheet
          would take for a formula begins with an apostrophe.{' '}
          <a href={addresses.getDocs.path} target="_blank">
            Every call, with what it takes and answers
          </a>
        </p>
        <p>The scripts below find the service by its address in the environment:</p>
        <Code name="The address" text={`export EVOSCOPE_URL=${window.location.origin}`} />
        <For each={topics}>
          {({ id, title }) => (
            <section>
              <h3>{title}</h3>
              <Show
                when={exampleOf(id, language())}
                fallback={
                  <p class="muted">
                    {languages[language()]} needs a package for this; the others show the call.
                  </p>
                }
              >
                {(text) => <Code name={title} text={text()} />}
              </Show>
            </section>
          )}
        </For>
      </div>
    </Card>
  );
}

function Code(props: { name: string; text: string }): JSX.Element {
  return (
    <div class="help-script">
      <pre class="help-code" tabIndex={0} role="region" aria-label={props.name}>
        {props.text}
      </pre>
      <Button size="small" icon="copy" onClick={() => void copyText(props.text, 'the script')}>
        Copy
      </Button>
    </div>
  );
}
