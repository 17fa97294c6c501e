import type { BrowserWindow, MessageBoxOptions, Session } from 'electron';
import { EventEmitter } from 'node:events';
import { describe, expect, test } from 'vitest';
import { guardSession, guardWindow } from '#electron/guard.ts';

const service = { url: 'http://127.0.0.1:7070/', token: 's3cret' };

/** Addresses of the requested downloads. */
const savedUrls: string[] = [];

type Handler = (...args: unknown[]) => unknown;

/** Stores the handlers of a session, and calls them as Electron would. */
class RecordingSession extends EventEmitter {
  readonly handlers: Record<string, Handler> = {};
  readonly webRequest = {
    onBeforeRequest: (handler: Handler) => (this.handlers.request = handler),
    onBeforeSendHeaders: (handler: Handler) => (this.handlers.headers = handler),
  };
  setPermissionRequestHandler = (handler: Handler) => (this.handlers.permission = handler);
  setPermissionCheckHandler = (handler: Handler) => (this.handlers.check = handler);
  setDevicePermissionHandler = (handler: Handler) => (this.handlers.device = handler);

  call(handler: string, details: unknown): unknown {
    let response: unknown;
    this.handlers[handler]?.(details, (result: unknown) => (response = result));
    return response;
  }
}

function createGuardedSession(current: typeof service | undefined): RecordingSession {
  const session = new RecordingSession();
  guardSession(
    session as unknown as Session,
    () => current,
    (item) => savedUrls.push(item.getURL()),
  );
  return session;
}

function event(url = '') {
  const result = { url, isPrevented: false, preventDefault: () => (result.isPrevented = true) };
  return result;
}

describe('a session', () => {
  test('loads only from the service, and nothing before it is ready', () => {
    const ownFrame = { url: `${service.url}runs` };
    expect(createGuardedSession(service).call('request', ownFrame)).toEqual({ cancel: false });
    expect(createGuardedSession(undefined).call('request', ownFrame)).toEqual({ cancel: true });
    const foreignFrame = { url: 'https://example.org/' };
    expect(createGuardedSession(service).call('request', foreignFrame)).toEqual({ cancel: true });
  });

  test('sends the token only to the service', () => {
    const requestHeaders = { Accept: '*/*' };
    const sendRequest = (url: string) =>
      createGuardedSession(service).call('headers', { url, requestHeaders });
    expect(sendRequest(`${service.url}api/runs`)).toEqual({
      requestHeaders: { Accept: '*/*', Authorization: 'Bearer s3cret' },
    });
    expect(sendRequest('https://example.org/')).toEqual({ requestHeaders });
    const details = { url: service.url, requestHeaders };
    expect(createGuardedSession(undefined).call('headers', details)).toEqual({ requestHeaders });
  });

  test('grants the clipboard to its pages and refuses everything else', () => {
    const { handlers } = createGuardedSession(service);
    const requestPermission = (permission: string, requestingUrl: string) => {
      let isGranted: unknown;
      const details = { requestingUrl, isMainFrame: true };
      handlers.permission?.(null, permission, (result: unknown) => (isGranted = result), details);
      return [isGranted, handlers.check?.(null, permission, requestingUrl, details)];
    };
    expect(requestPermission('clipboard-sanitized-write', service.url)).toEqual([true, true]);
    expect(requestPermission('clipboard-sanitized-write', 'https://example.org/')).toEqual([
      false,
      false,
    ]);
    expect(requestPermission('notifications', service.url)).toEqual([false, false]);
    expect(handlers.device?.({})).toBe(false);
  });

  test('saves only files of the service', () => {
    savedUrls.splice(0);
    const isSaved = (url: string) => {
      const download = event();
      createGuardedSession(service).emit('will-download', download, { getURL: () => url });
      return !download.isPrevented;
    };
    expect(isSaved(`${service.url}api/openapi.json`)).toBe(true);
    expect(isSaved('https://example.org/setup.exe')).toBe(false);
    expect(savedUrls).toEqual([`${service.url}api/openapi.json`]);
  });
});

function createGuardedWindow(button = 0) {
  const calls: string[] = [];
  const dialogs: MessageBoxOptions[] = [];
  let openHandler: (details: { url: string }) => unknown = () => undefined;
  const webContents = Object.assign(new EventEmitter(), {
    setWindowOpenHandler: (handler: typeof openHandler) => (openHandler = handler),
    reload: () => calls.push('reload'),
  });
  const window = {
    webContents,
    // Electron reports a load that becomes a download, or that the next load cancels.
    loadURL: (url: string) =>
      Promise.reject(new Error(`ERR_ABORTED (-3) after ${calls.push(`load ${url}`)} calls`)),
    close: () => calls.push('close'),
  };
  guardWindow(window as unknown as BrowserWindow, () => service.url, {
    openExternal: (address) => calls.push(`outside ${address}`),
    ask: (question) => {
      dialogs.push(question);
      return Promise.resolve(button);
    },
  });
  return { webContents, calls, dialogs, open: (url: string) => openHandler({ url }) };
}

describe('a window', () => {
  test.each(['will-navigate', 'will-redirect'])('stays on pages of the service (%s)', (name) => {
    const { webContents, calls } = createGuardedWindow();
    const [ownPage, foreignPage, paperPage] = [
      event(`${service.url}coco`),
      event('https://example.org/'),
      event('https://doi.org/10.1145/2908961'),
    ];
    for (const navigation of [ownPage, foreignPage, paperPage]) {
      webContents.emit(name, navigation, navigation.url);
    }
    expect([ownPage, foreignPage, paperPage].map(({ isPrevented }) => isPrevented)).toEqual([
      false,
      true,
      true,
    ]);
    expect(calls).toEqual(['outside https://doi.org/10.1145/2908961']);
  });

  test('lets frames show only pages of the service, and opens nothing for them', () => {
    const { webContents, calls } = createGuardedWindow();
    const foreignFrame = { ...event('https://doi.org/'), isMainFrame: false };
    let isPrevented = false;
    foreignFrame.preventDefault = () => (isPrevented = true);
    webContents.emit('will-frame-navigate', foreignFrame);
    expect(isPrevented).toBe(true);
    expect(calls).toEqual([]);
  });

  test('never opens another window: its pages load here, allowed links open in the system browser, others are refused', async () => {
    const { open, calls } = createGuardedWindow();
    for (const url of [`${service.url}coco`, 'https://doi.org/', 'https://example.org/']) {
      expect(open(url)).toEqual({ action: 'deny' });
    }
    // An unhandled rejection would be reported now.
    await new Promise(setImmediate);
    expect(calls).toEqual([`load ${service.url}coco`, 'outside https://doi.org/']);
  });

  test('refuses webviews', () => {
    const attach = event();
    createGuardedWindow().webContents.emit('will-attach-webview', attach);
    expect(attach.isPrevented).toBe(true);
  });

  test.each([
    [0, 'reload'],
    [1, 'close'],
  ])('asks after its page crashed; button %i: %s', async (button, call) => {
    const { webContents, dialogs, calls } = createGuardedWindow(button);
    webContents.emit('render-process-gone', {}, { reason: 'crashed' });
    await new Promise(setImmediate);
    expect(dialogs.map(({ message }) => message)).toEqual(['The page stopped working (crashed).']);
    expect(calls).toEqual([call]);
  });

  test('does not ask after a clean exit of its page', () => {
    const { webContents, dialogs } = createGuardedWindow();
    webContents.emit('render-process-gone', {}, { reason: 'clean-exit' });
    expect(dialogs).toEqual([]);
  });
});
