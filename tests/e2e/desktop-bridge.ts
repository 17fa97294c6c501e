import type { Page } from 'playwright/test';
import type { DesktopMessage, DesktopState } from '#shared/desktop.ts';

declare global {
  interface Window {
    bridgeDouble?: { calls: string[]; send(message: DesktopMessage): void };
  }
}

/** The token that the double of the window's bridge gives. */
export const bridgeToken = 'token-of-the-window';

/** What a test does with the double. */
export interface BridgeDouble {
  /** What the page has asked for by the bridge, oldest first, each as `name(arguments as JSON)`. */
  calls(): Promise<string[]>;
  /** Tells the page what the window would. */
  send(message: DesktopMessage): Promise<void>;
}

/**
 * Puts a double of the desktop window's bridge on the pages that are opened from now on. It keeps settings as the window
 * does, and tells the new state after each change.
 */
export async function installBridge(page: Page, address: string): Promise<BridgeDouble> {
  const initial: DesktopState = {
    settings: { theme: 'system', notifies: false, fixedPort: null },
    address,
    watchedRuns: [],
  };
  await page.addInitScript(
    ({ first, token }) => {
      let state = first;
      const listeners: ((message: DesktopMessage) => void)[] = [];
      const calls: string[] = [];
      const send = (message: DesktopMessage) => listeners.forEach((listener) => listener(message));
      const called = (name: string, ...values: unknown[]) =>
        calls.push(`${name}(${values.map((value) => JSON.stringify(value)).join(', ')})`);
      Object.assign(window, {
        bridgeDouble: { calls, send },
        desktop: {
          version: '1.2.3',
          platform: 'linux',
          readState: () => Promise.resolve(state),
          changeSettings: (settings: object) => {
            called('changeSettings', settings);
            state = { ...state, settings: { ...state.settings, ...settings } };
            send({ type: 'state', state });
            return Promise.resolve();
          },
          watchRun: (runId: string, isWatched: boolean) => {
            called('watchRun', runId, isWatched);
            const others = state.watchedRuns.filter((one) => one !== runId);
            state = { ...state, watchedRuns: isWatched ? [...others, runId] : others };
            send({ type: 'state', state });
            return Promise.resolve();
          },
          readToken: () => {
            called('readToken');
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
