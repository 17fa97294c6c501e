import { createEffect, createSignal, on, onCleanup, type Accessor } from 'solid-js';

/** Typed text, which is committed only when typing pauses. */
export interface CommittedText {
  text: Accessor<string>;
  /** Sets the typed text; it is committed after the delay. */
  type: (text: string) => void;
  /** Commits the typed text now. */
  flush: () => void;
}

/**
 * Creates a field's text next to the committed one. Typed text is committed after a pause of `delayMillis` and is never
 * lost: an external change (a chip removed, Back) replaces it only when it differs from the text that this field
 * committed last. `isSame` compares the two where the committed value returns in another form, such as "0" for a typed
 * "0.0".
 */
export function createCommittedText(
  committed: Accessor<string>,
  commit: (text: string) => void,
  delayMillis: number,
  isSame: (one: string, other: string) => boolean = Object.is,
): CommittedText {
  const [text, setText] = createSignal(committed());
  let lastCommitted = committed().trim();
  let timer: ReturnType<typeof setTimeout> | undefined;
  const flush = (): void => {
    clearTimeout(timer);
    const next = text().trim();
    if (next === lastCommitted) return;
    lastCommitted = next;
    commit(next);
  };
  createEffect(
    on(
      committed,
      (next) => {
        if (isSame(next, lastCommitted)) return;
        clearTimeout(timer);
        lastCommitted = next;
        setText(next);
      },
      { defer: true },
    ),
  );
  onCleanup(() => clearTimeout(timer));
  return {
    text,
    flush,
    type: (next) => {
      setText(next);
      clearTimeout(timer);
      timer = setTimeout(flush, delayMillis);
    },
  };
}
