import { contextBridge, ipcRenderer, webUtils } from 'electron';
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
  readState: () => ask({ type: 'state' }),
  changeSettings: (settings) => ask({ type: 'change', settings }),
  readToken: () => ask({ type: 'token' }),
  watchRun: (runId, isWatched) => ask({ type: 'watch', runId, isWatched }),
  databases: {
    chooseFile: (purpose) => ask({ type: 'choose-file', purpose }),
    pathOf: (file) => webUtils.getPathForFile(file as File),
    listRecent: () => ask({ type: 'recent' }),
    openRecent: (id) => ask({ type: 'open-recent', id }),
    removeRecent: (id) => ask({ type: 'remove-recent', id }),
    addRecent: (opened, storePassword) => ask({ type: 'add-recent', opened, storePassword }),
  },
  listen: (listener) => {
    ipcRenderer.on(pageChannel, (_event, message: DesktopMessage) => listener(message));
  },
};

contextBridge.exposeInMainWorld('desktop', bridge);
