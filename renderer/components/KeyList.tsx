import { A } from '@solidjs/router';
import { For, type JSX } from 'solid-js';
import { pagePaths } from '#shared/pages.ts';
import { usesCommandKey } from '#renderer/desktop.ts';
import { isKeyListOpen, setKeyListOpen } from '#renderer/state/frame.ts';
import {
  activeCommands,
  chooseSingleKeys,
  singleKeysAreOn,
  type Command,
} from '#renderer/state/commands.ts';
import { Check } from './Check.tsx';
import { Dialog } from './Dialog.tsx';

/** The keys that work on the page below, and the switch for those that are pressed alone. */
export function KeyList(): JSX.Element {
  return (
    <Dialog title="Keys" open={isKeyListOpen()} onClose={() => setKeyListOpen(false)}>
      <Check checked={singleKeysAreOn()} onChange={chooseSingleKeys}>
        Keys without {modifier()} work; kept on this computer
      </Check>
      <dl class="key-list">
        <For each={listedCommands()}>
          {(command) => (
            <div classList={{ muted: isOff(command) }}>
              <dt>
                <For each={shownKeys(command.keys ?? '')}>{(key) => <kbd>{key}</kbd>}</For>
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
          Help: what the terms mean, and the API for scripts
        </A>
      </p>
    </Dialog>
  );
}

/** What has no `run` is a key of the element with the focus, which the switch leaves alone. */
function isOff(command: Command): boolean {
  return !singleKeysAreOn() && command.run !== undefined && !command.keys?.startsWith('mod+');
}

/** Each key once: every chart and table of a page lists its own. */
function listedCommands(): Command[] {
  const keyed = activeCommands().filter((command) => command.keys);
  return [...new Map(keyed.map((command) => [command.keys, command])).values()];
}

function modifier(): string {
  return usesCommandKey() ? '⌘' : 'Ctrl';
}

/** Keys whose name is longer than their sign. */
const keySigns: Readonly<Record<string, string>> = {
  ArrowUp: '↑',
  ArrowDown: '↓',
  ArrowLeft: '←',
  ArrowRight: '→',
};

function shownKeys(keys: string): string[] {
  return keys
    .split(' ')
    .map((key) =>
      key.startsWith('mod+')
        ? `${modifier()} ${key.slice(4).toUpperCase()}`
        : (keySigns[key] ?? key),
    );
}
