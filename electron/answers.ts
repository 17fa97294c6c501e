import type { BrowserWindow } from 'electron';
import type { DesktopChange, DesktopRequest, DesktopState } from '#shared/desktop.ts';
import type { Connection } from './connection.ts';
import type { Databases } from './databases.ts';
import type { RunWatch } from './run-watch.ts';
import { chooseFile } from './window-databases.ts';

export interface AnswerNeeds {
  readonly window: BrowserWindow;
  readonly connection: Connection;
  readonly databases: Databases;
  readonly watch: RunWatch;
  readonly readState: () => DesktopState;
  readonly change: (settings: DesktopChange) => void;
}

/** Responses of the window to requests of its page. */
export function answerPage(needs: AnswerNeeds, request: DesktopRequest): unknown {
  const { window, connection, databases, watch, readState, change } = needs;
  switch (request.ask) {
    case 'state':
      return readState();
    case 'change':
      return change(request.settings);
    case 'token':
      return connection.current()?.token;
    case 'watch':
      return watch.watch(request.runId, request.isWatched);
    case 'choose-file':
      return chooseFile(window, request.purpose);
    case 'recent':
      return databases.list();
    case 'open-recent':
      return databases.openRecent(request.id);
    case 'forget-recent':
      return databases.forget(request.id);
    default:
      return databases.remember(request.opened, request.keepPassword);
  }
}
