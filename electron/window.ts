import type { BrowserWindow, BrowserWindowConstructorOptions } from 'electron';

/** A rectangle on the screen, in device-independent pixels. */
export interface Bounds {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** The values outside of the window that its options depend on. */
export interface WindowSurroundings {
  /** Absolute path of the preload script. */
  readonly preloadPath: string;
  readonly version: string;
  readonly isDark: boolean;
  /** Position and size of the window, not maximised, when the user last closed it. */
  readonly previousBounds: Bounds | undefined;
  /** Areas of the screens that windows may use. */
  readonly workAreas: readonly Bounds[];
}

const defaultSize = { width: 1440, height: 900 };
const minimumSize = { minWidth: 800, minHeight: 560 };
const minimumVisiblePixels = 100;

/** Prefix of the argument that passes the version to the preload script. */
export const versionArgument = '--evoscope-version=';

/** Name of the channel between the page's bridge and the window. */
export const pageChannel = 'evoscope';

/**
 * Returns the options of the window: a sandboxed browser page without Node, with its previous position and size if at
 * least 100 × 100 pixels of it are in the work area of a screen. Its background has the colour of the pages, because
 * another colour would flash before the first page appears.
 */
export function makeWindowOptions(
  surroundings: WindowSurroundings,
): BrowserWindowConstructorOptions {
  const { preloadPath, version, isDark, previousBounds, workAreas } = surroundings;
  const isVisible =
    previousBounds !== undefined && workAreas.some((area) => isOverlapping(previousBounds, area));
  return {
    title: 'Evoscope',
    backgroundColor: isDark ? '#0d1216' : '#f7f9fa',
    ...(isVisible ? previousBounds : defaultSize),
    ...minimumSize,
    webPreferences: {
      preload: preloadPath,
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

/** Returns whether enough of a window is inside a screen area to drag it. */
function isOverlapping(window: Bounds, area: Bounds): boolean {
  const width = Math.min(window.x + window.width, area.x + area.width) - Math.max(window.x, area.x);
  const height =
    Math.min(window.y + window.height, area.y + area.height) - Math.max(window.y, area.y);
  return width >= minimumVisiblePixels && height >= minimumVisiblePixels;
}

/**
 * Returns the address to show after a start: the first page, or the same page of the new service if the window shows a
 * page of the previous service. If the new service has the same address, returns null, or, with `hasFailed`, the
 * current address, because the window could not load it and shows an error page.
 */
export function chooseAddress(
  currentAddress: string,
  serviceUrl: string,
  hasFailed: boolean,
): string | null {
  const page = URL.parse(currentAddress);
  if (page === null || !page.protocol.startsWith('http')) return serviceUrl;
  if (page.origin === new URL(serviceUrl).origin) return hasFailed ? currentAddress : null;
  return new URL(`${page.pathname}${page.search}${page.hash}`, serviceUrl).href;
}

/**
 * Loads a page. Ignores errors: the window shows a page for a failed load. A load also fails when the next one cancels
 * it or when the address is a download.
 */
export function loadPage(window: BrowserWindow, address: string): void {
  window.loadURL(address).catch(() => undefined);
}
