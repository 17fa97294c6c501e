import { contextBridge, ipcRenderer } from 'electron';
import type { DesktopBridge, DesktopMessage, DesktopRequest } from '#shared/desktop.ts';
import { pageChannel, versionArgument } from './window.ts';

const version =
  process.argv
    .find((argument) => argument.startsWith(versionArgument))
    ?.slice(versionArgument.length) ?? '';

const ask = (request: DesktopRequest) => ipcRenderer.invoke(pageChannel, request);

const bridge: DesktopBridge = {
  version,
  platform: process.platform,
  readState: () => ask({ ask: 'state' }),
  changeSettings: (settings) => ask({ ask: 'change', settings }),
  readToken: () => ask({ ask: 'token' }),
  watchRun: (runId, isWatched) => ask({ ask: 'watch', runId, isWatched }),
  listen: (listener) => {
    ipcRenderer.on(pageChannel, (_event, message: DesktopMessage) => listener(message));
  },
};

contextBridge.exposeInMainWorld('desktop', bridge);
