import { Show, type JSX } from 'solid-js';
import type { DesktopBridge } from '#shared/desktop.ts';
import { Button } from '#renderer/ui/Button.tsx';
import { showToast } from '#renderer/ui/toaster.ts';
import { getDesktopBridge } from '#renderer/desktop.ts';
import { windowState } from './window-state.ts';

/** Toggles the system notification for the end of a RUNNING run; nothing in a plain browser. */
export function WatchButton(props: { runId: string; isRunning: boolean }): JSX.Element {
  return (
    <Show when={props.isRunning && getDesktopBridge()}>
      {(bridge) => <Toggle runId={props.runId} bridge={bridge()} />}
    </Show>
  );
}

function Toggle(props: { runId: string; bridge: DesktopBridge }): JSX.Element {
  const isWatched = (): boolean => windowState()?.watchedRuns.includes(props.runId) ?? false;
  const toggle = async (): Promise<void> => {
    if (!isWatched() && windowState()?.settings.notifies === false) {
      await props.bridge.changeSettings({ notifies: true });
      showToast('Notifications are on. Turn them off in the window settings.');
    }
    await props.bridge.watchRun(props.runId, !isWatched());
  };
  return (
    <Button
      pressed={isWatched()}
      title="Notify when the run ends, fails or becomes silent"
      onClick={() => void toggle()}
    >
      Notify me
    </Button>
  );
}
