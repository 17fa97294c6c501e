import { contextBridge, ipcRenderer, webUtils } from 'electron';
import type { DesktopBridge, DesktopMessage, DesktopRequest } from '#shared/desktop.ts';
import { pageChannel, versionArgument } from './window.ts';

const version =
  process.argv
    .find((argument) => argument.startsWith(versionArgument))
    ?.slice(versionArgument.length) ?? '';

const send = (request: DesktopRequest) => ipcRenderer.invoke(pageChannel, request);

const bridge: DesktopBridge = {
  version,
  platform: process.platform,
  readState: () => send({ type: 'state' }),
  changeSettings: (settings) => send({ type: 'change', settings }),
  readToken: () => send({ type: 'token' }),
  watchRun: (runId, isWatched) => send({ type: 'watch', runId, isWatched }),
  databases: {
    chooseFile: (purpose) => send({ type: 'choose-file', purpose }),
    getPath: (file) => webUtils.getPathForFile(file as File),
    listRecent: () => send({ type: 'recent' }),
    openRecent: (id) => send({ type: 'open-recent', id }),
    removeRecent: (id) => send({ type: 'remove-recent', id }),
    addRecent: (location, canStorePassword) =>
      send({ type: 'add-recent', location, canStorePassword }),
  },
  listen: (listener) => {
    ipcRenderer.on(pageChannel, (_event, message: DesktopMessage) => listener(message));
  },
};

contextBridge.exposeInMainWorld('desktop', bridge);
