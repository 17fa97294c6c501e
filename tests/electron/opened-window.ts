import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, expect } from 'vitest';
import { nodeFlags } from '#build/gate/node-flags.ts';
import { programFolder } from '#tests/support/programs.ts';

/**
 * The bundled program of the window, run in Node over a stand-in for Electron and over the real service. It
 * shows that the parts are joined as they should be; what Electron does with them only Electron can show.
 */
/** What the stand-in tells. */
export interface Told {
  readonly what: string;
  readonly [detail: string]: unknown;
}

/** How the stand-in is set up. */
interface Setup {
  /** Whether no other window is open. */
  readonly isFirst?: boolean;
  /** The button that answers all dialogs, or each in turn and the last all others; null leaves them open. */
  readonly button?: string | readonly string[] | null;
  readonly isPackaged?: boolean;
  /** Whether each notification is clicked. */
  readonly clicks?: boolean;
  /** What save dialogs are answered with; they are cancelled without it. */
  readonly saveAs?: string;
  /** Further arguments, as a system gives them. */
  readonly args?: readonly string[];
  /** What keeps secrets on Linux; nothing does without it. */
  readonly keyring?: string;
  /** The program's folder. */
  readonly program?: string;
}

interface Loaded {
  readonly url: string;
  readonly headers: Record<string, string>;
}

/** Each test gets a user's folder of its own, with an empty `a.db`; all tests of a suite one that is shared. */
export function useWindow({ isShared = false } = {}) {
  const [before, after] = isShared ? [beforeAll, afterAll] : [beforeEach, afterEach];
  const started: ChildProcess[] = [];
  let userData = '';

  before(() => {
    userData = mkdtempSync(join(tmpdir(), 'evoscope-user-'));
    writeFileSync(join(userData, 'a.db'), '');
  });
  after(async () => {
    for (const child of started.splice(0)) {
      if (child.exitCode === null && child.signalCode === null) {
        child.kill('SIGKILL');
        await once(child, 'exit');
      }
    }
    rmSync(userData, { recursive: true, force: true });
  });

  return {
    userData: () => userData,
    /** Opens the window over a database; over none that is named, with null. */
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
      started.push(child);
      return listenTo(child);
    },
  };
}

/** What a started program tells, and the way to ask something of it. */
function listenTo(child: ChildProcess) {
  const told: Told[] = [];
  let error = '';
  child.on('message', (message) => told.push(message as Told));
  child.stderr?.on('data', (data) => (error += String(data)));
  /** All that was told of a kind; of messages to the page a kind is what they tell, such as `notice`. */
  const all = (what: string) => told.filter((one) => one.what === what || one.type === what);
  /** The latest of a kind, once there are so many. */
  const next = async (what: string, count = 1): Promise<Told> => {
    await expect.poll(() => all(what).length, { timeout: 15_000 }).toBeGreaterThanOrEqual(count);
    expect(all(what)).toHaveLength(count);
    return all(what).at(-1)!;
  };
  const send = (command: string, details = {}) => child.send({ command, ...details });
  /** What the window answers to what a page asks. */
  const ask = async (request: unknown, details = {}) => {
    send('ask', { request, ...details });
    return next('answer', all('answer').length + 1);
  };
  /** What the service says is open; the page asks it with the window's token. */
  const database = async (): Promise<unknown> => {
    const { url, headers } = (await next('load', all('load').length || 1)) as unknown as Loaded;
    const answer = await fetch(new URL('api/databases', url), { headers });
    return ((await answer.json()) as { current: { place: string } | null }).current?.place ?? null;
  };
  return { child, told, all, next, send, ask, database, error: () => error };
}
