import type { JSX } from 'solid-js';
import { usesCommandKey } from '#renderer/desktop.ts';
import { setPaletteOpen } from '#renderer/state/frame.ts';

/** Opens the command palette. */
export function GoToButton(): JSX.Element {
  return (
    <button type="button" class="go-to" onClick={() => setPaletteOpen(true)}>
      Go to…
      <kbd>{usesCommandKey() ? '⌘ K' : 'Ctrl K'}</kbd>
    </button>
  );
}
