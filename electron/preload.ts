import { contextBridge } from 'electron';
import type { DesktopBridge } from '#shared/desktop.ts';
import { versionArgument } from './window.ts';

const version =
  process.argv
    .find((argument) => argument.startsWith(versionArgument))
    ?.slice(versionArgument.length) ?? '';
const bridge: DesktopBridge = { version, platform: process.platform };

contextBridge.exposeInMainWorld('desktop', bridge);
