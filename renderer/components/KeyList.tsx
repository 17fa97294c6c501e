import { For, type JSX } from 'solid-js';
import { usesCommandKey } from '#renderer/desktop.ts';
import { isKeyListOpen, setKeyListOpen } from '#renderer/state/frame.ts';
import { activeCommands } from '#renderer/state/commands.ts';
import { Dialog } from './Dialog.tsx';

/** The keys that work on the page below. */
export function KeyList(): JSX.Element {
  return (
    <Dialog title="Keys" open={isKeyListOpen()} onClose={() => setKeyListOpen(false)}>
      <dl class="key-list">
        <For each={activeCommands().filter((command) => command.keys)}>
          {(command) => (
            <div>
              <dt>
                <For each={shownKeys(command.keys ?? '')}>{(key) => <kbd>{key}</kbd>}</For>
              </dt>
              <dd>{command.description}</dd>
            </div>
          )}
        </For>
      </dl>
    </Dialog>
  );
}

function shownKeys(keys: string): string[] {
  const modifier = usesCommandKey() ? '⌘' : 'Ctrl';
  return keys
    .split(' ')
    .map((key) => (key.startsWith('mod+') ? `${modifier} ${key.slice(4).toUpperCase()}` : key));
}
