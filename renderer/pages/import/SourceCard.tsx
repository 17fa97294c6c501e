import { createSignal, createUniqueId, Show, type JSX } from 'solid-js';
import { Button } from '#renderer/ui/Button.tsx';
import { Card } from '#renderer/ui/Card.tsx';
import { Check } from '#renderer/ui/Check.tsx';
import { FailureLine } from '#renderer/ui/FailureLine.tsx';
import { Icon } from '#renderer/ui/Icon.tsx';
import { TextField } from '#renderer/ui/TextField.tsx';
import { asProblemError, type ProblemError } from '#renderer/state/problem-error.ts';
import type { SourceProps } from './import-state.ts';
import { cleanPath, getDataSetName, getSourceName } from './import-words.ts';

/** Whether the page is on the machine of the service. Other pages cannot use its paths. */
const isLocal = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(location.hostname);

/** Chooses a source: a dropped or selected file, or a path. */
export function SourceCard(props: SourceProps): JSX.Element {
  return (
    <Card
      title="Source"
      description="COCO (2009–2.8), IOHprofiler or pycma data as .zip, .tar or .tar.gz; tables as .csv or .jsonl. Nothing is written until you click Import or Watch folder."
    >
      <div class="import-sources">
        <DropZone {...props} />
        <Show when={isLocal}>
          <PathForm {...props} />
        </Show>
      </div>
    </Card>
  );
}

function DropZone(props: SourceProps): JSX.Element {
  const [isOver, setOver] = createSignal(false);
  const [complaint, setComplaint] = createSignal('');
  let input: HTMLInputElement | undefined;
  const id = createUniqueId();
  const take = (file: File | undefined): void => {
    if (file && props.disabledReason === undefined) props.page.choose({ file });
  };
  const drop = (event: DragEvent): void => {
    event.preventDefault();
    setOver(false);
    const items = [...(event.dataTransfer?.items ?? [])];
    const isFolder = items.some((item) => item.webkitGetAsEntry()?.isDirectory);
    setComplaint(
      isFolder
        ? `Folders cannot be uploaded. Zip the folder${isLocal ? ' or enter its path' : ''}.`
        : items.length > 1
          ? 'One file at a time. Put several files into one archive.'
          : '',
    );
    if (!isFolder && items.length <= 1) take(event.dataTransfer?.files[0]);
  };
  const sourceText = (): string => {
    const source = props.page.source();
    return source && 'file' in source ? getSourceName(source) : '';
  };
  return (
    <div
      class="drop-zone import-drop"
      classList={{ 'import-drop-over': isOver() }}
      onDragOver={(event) => {
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={() => setOver(false)}
      onDrop={drop}
    >
      <Icon name="import" size={20} />
      <p id={id}>{sourceText() || 'Drop an archive or a table here'}</p>
      <input
        ref={(element) => (input = element)}
        type="file"
        class="visually-hidden"
        aria-label="Archive or table"
        tabIndex={-1}
        accept=".zip,.tar,.gz,.tgz,.csv,.tsv,.jsonl,.ndjson"
        onChange={(event) => {
          take(event.currentTarget.files?.[0]);
          // The same file may be chosen again, after it has grown.
          event.currentTarget.value = '';
        }}
      />
      <Button
        disabledReason={props.disabledReason}
        aria-describedby={id}
        onClick={() => input?.click()}
      >
        Select file…
      </Button>
      <Show when={complaint()}>
        <p class="field-error" role="alert">
          {complaint()}
        </p>
      </Show>
    </div>
  );
}

function PathForm(props: SourceProps): JSX.Element {
  const [path, setPath] = createSignal('');
  const [isWatched, setWatched] = createSignal(false);
  const [name, setName] = createSignal<string>();
  const [failure, setFailure] = createSignal<ProblemError>();
  const cleaned = (): string => cleanPath(path());
  const dataSet = (): string => name() ?? (cleaned() && getDataSetName({ path: cleaned() }));
  const disabledReason = (): string | undefined =>
    props.disabledReason ?? (cleaned() === '' ? 'Enter a path first.' : undefined);
  const watch = async (): Promise<void> => {
    try {
      await props.page.watch(cleaned(), dataSet());
      setPath('');
      setName(undefined);
    } catch (error) {
      setFailure(asProblemError(error));
    }
  };
  const submit = (event: Event): void => {
    event.preventDefault();
    setFailure(undefined);
    if (disabledReason() !== undefined) return;
    if (isWatched()) void watch();
    else props.page.choose({ path: cleaned() });
  };
  return (
    <form class="import-path" onSubmit={submit}>
      <TextField
        label="Or path of a folder or file on this computer"
        placeholder="/home/me/exdata/DIRECT"
        spellcheck={false}
        autocomplete="off"
        value={path()}
        onInput={setPath}
      />
      <Show when={isWatched()}>
        <TextField
          label="Data set name"
          value={dataSet()}
          maxLength={200}
          spellcheck={false}
          autocomplete="off"
          onInput={setName}
        />
      </Show>
      <Button type="submit" disabledReason={disabledReason()}>
        {isWatched() ? 'Watch folder' : 'Check'}
      </Button>
      <div class="import-watch">
        <Check checked={isWatched()} onChange={setWatched}>
          Keep watching
        </Check>
        <p class="muted">
          {isWatched()
            ? 'Imports the rows of a folder at once, while ioh, COCO or pycma writes it.'
            : 'For a folder that ioh, COCO or pycma is still writing.'}
        </p>
      </div>
      <Show when={failure()}>{(error) => <FailureLine error={error()} />}</Show>
    </form>
  );
}
