import { useNavigate } from '@solidjs/router';
import { createEffect, on, Show, type JSX } from 'solid-js';
import type { DesktopBridge, DesktopMessage, DesktopState } from '#shared/desktop.ts';
import { showToast } from '#renderer/components/toaster.ts';
import { desktopBridge } from '#renderer/desktop.ts';
import { useCommands } from '#renderer/state/commands.ts';
import { setKeyListOpen } from '#renderer/state/frame.ts';
import { chooseTheme, themeChoice } from '#renderer/state/theme.ts';
import { openDroppedDatabases } from './dropped-database.ts';
import { SettingsDialog } from './SettingsDialog.tsx';
import { setSettingsOpen, setWindowState, windowState } from './window-state.ts';

/** In the desktop window: does what is chosen in its menus, and shares settings with it. Nothing in a plain browser. */
export function DesktopLink(): JSX.Element {
  return <Show when={desktopBridge()}>{(bridge) => <Linked bridge={bridge()} />}</Show>;
}

function Linked(props: { bridge: DesktopBridge }): JSX.Element {
  const navigate = useNavigate();
  const take = (message: DesktopMessage): void => {
    switch (message.tell) {
      case 'state':
        return showState(message.state);
      case 'go':
        return navigate(message.path);
      case 'show':
        return void (message.dialog === 'keys' ? setKeyListOpen(true) : setSettingsOpen(true));
      case 'say':
        return showToast(message.text, message.kind);
    }
  };
  // The window tells what waited as soon as it is asked.
  createEffect(() => {
    props.bridge.listen(take);
    void props.bridge.readState().then(showState);
    if (props.bridge.databases) openDroppedDatabases(props.bridge.databases);
  });
  createEffect(
    on(
      themeChoice,
      (theme) => {
        if (theme !== windowState()?.settings.theme) void props.bridge.changeSettings({ theme });
      },
      { defer: true },
    ),
  );
  useCommands([
    {
      description: 'Settings of the window: notifications, port and token for scripts',
      run: () => setSettingsOpen(true),
    },
  ]);
  return <SettingsDialog bridge={props.bridge} />;
}

/** The theme is the window's: it knows it before any page, and for its own dialogs. */
function showState(state: DesktopState): void {
  setWindowState(state);
  chooseTheme(state.settings.theme);
}
