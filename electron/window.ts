import type { BrowserWindow, BrowserWindowConstructorOptions } from 'electron';

/** A rectangle on the screen, in device-independent pixels. */
export interface Bounds {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** The values that the options of the window depend on. */
export interface WindowSurroundings {
  /** Absolute path of the preload script. */
  readonly preloadPath: string;
  readonly version: string;
  readonly isDark: boolean;
  /** Position and size of the window when the user last closed it, without maximisation; undefined before that. */
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
 * Returns the options of the window: a sandboxed browser page without Node. The window has its previous position and
 * size if at least 100 × 100 pixels of it are in the work area of a screen; otherwise, it has the default size. Its
 * background has the colour of the pages, because another colour would flash before the first page appears.
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
 * Returns the address to load after a start: the current page at the address of the new service. If the window shows no
 * page of a service, returns the first page. If the address of the service is unchanged, returns null, because the page
 * needs no load; with `hasFailed`, returns the current address, because the window shows an error page.
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
 * Loads a page. Ignores errors, because the window shows an error page after a failed load. A load also fails if the
 * next load cancels it, or if the address is a download.
 */
export function loadPage(window: BrowserWindow, address: string): void {
  window.loadURL(address).catch(() => undefined);
}
