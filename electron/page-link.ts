import type { Connection } from './connection.ts';
import type { Databases } from './databases.ts';
import type { RunWatch } from './run-watch.ts';
import { chooseFile } from './window-databases.ts';
import {
  desktopRequest,
  type DesktopMessage,
  type DesktopRequest,
  type DesktopChange,
  type DesktopState,
} from '#shared/desktop.ts';
import { ipcMain, type BrowserWindow, type WebContents } from 'electron';
import { canUseBridge } from './access.ts';
import { pageChannel } from './window.ts';

/**
 * Chromium's error code of an aborted load (ERR_ABORTED). All other failed loads of the main frame show an error page.
 */
const abortedCode = -3;

/** The message channel to the page in the window. */
export interface PageLink {
  /**
   * Sends a message to the page if the page listens, else to the next page that listens. While a page that listens
   * navigates, the message waits for the end of the navigation. Drops a `state` message if no page listens or a new
   * page loads, because the next page requests the state. Drops all messages after the end of the window.
   */
  readonly send: (message: DesktopMessage) => void;
  /** Returns whether the window shows an error page because it could not load a page. */
  readonly hasFailed: () => boolean;
}

/**
 * Responds to requests over the bridge with the result of `respond`. Accepts only known requests ({@link
 * desktopRequest}) from the main frame of the window. The page of the frame must have the scheme, host and port of the
 * address that `getCurrentUrl` returns. Rejects all other requests. A page listens as soon as it has requested the
 * state.
 */
export function linkPage(
  { webContents }: BrowserWindow,
  getCurrentUrl: () => string | undefined,
  respond: (request: DesktopRequest) => unknown,
): PageLink {
  let pageState: 'absent' | 'listening' | 'leaving' = 'absent';
  let hasFailed = false;
  let pendingMessages: DesktopMessage[] = [];
  const send = (message: DesktopMessage) => webContents.send(pageChannel, message);
  const listen = () => {
    pageState = 'listening';
    pendingMessages.splice(0).forEach(send);
  };
  const replacePage = () => {
    pageState = 'absent';
    hasFailed = false;
    // The next page requests the state anyway.
    pendingMessages = pendingMessages.filter(({ type }) => type !== 'state');
  };

  webContents.on('did-start-navigation', ({ isMainFrame, isSameDocument }) => {
    if (isMainFrame && !isSameDocument && pageState === 'listening') pageState = 'leaving';
  });
  webContents.on('did-navigate', replacePage);
  webContents.on('did-fail-load', (_event, errorCode, _description, _address, isMainFrame) => {
    if (!isMainFrame || errorCode === abortedCode) return;
    replacePage();
    hasFailed = true;
  });
  // If the window prevents a navigation, or the navigation becomes a download, the page stays.
  webContents.on('did-stop-loading', () => {
    if (pageState === 'leaving') listen();
  });
  ipcMain.handle(pageChannel, (event, data: unknown) => {
    if (event.sender !== webContents || !isFromOwnPage(event, getCurrentUrl())) {
      throw new Error('Only the page of the window may send requests.');
    }
    const request = desktopRequest.safeParse(data);
    if (!request.success) throw new Error('The request is unknown. Send a valid `desktopRequest`.');
    if (request.data.type === 'state' && pageState === 'absent') listen();
    return respond(request.data);
  });
  return {
    hasFailed: () => hasFailed,
    send: (message) => {
      if (webContents.isDestroyed()) return;
      if (pageState === 'listening') send(message);
      else if (pageState === 'leaving' || message.type !== 'state') pendingMessages.push(message);
    },
  };
}

function isFromOwnPage(
  { senderFrame }: { senderFrame: WebContents['mainFrame'] | null },
  url: string | undefined,
): boolean {
  if (senderFrame === null || url === undefined) return false;
  return canUseBridge(senderFrame.url, senderFrame.parent === null, url);
}

/** Dependencies of {@link respondToPage}. */
export interface PageRequestDependencies {
  readonly window: BrowserWindow;
  readonly connection: Connection;
  readonly databases: Databases;
  readonly watch: RunWatch;
  readonly readState: () => DesktopState;
  readonly change: (settings: DesktopChange) => void;
}

/** Handles a request of the page. Returns its response, or a promise of it; undefined without a response. */
export function respondToPage(
  dependencies: PageRequestDependencies,
  request: DesktopRequest,
): unknown {
  const { window, connection, databases, watch, readState, change } = dependencies;
  switch (request.type) {
    case 'state':
      return readState();
    case 'change':
      return change(request.settings);
    case 'token':
      return connection.getService()?.token;
    case 'watch':
      return watch.setWatched(request.runId, request.isWatched);
    case 'choose-file':
      return chooseFile(window, request.purpose);
    case 'recent':
      return databases.list();
    case 'open-recent':
      return databases.openRecentDatabase(request.id);
    case 'remove-recent':
      return databases.removeRecentDatabase(request.id);
    default:
      return databases.addRecentDatabase(request.location, request.canStorePassword);
  }
}
