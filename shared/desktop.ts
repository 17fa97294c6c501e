import * as z from 'zod';

/** File beside the window's program with the sums of the scripts that lie outside of its archive. */
export const scriptSumsFile = 'unpacked.json';

/** What can be chosen of the window, on its pages and in its menus. */
export const desktopSettings = z.object({
  theme: z.enum(['system', 'light', 'dark']),
  /** Whether the system tells of watched runs. */
  notifies: z.boolean(),
  /** The port that scripts find the API at; null takes the one of last time while it is free. */
  fixedPort: z.int().min(1024).max(65_535).nullable(),
});
export type DesktopSettings = z.infer<typeof desktopSettings>;

/** What is changed of the settings. */
export const desktopChange = desktopSettings.partial();
export type DesktopChange = z.infer<typeof desktopChange>;

/** How the window stands. */
export interface DesktopState {
  readonly settings: DesktopSettings;
  /** Where the service answers now, e.g. `http://127.0.0.1:7070/`; empty while there is none. */
  readonly address: string;
  /** Runs that the user wants to hear of; until the program ends. */
  readonly watchedRuns: readonly string[];
}

const shortText = z.string().min(1).max(4_096);

/** A file by its absolute path, or a PostgreSQL database: the parts of a body of `POST /api/databases/open` that say where. */
export const openedPlace = z.object({
  file: shortText.optional(),
  postgres: z
    .object({
      host: shortText,
      port: z.int().min(1).max(65_535),
      database: shortText,
      user: shortText.optional(),
      password: z.string().max(1_000).optional(),
      sslmode: shortText,
      schema: shortText.optional(),
    })
    .optional(),
});
export type OpenedPlace = z.infer<typeof openedPlace>;

/** What a page may ask of the window; everything else is refused. */
export const desktopRequest = z.discriminatedUnion('ask', [
  z.strictObject({ ask: z.literal('state') }),
  z.strictObject({ ask: z.literal('change'), settings: desktopChange }),
  z.strictObject({ ask: z.literal('token') }),
  z.strictObject({
    ask: z.literal('watch'),
    runId: z.string().min(1).max(500),
    isWatched: z.boolean(),
  }),
  z.strictObject({ ask: z.literal('choose-file'), purpose: z.enum(['open', 'create']) }),
  z.strictObject({ ask: z.literal('recent') }),
  z.strictObject({ ask: z.literal('open-recent'), id: shortText }),
  z.strictObject({ ask: z.literal('forget-recent'), id: shortText }),
  z.strictObject({
    ask: z.literal('remember'),
    opened: openedPlace,
    keepPassword: z.boolean(),
  }),
]);
export type DesktopRequest = z.infer<typeof desktopRequest>;

/** What the window tells its page: how it stands now, what was chosen in a menu, what the user should know. */
export type DesktopMessage =
  | { readonly tell: 'state'; readonly state: DesktopState }
  | { readonly tell: 'go'; readonly path: string }
  | { readonly tell: 'show'; readonly dialog: 'keys' | 'settings' }
  | { readonly tell: 'say'; readonly kind: 'done' | 'failure'; readonly text: string };

/** What the window's preload script puts on `window.desktop`; absent in a plain browser. */
export interface DesktopBridge {
  /** Version of the desktop application, e.g. "0.1.0". */
  readonly version: string;
  /** The operating system, as Node's `process.platform` names it. */
  readonly platform: string;
  readState(): Promise<DesktopState>;
  /** Keeps what is given of the settings; all listeners are told the new state. */
  changeSettings(settings: DesktopChange): Promise<void>;
  /** What scripts must send as `Authorization: Bearer …`. */
  readToken(): Promise<string>;
  /** Has the system tell when the run ends, fails or falls silent, or no more. */
  watchRun(runId: string, isWatched: boolean): Promise<void>;
  /** Calls the listener with all that the window tells from now on. */
  listen(listener: (message: DesktopMessage) => void): void;
  /** Choosing databases with what a window has beyond a browser; absent where that is not possible. */
  readonly databases?: DesktopDatabases;
}

/** A database that was opened lately. */
export interface DesktopRecent {
  readonly id: string;
  /** File name, or name of the PostgreSQL database. */
  readonly name: string;
  /** Absolute path of the file, or host:port/database with the user; no password. */
  readonly place: string;
  /** Whether the file is not there now. */
  readonly isMissing?: boolean;
  /** Whether the window has opened it, and nothing else since. */
  readonly isOpen?: boolean;
}

/** What became of something that the window was asked for. */
export interface DesktopOutcome {
  /** Why it was not done, in a sentence; null when it was, or when the user changed their mind. */
  readonly problem: string | null;
}

/**
 * What the window offers to the pages that choose a database. What it opens itself it opens by
 * `POST /api/databases/open`, with the questions of that; the pages hear of it by the stream of changes.
 */
export interface DesktopDatabases {
  /** Asks with the system's dialog for a file; its absolute path, null when none was chosen. */
  chooseFile(purpose: 'open' | 'create'): Promise<string | null>;
  /** The absolute path of a file that was dropped on a page; empty when it has none. */
  pathOf(file: object): string;
  /** Newest first. */
  listRecent(): Promise<readonly DesktopRecent[]>;
  /** Opens one of them, with its kept password. */
  openRecent(id: string): Promise<DesktopOutcome>;
  forgetRecent(id: string): Promise<void>;
  /**
   * Told what a page has opened, so that it is among the recent ones: the body that it sent to
   * `POST /api/databases/open`. A password is kept only if `keepPassword`, and encrypted.
   */
  remember(opened: OpenedPlace, keepPassword: boolean): Promise<void>;
}

/**
 * What the service says to the process that forked it: what it is doing, which may take long when it says so, and then
 * once where its pages are, or why it cannot start, in sentences for the user. `LEGACY_SCHEMA`: the tables are, or may be, of an old runner, and can be replaced
 * after a backup; `TABLES_OF_OTHERS`: the runner's tables can be made beside those that are there; `FILE_MISSING`:
 * a database can be made there.
 */
export const serviceMessage = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('progress'),
    step: z.string().min(1),
    mayTakeLong: z.boolean().optional(),
  }),
  z.object({ type: z.literal('ready'), url: z.url({ protocol: /^http$/ }) }),
  z.object({
    type: z.literal('failed'),
    message: z.string().min(1),
    code: z.enum(['LEGACY_SCHEMA', 'TABLES_OF_OTHERS', 'FILE_MISSING']).optional(),
  }),
]);

export type ServiceMessage = z.infer<typeof serviceMessage>;

/** What a caller can do something about when the service does not start. */
export type StartUpCode = NonNullable<Extract<ServiceMessage, { type: 'failed' }>['code']>;

/** As the folder of `--choose` (`SVC_CHOOSE`): files can be chosen anywhere, as the window lets its user do. */
export const anyFolder = '*';

/** Stands for the database in the ready line of a service that waits for one to be chosen. */
export const noDatabaseYet = 'no database yet';
