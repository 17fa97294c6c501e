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
  readState: () => ask({ ask: 'state' }),
  changeSettings: (settings) => ask({ ask: 'change', settings }),
  readToken: () => ask({ ask: 'token' }),
  watchRun: (runId, isWatched) => ask({ ask: 'watch', runId, isWatched }),
  databases: {
    chooseFile: (purpose) => ask({ ask: 'choose-file', purpose }),
    pathOf: (file) => webUtils.getPathForFile(file as File),
    listRecent: () => ask({ ask: 'recent' }),
    openRecent: (id) => ask({ ask: 'open-recent', id }),
    forgetRecent: (id) => ask({ ask: 'forget-recent', id }),
    remember: (opened, keepPassword) => ask({ ask: 'remember', opened, keepPassword }),
  },
  listen: (listener) => {
    ipcRenderer.on(pageChannel, (_event, message: DesktopMessage) => listener(message));
  },
};

contextBridge.exposeInMainWorld('desktop', bridge);
