import type { DesktopBridge } from '#shared/desktop.ts';

declare global {
  interface Window {
    readonly desktop?: DesktopBridge;
  }
}

/** Returns the interface of the desktop window; undefined in a plain browser. */
export function getDesktopBridge(): DesktopBridge | undefined {
  return window.desktop;
}

/** Whether shortcuts use ⌘ rather than Ctrl: from the desktop window, else from the browser. */
export function usesCommandKey(): boolean {
  const platform = getDesktopBridge()?.platform ?? navigator.platform;
  return platform === 'darwin' || platform.startsWith('Mac');
}
