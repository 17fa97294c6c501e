import { Show, type JSX } from 'solid-js';
import type { DesktopBridge } from '#shared/desktop.ts';
import { Button } from '#renderer/components/Button.tsx';
import { showToast } from '#renderer/components/toaster.ts';
import { desktopBridge } from '#renderer/desktop.ts';
import { windowState } from './window-state.ts';

/** Switches on and off that the system tells when a RUNNING run ends; nothing in a plain browser. */
export function WatchButton(props: { runId: string; isRunning: boolean }): JSX.Element {
  return (
    <Show when={props.isRunning && desktopBridge()}>
      {(bridge) => <Toggle runId={props.runId} bridge={bridge()} />}
    </Show>
  );
}

function Toggle(props: { runId: string; bridge: DesktopBridge }): JSX.Element {
  const isWatched = (): boolean => windowState()?.watchedRuns.includes(props.runId) ?? false;
  const toggle = async (): Promise<void> => {
    if (!isWatched() && windowState()?.settings.notifies === false) {
      await props.bridge.changeSettings({ notifies: true });
      showToast('Notifications are on now; the settings of the window have them off again.');
    }
    await props.bridge.watchRun(props.runId, !isWatched());
  };
  return (
    <Button
      pressed={isWatched()}
      title="A notification when the run ends, fails or falls silent"
      onClick={() => void toggle()}
    >
      {isWatched() ? 'Watched' : 'Notify me'}
    </Button>
  );
}
