import { app, BrowserWindow, dialog, nativeTheme, screen, shell } from 'electron';
import { join } from 'node:path';
import type { Connection } from './connection.ts';
import { saveByDialog } from './exports.ts';
import { guardSession, guardWindow } from './guard.ts';
import { getDesktopSettings, type SettingsStore } from './settings.ts';
import { makeWindowOptions } from './window.ts';

/**
 * Creates the window with its previous bounds (see {@link makeWindowOptions}), maximised state and zoom level. Applies
 * the stored theme, {@link guardSession} and {@link guardWindow}. Stores bounds, maximised state and zoom level when
 * the window closes.
 */
export function openWindow(
  settings: SettingsStore,
  getService: Connection['getService'],
): BrowserWindow {
  const { bounds, isMaximized, zoomLevel } = settings.read();
  nativeTheme.themeSource = getDesktopSettings(settings.read()).theme;
  const window = new BrowserWindow(
    makeWindowOptions({
      preloadPath: join(app.getAppPath(), 'dist', 'electron', 'preload.cjs'),
      version: app.getVersion(),
      isDark: nativeTheme.shouldUseDarkColors,
      previousBounds: bounds,
      workAreas: screen.getAllDisplays().map(({ workArea }) => workArea),
    }),
  );
  if (isMaximized === true) window.maximize();
  guardSession(window.webContents.session, getService, (item) =>
    saveByDialog(item, window, settings),
  );
  guardWindow(window, () => getService()?.url, {
    openExternal: (address) => void shell.openExternal(address),
    ask: async (options) => (await dialog.showMessageBox(window, options)).response,
  });
  if (zoomLevel !== undefined) {
    window.webContents.once('dom-ready', () => window.webContents.setZoomLevel(zoomLevel));
  }
  window.on('close', () =>
    settings.change({
      bounds: window.getNormalBounds(),
      isMaximized: window.isMaximized(),
      zoomLevel: window.webContents.getZoomLevel(),
    }),
  );
  return window;
}
