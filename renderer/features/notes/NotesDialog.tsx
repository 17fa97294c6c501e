import { useQueryClient } from '@tanstack/solid-query';
import { createSignal, createUniqueId, onMount, Show, type JSX } from 'solid-js';
import type { Annotation, AnnotationKind } from '#shared/schemas/annotation.ts';
import {
  maximumNameLength,
  maximumNoteLength,
  maximumTagLength,
  maximumTags,
} from '#shared/words.ts';
import { call } from '#renderer/api/client.ts';
import { useEndpoint } from '#renderer/api/queries.ts';
import { wakeQueries } from '#renderer/api/waking.ts';
import { createDialogFailure } from '#renderer/features/stop-and-delete/dialog-failure.ts';
import { asProblemError, type ProblemError } from '#renderer/state/problem-error.ts';
import { Button } from '#renderer/ui/Button.tsx';
import { Check } from '#renderer/ui/Check.tsx';
import { Dialog } from '#renderer/ui/Dialog.tsx';
import { FailureLine } from '#renderer/ui/FailureLine.tsx';
import { QueryView } from '#renderer/ui/QueryView.tsx';
import { Skeleton } from '#renderer/ui/Skeleton.tsx';
import { TextField } from '#renderer/ui/TextField.tsx';
import { showToast } from '#renderer/ui/toaster.ts';
import { getContent, getDraft, isSameDraft, type Draft } from './draft.ts';
import './notes.css';

/** Subject of a note. */
export interface NotesSubject {
  kind: AnnotationKind;
  id: string;
  /** Its name in messages. */
  name: string;
}

interface NotesDialogProps {
  subject: NotesSubject;
  open: boolean;
  onClose: () => void;
}

/** Edits what users write about a run, an experiment or an algorithm. */
export function NotesDialog(props: NotesDialogProps): JSX.Element {
  return (
    <Dialog
      title={`Notes on ${props.subject.kind} ${props.subject.name}`}
      open={props.open}
      onClose={props.onClose}
    >
      <NotesContent {...props} />
    </Dialog>
  );
}

function NotesContent(props: NotesDialogProps): JSX.Element {
  const savedAnnotation = useEndpoint('getAnnotation', () => ({
    params: { kind: props.subject.kind, subjectId: props.subject.id },
    cacheMillis: 0,
  }));
  return (
    <QueryView
      query={savedAnnotation}
      skeleton={<Skeleton content="notes" shape={{ blockPixels: 260 }} />}
    >
      {(annotation) => <NotesForm {...props} initialAnnotation={annotation()} />}
    </QueryView>
  );
}

function NotesForm(props: NotesDialogProps & { initialAnnotation: Annotation }): JSX.Element {
  const client = useQueryClient();
  const noteId = createUniqueId();
  let field: HTMLInputElement | undefined;
  // The form comes after the dialog, which gives the focus to its first button meanwhile.
  onMount(() => field?.focus());
  // The user edits what was there at the opening: a change in another window must not replace typed text.
  const [base, setBase] = createSignal(props.initialAnnotation);
  const [draft, setDraft] = createSignal(getDraft(props.initialAnnotation));
  const [failure, setFailure] = createSignal<ProblemError>();
  const [isSending, setSending] = createSignal(false);
  const visibleFailure = createDialogFailure(failure);
  const health = useEndpoint('getHealth');
  const edit = (part: Partial<Draft>): void => void setDraft({ ...draft(), ...part });
  const conflict = (): Annotation | undefined => failure()?.current;
  const disabledReason = (): string | undefined => {
    if (isSending()) return 'Saving…';
    if (health.data?.readOnly) {
      return `${health.data.readOnlyReason ?? 'The database is open read-only'}: notes cannot be changed.`;
    }
    return visibleFailure.disabledReason();
  };
  const submit = async (event: Event): Promise<void> => {
    event.preventDefault();
    if (disabledReason() !== undefined) return;
    setSending(true);
    const { kind, id: subjectId, name } = props.subject;
    const { version } = conflict() ?? base();
    try {
      await call('saveAnnotation', {
        params: { kind, subjectId },
        body: { version, ...getContent(draft()) },
      });
      showToast(`Saved the notes on ${kind} ${name}`, 'done');
      props.onClose();
      void wakeQueries(client, 'all');
    } catch (error) {
      setFailure(asProblemError(error));
    }
    setSending(false);
  };
  const useOther = (other: Annotation): void => {
    setBase(other);
    setDraft(getDraft(other));
    setFailure(undefined);
  };
  return (
    <form class="dialog-form" onSubmit={(event) => void submit(event)}>
      <TextField
        ref={(input) => (field = input)}
        label="Display name"
        placeholder={props.subject.name}
        maxLength={maximumNameLength}
        value={draft().displayName}
        onInput={(displayName) => edit({ displayName })}
      />
      <TextField
        label="Tags, separated by commas"
        placeholder="paper, tuned"
        maxLength={maximumTags * (maximumTagLength + 2)}
        value={draft().tags}
        onInput={(tags) => edit({ tags })}
      />
      <div class="field">
        <label for={noteId}>Note</label>
        <textarea
          id={noteId}
          class="field-area"
          rows={6}
          maxLength={maximumNoteLength}
          aria-describedby={`${noteId}-count`}
          value={draft().note}
          onInput={(event) => edit({ note: event.currentTarget.value })}
        />
        <p id={`${noteId}-count`} class="muted field-note">
          {`${draft().note.length} / ${maximumNoteLength}`}
        </p>
      </div>
      <Check checked={draft().isBaseline} onChange={(isBaseline) => edit({ isBaseline })}>
        {`Baseline: mark this ${props.subject.kind} and list its comparisons first (one per database)`}
      </Check>
      <Show when={visibleFailure.failure()}>{(error) => <FailureLine error={error()} />}</Show>
      <Show when={conflict()}>
        {(other) => <OtherVersion annotation={other()} onUse={() => useOther(other())} />}
      </Show>
      <footer class="dialog-foot">
        <Button onClick={() => props.onClose()}>Cancel</Button>
        <Button
          kind="primary"
          type="submit"
          disabledReason={
            disabledReason() ??
            (isSameDraft(draft(), getDraft(base())) ? 'There are no changes to save.' : undefined)
          }
        >
          {conflict() ? 'Replace with mine' : 'Save notes'}
        </Button>
      </footer>
    </form>
  );
}

interface OtherVersionProps {
  annotation: Annotation;
  onUse: () => void;
}

/** The version that another window saved meanwhile. */
function OtherVersion(props: OtherVersionProps): JSX.Element {
  const draft = () => getDraft(props.annotation);
  return (
    <div class="notes-other">
      <h3>Saved in the other window</h3>
      <p>Name: {draft().displayName || 'none'}</p>
      <p>Tags: {draft().tags || 'none'}</p>
      <p class="typed-text">{draft().note || 'No note'}</p>
      <Button size="small" onClick={() => props.onUse()}>
        Use this version
      </Button>
    </div>
  );
}
