import type { BrowserWindow, DownloadItem, MessageBoxOptions, Session } from 'electron';
import { decideLink, makeHeaders, canDownload, canLoad, canUse } from './access.ts';
import { decideAfterCrash, makePageCrashDialog } from './dialogs.ts';
import type { Connection } from './connection.ts';
import { loadPage } from './window.ts';

/** Function that returns the ready service; see {@link Connection.getService}. */
type ServiceGetter = Connection['getService'];

/**
 * Applies the rules of access.ts to the addresses that pages load, the headers that they send, the files that they save
 * with `save`, and the permissions that they request. Denies all devices. Without a service, pages may only load
 * `data:` addresses, such as the start page, and the developer tools.
 */
export function guardSession(
  session: Session,
  getService: ServiceGetter,
  save: (item: DownloadItem) => void,
): void {
  session.webRequest.onBeforeRequest((details, callback) => {
    callback({ cancel: !canLoad(details.url, getService()?.url) });
  });
  session.webRequest.onBeforeSendHeaders(({ url, requestHeaders }, callback) => {
    const service = getService();
    callback({
      requestHeaders:
        service === undefined
          ? requestHeaders
          : makeHeaders(url, requestHeaders, service.url, service.token),
    });
  });
  session.setPermissionRequestHandler((_contents, permission, callback, details) =>
    callback(isGranted(permission, details.requestingUrl, details.isMainFrame)),
  );
  session.setPermissionCheckHandler((_contents, permission, origin, details) =>
    isGranted(permission, details.requestingUrl ?? origin, details.isMainFrame),
  );
  session.setDevicePermissionHandler(() => false);
  session.on('will-download', (event, item) => {
    const service = getService();
    if (service !== undefined && canDownload(item.getURL(), service.url)) save(item);
    else event.preventDefault();
  });

  function isGranted(permission: string, requester: string, isMainFrame: boolean): boolean {
    const service = getService();
    return service !== undefined && canUse(permission, requester, isMainFrame, service.url);
  }
}

/** Dependencies of {@link guardWindow}. */
export interface WindowDependencies {
  /** Opens an address in the system's browser. */
  openExternal(address: string): void;
  /** Shows a dialog and resolves with the index of the chosen button. */
  ask(options: MessageBoxOptions): Promise<number>;
}

/**
 * Restricts the window to the pages of the service. Opens other links in the system's browser if the rules of access.ts
 * allow this. Without a service, denies all links. Asks the user whether to reload a crashed page; if the user does not
 * reload it, closes the window.
 */
export function guardWindow(
  window: BrowserWindow,
  getCurrentUrl: () => string | undefined,
  dependencies: WindowDependencies,
): void {
  const { webContents } = window;
  const decide = (address: string) => {
    const url = getCurrentUrl();
    return url === undefined ? 'deny' : decideLink(address, url);
  };
  const preventForeignAddress = (event: { preventDefault(): void }, address: string) => {
    const decision = decide(address);
    if (decision !== 'here') event.preventDefault();
    if (decision === 'outside') dependencies.openExternal(address);
  };
  webContents.on('will-navigate', (event) => preventForeignAddress(event, event.url));
  webContents.on('will-frame-navigate', (event) => {
    if (!event.isMainFrame && decide(event.url) !== 'here') event.preventDefault();
  });
  webContents.on('will-redirect', (event) => preventForeignAddress(event, event.url));
  webContents.on('will-attach-webview', (event) => event.preventDefault());
  webContents.setWindowOpenHandler(({ url }) => {
    const decision = decide(url);
    if (decision === 'here') loadPage(window, url);
    if (decision === 'outside') dependencies.openExternal(url);
    return { action: 'deny' };
  });
  webContents.on('render-process-gone', (_event, { reason }) => {
    if (reason !== 'clean-exit')
      void dependencies
        .ask(makePageCrashDialog(reason))
        .then((buttonIndex) => handleCrashedPage(window, buttonIndex));
  });
}

function handleCrashedPage(window: BrowserWindow, buttonIndex: number): void {
  if (decideAfterCrash(buttonIndex) === 'retry') window.webContents.reload();
  else window.close();
}
