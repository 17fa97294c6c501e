import { ipcMain, type BrowserWindow, type WebContents } from 'electron';
import { desktopRequest, type DesktopMessage, type DesktopRequest } from '#shared/desktop.ts';
import { mayAsk } from './access.ts';
import { pageChannel } from './window.ts';

/** The way to the page in the window, and back. */
export interface PageLink {
  /** Tells the page, or the next one as soon as it listens. */
  readonly tell: (message: DesktopMessage) => void;
}

/**
 * Answers what the page asks by its bridge, and nobody else: only the main frame of the window, with a page of the
 * service at `currentUrl`, and only what {@link desktopRequest} knows; all else is an error there. A page listens once it
 * has asked how the window stands.
 */
export function linkPage(
  { webContents }: BrowserWindow,
  currentUrl: () => string | undefined,
  answer: (request: DesktopRequest) => unknown,
): PageLink {
  let isListening = false;
  const waiting: DesktopMessage[] = [];
  const send = (message: DesktopMessage) => webContents.send(pageChannel, message);

  webContents.on('did-start-navigation', ({ isMainFrame, isSameDocument }) => {
    if (isMainFrame && !isSameDocument) isListening = false;
  });
  ipcMain.handle(pageChannel, (event, asked: unknown) => {
    if (event.sender !== webContents || !isFromOwnPage(event, currentUrl())) {
      throw new Error('Only the page of the window may ask this.');
    }
    const request = desktopRequest.safeParse(asked);
    if (!request.success) throw new Error('The window does not know what was asked.');
    if (request.data.ask === 'state') {
      isListening = true;
      waiting.splice(0).forEach(send);
    }
    return answer(request.data);
  });
  return {
    tell: (message) => {
      if (webContents.isDestroyed()) return;
      if (isListening) send(message);
      // The state is what a page that comes will ask for anyway.
      else if (message.tell !== 'state') waiting.push(message);
    },
  };
}

function isFromOwnPage(
  { senderFrame }: { senderFrame: WebContents['mainFrame'] | null },
  url: string | undefined,
): boolean {
  if (senderFrame === null || url === undefined) return false;
  return mayAsk(senderFrame.url, senderFrame.parent === null, url);
}
