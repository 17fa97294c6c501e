import { A } from '@solidjs/router';
import { For, type JSX } from 'solid-js';
import { pagePaths } from '#shared/pages.ts';
import { usesCommandKey } from '#renderer/desktop.ts';
import { isKeyListOpen, setKeyListOpen } from '#renderer/state/frame.ts';
import {
  getActiveCommands,
  chooseSingleKeys,
  areSingleKeysOn,
  type Command,
} from '#renderer/state/commands.ts';
import { Check } from '#renderer/ui/Check.tsx';
import { Dialog } from '#renderer/ui/Dialog.tsx';

/** Lists the shortcuts of the current page, with a switch for single-key shortcuts. */
export function KeyList(): JSX.Element {
  return (
    <Dialog title="Keyboard shortcuts" open={isKeyListOpen()} onClose={() => setKeyListOpen(false)}>
      <Check checked={areSingleKeysOn()} onChange={chooseSingleKeys}>
        Single-key shortcuts (saved in this browser)
      </Check>
      <dl class="key-list">
        <For each={getListedCommands()}>
          {(command) => (
            <div classList={{ muted: isOff(command) }}>
              <dt>
                <For each={getShownKeys(command.keys ?? '')}>{(key) => <kbd>{key}</kbd>}</For>
              </dt>
              <dd>
                {command.description}
                {isOff(command) ? ' (switched off)' : ''}
              </dd>
            </div>
          )}
        </For>
      </dl>
      <p>
        <A href={pagePaths.help} onClick={() => setKeyListOpen(false)}>
          Help: glossary, shortcuts, API
        </A>
      </p>
    </Dialog>
  );
}

/** Whether the switch turns a command off; never for one without `run`, which is a key of the focused element. */
function isOff(command: Command): boolean {
  return !areSingleKeysOn() && command.run !== undefined && !command.keys?.startsWith('mod+');
}

/** Returns each shortcut once: every chart and table of a page registers its own. */
function getListedCommands(): Command[] {
  const commands = getActiveCommands().filter((command) => command.keys);
  return [...new Map(commands.map((command) => [command.keys, command])).values()];
}

function getModifier(): string {
  return usesCommandKey() ? '⌘' : 'Ctrl';
}

/** Symbols of keys with a longer name. */
const keySigns: Readonly<Record<string, string>> = {
  ArrowUp: '↑',
  ArrowDown: '↓',
  ArrowLeft: '←',
  ArrowRight: '→',
};

function getShownKeys(keys: string): string[] {
  return keys
    .split(' ')
    .map((key) =>
      key.startsWith('mod+')
        ? `${getModifier()} ${key.slice(4).toUpperCase()}`
        : (keySigns[key] ?? key),
    );
}
