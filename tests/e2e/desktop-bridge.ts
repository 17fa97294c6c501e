import type { Page } from 'playwright/test';
import type { DesktopMessage, DesktopState } from '#shared/desktop.ts';

declare global {
  interface Window {
    bridgeDouble?: { calls: string[]; send(message: DesktopMessage): void };
  }
}

/** Token that the test double of the window's bridge returns. */
export const bridgeToken = 'token-of-the-window';

/** Interface of the test double for tests. */
export interface BridgeDouble {
  /** Returns the calls of the page to the bridge, oldest first, each as `name(arguments as JSON)`. */
  calls(): Promise<string[]>;
  /** Sends a message of the window to the page. */
  send(message: DesktopMessage): Promise<void>;
}

/**
 * Installs a test double of the desktop window's bridge on the pages that are opened from now on. Like the window, it
 * stores settings and sends the new state after each change.
 */
export async function installBridge(page: Page, address: string): Promise<BridgeDouble> {
  const initial: DesktopState = {
    settings: { theme: 'system', notifies: false, fixedPort: null, isRecording: false },
    address,
    watchedRuns: [],
  };
  await page.addInitScript(
    ({ first, token }) => {
      let state = first;
      const listeners: ((message: DesktopMessage) => void)[] = [];
      const calls: string[] = [];
      const send = (message: DesktopMessage) => listeners.forEach((listener) => listener(message));
      const recordCall = (name: string, ...values: unknown[]) =>
        calls.push(`${name}(${values.map((value) => JSON.stringify(value)).join(', ')})`);
      Object.assign(window, {
        bridgeDouble: { calls, send },
        desktop: {
          version: '1.2.3',
          platform: 'linux',
          readState: () => Promise.resolve(state),
          changeSettings: (settings: object) => {
            recordCall('changeSettings', settings);
            state = { ...state, settings: { ...state.settings, ...settings } };
            send({ type: 'state', state });
            return Promise.resolve();
          },
          watchRun: (runId: string, isWatched: boolean) => {
            recordCall('watchRun', runId, isWatched);
            const others = state.watchedRuns.filter((one) => one !== runId);
            state = { ...state, watchedRuns: isWatched ? [...others, runId] : others };
            send({ type: 'state', state });
            return Promise.resolve();
          },
          readToken: () => {
            recordCall('readToken');
            return Promise.resolve(token);
          },
          listen: (listener: (message: DesktopMessage) => void) => void listeners.push(listener),
        },
      });
    },
    { first: initial, token: bridgeToken },
  );
  return {
    calls: () => page.evaluate(() => window.bridgeDouble?.calls ?? []),
    send: (message) => page.evaluate((sent) => window.bridgeDouble?.send(sent), message),
  };
}
