import { createEffect, createSignal, on, onCleanup, type Accessor } from 'solid-js';

/** A text being typed, which reaches its owner only when the typing rests. */
export interface CommittedText {
  text: Accessor<string>;
  /** What the user typed; committed after the delay. */
  type: (text: string) => void;
  /** Commits what is typed now. */
  flush: () => void;
}

/**
 * A field's text beside the committed one. Typing is committed after `delayMillis` of rest and never
 * lost: a change from outside (a chip removed, Back) replaces it only when it differs from what this
 * field committed last.
 */
export function createCommittedText(
  committed: Accessor<string>,
  commit: (text: string) => void,
  delayMillis: number,
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
        if (next === lastCommitted) return;
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
