import { A } from '@solidjs/router';
import { For, type JSX } from 'solid-js';
import { pagePaths } from '#shared/pages.ts';
import { usesCommandKey } from '#renderer/desktop.ts';
import { isKeyListOpen, setKeyListOpen } from '#renderer/state/frame.ts';
import {
  getActiveCommands,
  chooseSingleKeys,
  singleKeysAreOn,
  type Command,
} from '#renderer/state/commands.ts';
import { Check } from '#renderer/ui/Check.tsx';
import { Dialog } from '#renderer/ui/Dialog.tsx';

/** Lists the shortcuts of the current page, with a switch for single-key shortcuts. */
export function KeyList(): JSX.Element {
  return (
    <Dialog title="Keyboard shortcuts" open={isKeyListOpen()} onClose={() => setKeyListOpen(false)}>
      <Check checked={singleKeysAreOn()} onChange={chooseSingleKeys}>
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
          Help: glossary and API
        </A>
      </p>
    </Dialog>
  );
}

/** A command without `run` is a key of the focused element, which the switch does not affect. */
function isOff(command: Command): boolean {
  return !singleKeysAreOn() && command.run !== undefined && !command.keys?.startsWith('mod+');
}

/** Returns each shortcut once: every chart and table of a page registers its own. */
function getListedCommands(): Command[] {
  const keyed = getActiveCommands().filter((command) => command.keys);
  return [...new Map(keyed.map((command) => [command.keys, command])).values()];
}

function getModifier(): string {
  return usesCommandKey() ? '⌘' : 'Ctrl';
}

/** Keys whose name is longer than their symbol. */
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
