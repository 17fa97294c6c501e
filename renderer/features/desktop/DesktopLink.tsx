import { useNavigate } from '@solidjs/router';
import { createEffect, on, Show, type JSX } from 'solid-js';
import type {
  DesktopBridge,
  DesktopMessage,
  DesktopState,
  DesktopDatabases,
} from '#shared/desktop.ts';
import { showToast } from '#renderer/ui/toaster.ts';
import { getDesktopBridge } from '#renderer/desktop.ts';
import { useCommands } from '#renderer/state/commands.ts';
import { setKeyListOpen } from '#renderer/state/frame.ts';
import { chooseTheme, themeChoice } from '#renderer/state/theme.ts';
import { SettingsDialog } from './SettingsDialog.tsx';
import { setSettingsOpen, setWindowState, windowState } from './window-state.ts';
import { busyWith, openPlace } from '#renderer/features/databases/opening.ts';
import { useEvent } from '#renderer/state/use-event.ts';

/** Runs the commands of the desktop window's menus, and shares settings with the window; nothing in a plain browser. */
export function DesktopLink(): JSX.Element {
  return <Show when={getDesktopBridge()}>{(bridge) => <WindowLink bridge={bridge()} />}</Show>;
}

function WindowLink(props: { bridge: DesktopBridge }): JSX.Element {
  const navigate = useNavigate();
  const take = (message: DesktopMessage): void => {
    switch (message.type) {
      case 'state':
        return showState(message.state);
      case 'go':
        return navigate(message.path);
      case 'show':
        return void (message.dialog === 'keys' ? setKeyListOpen(true) : setSettingsOpen(true));
      case 'notice':
        return showToast(message.text, message.kind);
    }
  };
  // The window sends pending commands on this first request.
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
      description: 'Window settings: notifications, port and token for scripts',
      run: () => setSettingsOpen(true),
    },
  ]);
  return <SettingsDialog bridge={props.bridge} />;
}

/**
 * Applies the state of the window, which owns the theme: it has it before any page, and needs it for its own dialogs.
 */
function showState(state: DesktopState): void {
  setWindowState(state);
  chooseTheme(state.settings.theme);
}

const databaseName = /\.(db3?|sqlite3?)$/i;

/**
 * Opens a database that the user drops anywhere except where a page accepts files, while the calling component is
 * mounted.
 */
function openDroppedDatabases(databases: DesktopDatabases): void {
  useEvent('dragover', (event) => {
    if (event.dataTransfer?.types.includes('Files') === true) event.preventDefault();
  });
  useEvent('drop', (event) => {
    const file = event.dataTransfer?.files[0];
    if (file === undefined || event.defaultPrevented) return;
    event.preventDefault();
    if (databaseName.test(file.name) && busyWith() === null) void open(file);
  });
  const open = async (file: File): Promise<void> => {
    const failure = await openPlace({ file: databases.getPath(file) }, file.name);
    if (failure !== null) showToast(failure.detail, 'failure');
  };
}
