import { A } from '@solidjs/router';
import { createSignal, Show, type JSX } from 'solid-js';
import { pagePaths } from '#shared/pages.ts';
import type { DatabaseChoices } from '#shared/schemas/databases.ts';
import type { ProblemError } from '#renderer/state/problem-error.ts';
import { Button } from '#renderer/ui/Button.tsx';
import { Card } from '#renderer/ui/Card.tsx';
import { busyWith, makeSample, openPlace } from '#renderer/features/databases/opening.ts';
import { TextField } from '#renderer/ui/TextField.tsx';
import { getDesktopBridge } from '#renderer/desktop.ts';
import { Failure } from './Failure.tsx';
import { getFileNameFault, getFreeName, addExtension } from './file-names.ts';

/** Creates a new, empty database. */
export function NewCard(props: { choices: DatabaseChoices }): JSX.Element {
  return (
    <Card title="New database" description="An empty database for a runner or an import.">
      <NameForm
        id="new"
        choices={props.choices}
        button="Create database"
        name={getFreeName('evoscope', props.choices)}
        make={(file) => openPlace({ file }, file)}
      />
    </Card>
  );
}

/** Creates a database with sample data. */
export function SampleCard(props: { choices: DatabaseChoices }): JSX.Element {
  return (
    <Card
      title="Sample data"
      description="Runs of four algorithms and a COCO campaign, in a new file. Takes a few seconds."
    >
      <NameForm
        id="sample"
        choices={props.choices}
        button="Create sample data"
        name={getFreeName('sample', props.choices)}
        make={makeSample}
      />
    </Card>
  );
}

interface NameFormProps {
  id: string;
  choices: DatabaseChoices;
  button: string;
  /** Default name of the file. */
  name: string;
  make: (file: string) => Promise<ProblemError | null>;
}

/** Asks for the name of a new file: in the served folder, else with the system's dialog. */
function NameForm(props: NameFormProps): JSX.Element {
  const [typedName, setTypedName] = createSignal<string>();
  const [failure, setFailure] = createSignal<string>();
  const name = (): string => typedName() ?? props.name;
  const fault = (): string | undefined =>
    props.choices.folder === null ? undefined : getFileNameFault(name(), props.choices);
  const submit = async (event: Event): Promise<void> => {
    event.preventDefault();
    if (busyWith() !== null || fault() !== undefined) return;
    setFailure(undefined);
    const isAnywhere = props.choices.folder === null;
    const file = isAnywhere
      ? await getDesktopBridge()?.databases?.chooseFile('create')
      : addExtension(name());
    if (file) setFailure((await props.make(file))?.detail);
  };
  return (
    <form id={props.id} class="welcome-form" onSubmit={(event) => void submit(event)}>
      <Show when={props.choices.folder !== null}>
        <TextField
          label="File name"
          spellcheck={false}
          autocomplete="off"
          value={name()}
          error={fault() ?? failure()}
          onInput={(text) => {
            setTypedName(text);
            setFailure(undefined);
          }}
        />
      </Show>
      <Button type="submit" disabledReason={busyWith() ?? fault()}>
        {props.button}
        {props.choices.folder === null ? '…' : ''}
      </Button>
      <Failure text={props.choices.folder === null ? failure() : null} />
    </form>
  );
}

/** Links to the import page, which needs an open database. */
export function ImportCard(props: { hasDatabase: boolean }): JSX.Element {
  return (
    <Card
      title="Import"
      description="Imports COCO data, IOHprofiler data or tables into the open database."
    >
      <Show
        when={props.hasDatabase}
        fallback={
          <p class="muted">Open or create a database first; then use Import in the sidebar.</p>
        }
      >
        <A href={pagePaths.import}>Import into the open database</A>
      </Show>
    </Card>
  );
}
