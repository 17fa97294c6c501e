import { createSignal, Show, untrack, type JSX } from 'solid-js';
import { addresses } from '#shared/addresses.ts';
import type { DesktopBridge, DesktopState } from '#shared/desktop.ts';
import { Button } from '#renderer/ui/Button.tsx';
import { Check } from '#renderer/ui/Check.tsx';
import { copyText } from '#renderer/ui/clipboard.ts';
import { Dialog } from '#renderer/ui/Dialog.tsx';
import { useLeave } from '#renderer/state/use-leave.ts';
import { TextField } from '#renderer/ui/TextField.tsx';
import { parseFixedPort, portRange } from './fixed-port.ts';
import { areSettingsOpen, setSettingsOpen, windowState } from './window-state.ts';
import './settings.css';

/** Settings of the desktop window, and the data that scripts need to reach its service. */
export function SettingsDialog(props: { bridge: DesktopBridge }): JSX.Element {
  const close = (): void => void setSettingsOpen(false);
  useLeave(close);
  return (
    <Dialog title="Settings" open={areSettingsOpen()} onClose={close}>
      <Show when={windowState()}>
        {(state) => (
          <div class="window-settings">
            <div>
              <Check
                checked={state().settings.notifies}
                onChange={(notifies) => void props.bridge.changeSettings({ notifies })}
              >
                Notify me about watched runs
              </Check>
              <p class="muted">
                The system notifies you when a watched run ends, fails or becomes silent.
              </p>
            </div>
            <ForScripts state={state()} bridge={props.bridge} />
          </div>
        )}
      </Show>
    </Dialog>
  );
}

function ForScripts(props: { state: DesktopState; bridge: DesktopBridge }): JSX.Element {
  const [token, setToken] = createSignal('');
  // Without a service, until the window has started another one, the address is empty.
  const origin = (): string => props.state.address.replace(/\/$/, '');
  const example = (): string =>
    `curl -H "Authorization: Bearer $TOKEN" '${origin()}${addresses.listRuns.path}'`;
  const absence = (): string | undefined =>
    props.state.address === '' ? 'The service is not running.' : undefined;
  const show = async (): Promise<void> => {
    setToken(await props.bridge.readToken());
  };
  const copyToken = async (): Promise<void> => {
    await copyText(await props.bridge.readToken(), 'the token');
  };
  return (
    <section class="window-scripts" aria-label="For scripts">
      <h3>For scripts</h3>
      <div class="window-secret">
        <span>Address</span>
        <code class="clip">{absence() ?? props.state.address}</code>
        <Button
          size="small"
          icon="copy"
          aria-label="Copy the address"
          disabledReason={absence()}
          onClick={() => void copyText(props.state.address, 'the address')}
        >
          Copy
        </Button>
      </div>
      <div class="window-secret">
        <span>Token</span>
        <code class="clip">{token() || '••••••••'}</code>
        <Button
          size="small"
          aria-label={token() ? 'Hide the token' : 'Show the token'}
          disabledReason={token() ? undefined : absence()}
          onClick={() => (token() ? setToken('') : void show())}
        >
          {token() ? 'Hide' : 'Show'}
        </Button>
        <Button
          size="small"
          icon="copy"
          aria-label="Copy the token"
          disabledReason={absence()}
          onClick={() => void copyToken()}
        >
          Copy
        </Button>
      </div>
      <pre class="window-example" tabIndex={0}>
        {example()}
      </pre>
      <div>
        <Check
          checked={props.state.settings.isRecording}
          onChange={(isRecording) => void props.bridge.changeSettings({ isRecording })}
        >
          Store the runs that programs send
        </Check>
        <p class="muted">Takes effect after a restart.</p>
      </div>
      <FixedPort port={props.state.settings.fixedPort} bridge={props.bridge} />
      <p class="muted">The token changes at each start unless SVC_TOKEN sets it. Keep it secret.</p>
    </section>
  );
}

function FixedPort(props: { port: number | null; bridge: DesktopBridge }): JSX.Element {
  const [text, setText] = createSignal(untrack(() => String(props.port ?? '')));
  const port = (): number | null | undefined => parseFixedPort(text());
  const save = (event: Event): void => {
    event.preventDefault();
    const newPort = port();
    if (newPort !== undefined) void props.bridge.changeSettings({ fixedPort: newPort });
  };
  return (
    <form class="window-port" onSubmit={save}>
      <TextField
        label="Fixed port"
        inputmode="numeric"
        placeholder="any"
        value={text()}
        onInput={setText}
        error={
          port() === undefined
            ? `Enter a whole number from ${portRange.least} to ${portRange.most}, or leave the field empty.`
            : undefined
        }
      />
      <Button
        type="submit"
        disabledReason={port() === props.port ? 'This port is already saved.' : undefined}
      >
        Save
      </Button>
      <p class="muted">Takes effect after a restart.</p>
    </form>
  );
}
