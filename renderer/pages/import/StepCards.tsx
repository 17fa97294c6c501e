import { createUniqueId, For, onMount, Show, type JSX } from 'solid-js';
import { describeCount } from '#shared/number-format.ts';
import { Button } from '#renderer/ui/Button.tsx';
import { Card } from '#renderer/ui/Card.tsx';
import { Check } from '#renderer/ui/Check.tsx';
import { FailureLine } from '#renderer/ui/FailureLine.tsx';
import { Select } from '#renderer/ui/Select.tsx';
import { TextField } from '#renderer/ui/TextField.tsx';
import type { ImportResult } from '#shared/schemas/import.ts';
import { FoundTable, NotesCard } from './Findings.tsx';
import type { Direction, ImportPageState, Step } from './import-state.ts';
import { getAlgorithmNames, describeEffect, getImportAction } from './import-words.ts';

interface StepProps<Kind extends Step['kind']> {
  step: Extract<Step, { kind: Kind }>;
  page: ImportPageState;
}

const directions: readonly { value: Direction; label: string }[] = [
  { value: 'data', label: 'from the data' },
  { value: 'min', label: 'minimise' },
  { value: 'max', label: 'maximise' },
];

/** Progress of the check or import, with a button to cancel. */
export function BusyCard(props: StepProps<'busy'>): JSX.Element {
  const id = createUniqueId();
  return (
    <Card
      title={props.step.dryRun ? 'Checking' : 'Importing'}
      description={
        props.step.dryRun
          ? 'Nothing is written yet.'
          : 'The data appear when the import finishes. Cancelling leaves nothing behind.'
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

/** Contents and notes of a source, and the options of its import. */
export function FoundCard(props: StepProps<'found'>): JSX.Element {
  const result = () => props.step.result;
  const names = () => getAlgorithmNames(result(), props.page.algorithmNames());
  const isOtherDataSet = () => props.page.name().trim() !== result().dataset;
  const isRenamed = () => isOtherDataSet() || names().some(({ isChanged }) => isChanged);
  const action = () =>
    getImportAction(result(), {
      isRenamed: isRenamed(),
      hasEqualNames: names().some(({ isTaken }) => isTaken),
      replaces: props.step.replaces,
      isReference: props.page.isReference(),
    });
  const submit = (event: Event): void => {
    event.preventDefault();
    if (action().reason !== undefined) return;
    if (isRenamed()) props.page.check(props.step.replaces && !isOtherDataSet());
    else props.page.run(props.step.replaces);
  };
  return (
    <>
      <Card title="Contents" description={describeEffect(result(), false)} flush>
        <FoundTable result={result()} isDone={false} />
        <form class="import-where" onSubmit={submit}>
          <NameField page={props.page} />
          <Select
            label="Direction"
            value={props.page.direction()}
            options={directions}
            onChange={(direction) => {
              props.page.setDirection(direction);
              props.page.check(props.step.replaces);
            }}
          />
          <Show when={isBudgetUnknown(result()) || props.page.budget() !== ''}>
            <TextField
              label="Budget per run (evaluations)"
              value={props.page.budget()}
              inputmode="numeric"
              autocomplete="off"
              title="Traces end at the last improvement. Without a budget, comparisons assume equal budgets."
              onInput={props.page.setBudget}
            />
          </Show>
          <Show when={result().campaigns.some(({ suite }) => suite !== null)}>
            <Check checked={props.page.isReference()} onChange={props.page.setReference}>
              Use as reference for other campaigns
            </Check>
          </Show>
          <Button
            kind={props.step.replaces ? 'danger' : 'primary'}
            type="submit"
            disabledReason={action().reason}
          >
            {action().label}
          </Button>
          <AlgorithmNames page={props.page} result={result()} />
        </form>
        <Show when={props.step.replaces}>
          <p class="notice-line">
            {`Everything imported as “${result().dataset}” (campaigns, experiments, runs) is deleted first.`}
          </p>
        </Show>
      </Card>
      <NotesCard notes={result().notes} />
    </>
  );
}

/** Fields that rename the algorithms of a source; the label of each is the name in the source. */
function AlgorithmNames(props: { page: ImportPageState; result: ImportResult }): JSX.Element {
  const isTaken = (algorithm: string): boolean =>
    getAlgorithmNames(props.result, props.page.algorithmNames()).some(
      (one) => one.source === algorithm && one.isTaken,
    );
  return (
    <Show when={props.result.algorithms.length > 0}>
      <details class="import-names">
        <summary>Rename {describeCount(props.result.algorithms.length, 'algorithm')}</summary>
        <div class="import-name-fields">
          <For each={props.result.algorithms}>
            {({ source, name }) => (
              <TextField
                label={source}
                value={props.page.algorithmNames()[source] ?? name}
                maxLength={500}
                spellcheck={false}
                autocomplete="off"
                error={isTaken(source) ? 'Another algorithm has this name.' : undefined}
                onInput={(typed) => props.page.renameAlgorithm(source, typed)}
              />
            )}
          </For>
        </div>
      </details>
    </Show>
  );
}

/** Whether the data do not state how many evaluations the runs used. */
function isBudgetUnknown({ notes }: ImportResult): boolean {
  return notes.some(({ code }) => code === 'BUDGET_UNKNOWN');
}

function NameField(props: { page: ImportPageState; isFocused?: boolean }): JSX.Element {
  let field: HTMLInputElement | undefined;
  onMount(() => props.isFocused && field?.select());
  return (
    <TextField
      ref={(element: HTMLInputElement) => (field = element)}
      label="Data set name"
      value={props.page.name()}
      maxLength={200}
      spellcheck={false}
      autocomplete="off"
      onInput={(name) => props.page.setName(name)}
    />
  );
}

/** Reason why the service refuses the import, with the options to continue. */
export function FailedCard(props: StepProps<'failed'>): JSX.Element {
  const refusal = () => props.step.refusal;
  const titleId = createUniqueId();
  const isConflict = () => refusal().code === 'IMPORT_CONFLICT';
  const rename = (event: Event): void => {
    event.preventDefault();
    props.page.check();
  };
  return (
    <>
      <Card title={isConflict() ? 'Name already used for different data' : 'Not imported'}>
        <div class="import-failed" id={titleId}>
          <FailureLine error={refusal()} />
          <Show when={isConflict() && props.page.source()}>
            <form class="import-where" onSubmit={rename}>
              <NameField page={props.page} isFocused />
              <Button kind="primary" type="submit">
                Use this name
              </Button>
              <Button kind="danger" onClick={() => props.page.check(true)}>
                Replace data set…
              </Button>
            </form>
          </Show>
          <div class="import-actions">
            <Show when={refusal().code === 'RUNNER_WRITING' && props.page.source()}>
              <Button kind="danger" onClick={() => props.page.run(props.step.replaces, true)}>
                Import anyway
              </Button>
            </Show>
            <Show
              when={!isConflict() && refusal().code !== 'DATABASE_CHANGED' && props.page.source()}
            >
              <Button onClick={() => props.page.check()}>Retry</Button>
            </Show>
            <Button kind="quiet" onClick={() => props.page.startOver()}>
              Choose another source
            </Button>
          </div>
        </div>
      </Card>
      <NotesCard notes={refusal().notes} />
    </>
  );
}

/** The imported data, with links. */
export function DoneCard(props: StepProps<'done'>): JSX.Element {
  return (
    <>
      <Card
        title={`“${props.step.result.dataset}” imported`}
        description={describeEffect(props.step.result, true)}
        controls={<Button onClick={() => props.page.startOver()}>Import another</Button>}
        flush
      >
        <FoundTable result={props.step.result} isDone />
      </Card>
      <NotesCard notes={props.step.result.notes} />
    </>
  );
}
