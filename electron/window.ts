import type { BrowserWindowConstructorOptions } from 'electron';

/** A rectangle on the screen, in device-independent pixels. */
export interface Bounds {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

export interface WindowSurroundings {
  /** Absolute path of the preload script. */
  readonly preload: string;
  readonly version: string;
  readonly isDark: boolean;
  /** Where the window was when it was last closed. */
  readonly lastBounds: Bounds | undefined;
  /** The parts of the screens that windows may use. */
  readonly workAreas: readonly Bounds[];
}

const usualSize = { width: 1440, height: 900 };
const smallestSize = { minWidth: 800, minHeight: 560 };
const leastVisible = 100;

/** The prefix of the argument by which the preload script learns the version. */
export const versionArgument = '--evoscope-version=';

/** The channel between a page's bridge and the window. */
export const pageChannel = 'evoscope';

/**
 * How the window is made: a plain, sandboxed browser page without Node. The background is that of the pages,
 * so that nothing flashes before the first one is drawn.
 */
export function windowOptions(surroundings: WindowSurroundings): BrowserWindowConstructorOptions {
  const { preload, version, isDark, lastBounds, workAreas } = surroundings;
  const isVisible =
    lastBounds !== undefined && workAreas.some((area) => overlaps(lastBounds, area));
  return {
    title: 'Evoscope',
    backgroundColor: isDark ? '#0d1216' : '#f7f9fa',
    ...(isVisible ? lastBounds : usualSize),
    ...smallestSize,
    webPreferences: {
      preload,
      additionalArguments: [`${versionArgument}${version}`],
      contextIsolation: true,
      sandbox: true,
      nodeIntegration: false,
      nodeIntegrationInWorker: false,
      nodeIntegrationInSubFrames: false,
      webviewTag: false,
      webSecurity: true,
      allowRunningInsecureContent: false,
      experimentalFeatures: false,
      navigateOnDragDrop: false,
      safeDialogs: true,
      spellcheck: false,
    },
  };
}

/** Whether enough of a window is within a screen's area to get hold of it. */
function overlaps(window: Bounds, area: Bounds): boolean {
  const width = Math.min(window.x + window.width, area.x + area.width) - Math.max(window.x, area.x);
  const height =
    Math.min(window.y + window.height, area.y + area.height) - Math.max(window.y, area.y);
  return width >= leastVisible && height >= leastVisible;
}

/**
 * The address to show after the service started: its first page, or, when the window already shows a page of
 * a service that ended, the same page of the new one. null when that page is still right as it is.
 */
export function addressToShow(current: string, serviceUrl: string): string | null {
  const page = URL.parse(current);
  if (page === null || !page.protocol.startsWith('http')) return serviceUrl;
  if (page.origin === new URL(serviceUrl).origin) return null;
  return new URL(`${page.pathname}${page.search}${page.hash}`, serviceUrl).href;
}
