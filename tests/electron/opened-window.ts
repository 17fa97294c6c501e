import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, expect } from 'vitest';
import { nodeFlags } from '#build/gate/node-flags.ts';
import { programFolder } from '#tests/support/programs.ts';

/**
 * Runs the bundled program of the window in Node, with a stand-in for Electron and the real service. It tests that the
 * parts work together; only tests/desktop/ tests them with real Electron.
 */
/** A report of the stand-in about a call. */
export interface Report {
  readonly what: string;
  readonly [detail: string]: unknown;
}

/** The setup of the stand-in. */
interface Setup {
  /** Whether no other window is open. */
  readonly isFirst?: boolean;
  /** The button that the stand-in clicks in all dialogs, or one per dialog (the last for all others); null clicks none. */
  readonly button?: string | readonly string[] | null;
  readonly isPackaged?: boolean;
  /** Whether each notification is clicked. */
  readonly clicks?: boolean;
  /** Path of a page whose load is aborted, as Electron reports it for a download. */
  readonly aborts?: string;
  /** File whose check never ends, nor that of any other file at the same time or later. */
  readonly hangs?: string;
  /** The file that the system passes when the window has been created. */
  readonly passes?: string;
  /** The file that save dialogs return; without it they are cancelled. */
  readonly saveAs?: string;
  /** Further arguments of the program. */
  readonly args?: readonly string[];
  /** The keyring on Linux; default: none. */
  readonly keyring?: string;
  /** The program's folder. */
  readonly program?: string;
}

interface Loaded {
  readonly url: string;
  readonly headers: Record<string, string>;
}

/** Creates a folder of user data with an empty `a.db` for each test, or one for the whole suite (`isShared`). */
export function useWindow({ isShared = false } = {}) {
  const [before, after] = isShared ? [beforeAll, afterAll] : [beforeEach, afterEach];
  const children: ChildProcess[] = [];
  let userData = '';

  before(() => {
    userData = mkdtempSync(join(tmpdir(), 'evoscope-user-'));
    writeFileSync(join(userData, 'a.db'), '');
  });
  after(async () => {
    for (const child of children.splice(0)) {
      if (child.exitCode === null && child.signalCode === null) {
        child.kill('SIGKILL');
        await once(child, 'exit');
      }
    }
    // A service of a killed window may still write into its folder.
    rmSync(userData, { recursive: true, force: true, maxRetries: 10 });
  });

  return {
    userData: () => userData,
    /** Opens the window with a database; null names none. */
    open: (database: string | null, setup: Setup = {}) => {
      const flags = database === null ? [] : ['--db', database];
      const args = ['--', ...flags, ...(setup.args ?? [])];
      const { program = programFolder } = setup;
      const child = fork(join(program, 'dist/electron/main.cjs'), args, {
        cwd: userData,
        env: {
          ...process.env,
          STAND_IN: JSON.stringify({ isFirst: true, button: 'Quit', userData, ...setup, program }),
        },
        silent: true,
        execArgv: nodeFlags,
      });
      children.push(child);
      return listenTo(child);
    },
  };
}

/** Returns the reports of a started program, and functions that send requests to it. */
function listenTo(child: ChildProcess) {
  const reports: Report[] = [];
  let error = '';
  child.on('message', (message) => reports.push(message as Report));
  child.stderr?.on('data', (data) => (error += String(data)));
  /** Returns all reports of a kind; the kind of a message to the page is its type, such as `notice`. */
  const all = (what: string) =>
    reports.filter((report) => report.what === what || report.type === what);
  /** Waits for `count` reports of a kind, and returns the last report. */
  const next = async (what: string, count = 1): Promise<Report> => {
    await expect.poll(() => all(what).length, { timeout: 15_000 }).toBeGreaterThanOrEqual(count);
    expect(all(what)).toHaveLength(count);
    return all(what).at(-1)!;
  };
  const send = (command: string, details = {}) => child.send({ command, ...details });
  /** Sends a request of the page, and returns the response of the window. */
  const ask = async (request: unknown, details = {}) => {
    send('ask', { request, ...details });
    return next('answer', all('answer').length + 1);
  };
  /** Returns the open database of the service, requested with the token of the window. */
  const getDatabase = async (): Promise<unknown> => {
    const { url, headers } = (await next('load', all('load').length || 1)) as unknown as Loaded;
    const response = await fetch(new URL('api/databases', url), { headers });
    return (
      ((await response.json()) as { current: { place: string } | null }).current?.place ?? null
    );
  };
  return { child, reports, all, next, send, ask, database: getDatabase, error: () => error };
}
