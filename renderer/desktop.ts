import type { DesktopBridge } from '#shared/desktop.ts';

declare global {
  interface Window {
    readonly desktop?: DesktopBridge;
  }
}

/** What the desktop window offers to its pages; undefined in a plain browser. */
export function desktopBridge(): DesktopBridge | undefined {
  return window.desktop;
}

/** Whether shortcuts use ⌘ rather than Ctrl: asked of the desktop, else of the browser. */
export function usesCommandKey(): boolean {
  const platform = desktopBridge()?.platform ?? navigator.platform;
  return platform === 'darwin' || platform.startsWith('Mac');
}
