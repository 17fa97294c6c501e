import { For, Show, type JSX } from 'solid-js';
import { addresses } from '#shared/addresses.ts';
import { Card } from '#renderer/ui/Card.tsx';
import { ChoiceButtons } from '#renderer/ui/ChoiceButtons.tsx';
import { asChoice } from '#renderer/state/url-kinds.ts';
import { createUrlSignal } from '#renderer/state/url.ts';
import { Code } from './Code.tsx';
import { getExample, languages, topics, type Language } from './examples.ts';

const languageIds = Object.keys(languages) as [Language, ...Language[]];

/** Examples of scripts that use the API, in the chosen language. */
export function ScriptExamples(): JSX.Element {
  const [language, setLanguage] = createUrlSignal('language', asChoice(languageIds, 'sh'));
  return (
    <Card
      title="API for scripts"
      description="All pages use this HTTP API of the local service"
      controls={<ChoiceButtons labels={languages} selected={language()} onChoose={setLanguage} />}
    >
      <div id="scripts" class="help-scripts">
        <p>
          Lists and tables are available as JSON, and as CSV with <code>format=csv</code> or{' '}
          <code>Accept: text/csv</code>, or Parquet with <code>format=parquet</code>. Files contain
          the whole list; where a response has several tables, <code>table</code> selects one.
          Numbers have full precision; in CSV, <code>Inf</code> is infinity, an empty field is a
          missing value, an interval has two columns (<code>ertMoverInterval.lower</code>,{' '}
          <code>ertMoverInterval.upper</code>). Text that a spreadsheet would read as a formula
          starts with an apostrophe.{' '}
          <a href={addresses.getDocs.path} target="_blank">
            API documentation
          </a>
        </p>
        <p>
          Runs can be exported to other programs: <code>{addresses.exportIohprofiler.path}</code>{' '}
          for IOHanalyzer and IOHinspector, <code>{addresses.exportCoco.path}</code> for cocopp, and{' '}
          <code>{addresses.exportTraces.path}</code> with <code>format=parquet</code>. The kind is{' '}
          <code>campaign</code>, <code>problem</code> or <code>experiment</code>.
        </p>
        <p>The scripts below read the URL of the service from an environment variable:</p>
        <Code name="URL of the service" text={`export EVOSCOPE_URL=${window.location.origin}`} />
        <For each={topics}>
          {({ id, title }) => (
            <section>
              <h3>{title}</h3>
              <Show
                when={getExample(id, language())}
                fallback={
                  <p class="muted">
                    {languages[language()]} needs a package for this; see the other languages.
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
