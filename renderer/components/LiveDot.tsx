import type { JSX } from 'solid-js';
import { useLive } from '#renderer/state/live.tsx';
import { liveWord } from './live-word.ts';

/** Whether the page is up to date by itself; a click pauses and resumes that. */
export function LiveDot(): JSX.Element {
  const live = useLive();
  const shown = () => liveWord(live.state());
  return (
    <button
      type="button"
      class={`live live-${shown().kind}`}
      title={shown().explanation}
      onClick={() => live.togglePause()}
    >
      <span class="live-dot" aria-hidden="true" />
      {shown().word}
    </button>
  );
}
