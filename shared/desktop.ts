import * as z from 'zod';
import { maximumIdLength } from './schemas/common.ts';

/** Name of the file in the archive of the window that contains the checksums of the scripts outside the archive. */
export const scriptChecksumsFile = 'unpacked.json';

/** Settings of the window, which its pages and menus show. */
export const desktopSettings = z.object({
  theme: z.enum(['system', 'light', 'dark']),
  /** Whether the system shows notifications about watched runs. */
  notifies: z.boolean(),
  /**
   * Port of the API for scripts, from the next start of the service; null for the previous port. The service uses
   * another port if this port is not free.
   */
  fixedPort: z.int().min(1024).max(65_535).nullable(),
  /**
   * Whether the service stores the runs that programs send. A change has an effect at the next start of the service.
   */
  isRecording: z.boolean(),
});
export type DesktopSettings = z.infer<typeof desktopSettings>;

/** Changed settings. */
export const desktopChange = desktopSettings.partial();
export type DesktopChange = z.infer<typeof desktopChange>;

/** State of the window. */
export interface DesktopState {
  readonly settings: DesktopSettings;
  /** Address of the service, for example `http://127.0.0.1:7070/`; empty if there is none. */
  readonly address: string;
  /** Ids of the runs that the user watches. The program does not store them. */
  readonly watchedRuns: readonly string[];
}

const shortText = z.string().min(1).max(4_096);

/** The location in a body of `POST /api/databases/open`: a file by its absolute path, or a PostgreSQL database. */
export const openedLocation = z.object({
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
export type OpenedLocation = z.infer<typeof openedLocation>;

/** Requests that a page may send to the window. The window rejects all others. */
export const desktopRequest = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('state') }),
  z.strictObject({ type: z.literal('change'), settings: desktopChange }),
  z.strictObject({ type: z.literal('token') }),
  z.strictObject({
    type: z.literal('watch'),
    runId: z.string().min(1).max(maximumIdLength),
    isWatched: z.boolean(),
  }),
  z.strictObject({ type: z.literal('choose-file'), purpose: z.enum(['open', 'create']) }),
  z.strictObject({ type: z.literal('recent') }),
  z.strictObject({ type: z.literal('open-recent'), id: shortText }),
  z.strictObject({ type: z.literal('remove-recent'), id: shortText }),
  z.strictObject({
    type: z.literal('add-recent'),
    location: openedLocation,
    canStorePassword: z.boolean(),
  }),
]);
export type DesktopRequest = z.infer<typeof desktopRequest>;

/** Messages of the window to its page: its state, an action of the user (`go`, `show`), or a notice for the user. */
export type DesktopMessage =
  | { readonly type: 'state'; readonly state: DesktopState }
  | { readonly type: 'go'; readonly path: string }
  | { readonly type: 'show'; readonly dialog: 'keys' | 'settings' }
  | { readonly type: 'notice'; readonly kind: 'done' | 'failure'; readonly text: string };

/** The bridge that the preload script of the window adds as `window.desktop`; absent in a browser. */
export interface DesktopBridge {
  /** Version of the desktop application, for example "0.1.0". */
  readonly version: string;
  /** The operating system, as in Node's `process.platform`. */
  readonly platform: string;
  /** Reads the current state of the window. */
  readState(): Promise<DesktopState>;
  /** Changes settings. All listeners get the new state. */
  changeSettings(settings: DesktopChange): Promise<void>;
  /** Reads the token that scripts must send as `Authorization: Bearer …`. */
  readToken(): Promise<string>;
  /** Turns notifications about the run on or off. They report that the run has ended or become silent. */
  watchRun(runId: string, isWatched: boolean): Promise<void>;
  /** Calls the listener with all further messages of the window. */
  listen(listener: (message: DesktopMessage) => void): void;
  /** Methods to choose databases; absent if the window does not support them. */
  readonly databases?: DesktopDatabases;
}

/** A recent database. */
export interface RecentEntry {
  readonly id: string;
  /** File name, or name of the PostgreSQL database. */
  readonly name: string;
  /** Absolute path of the file, or user, server, database and schema; never a password. */
  readonly location: string;
  /** Whether the file is missing now. */
  readonly isMissing?: boolean;
  /** Whether the window or its page opened this database last. False for a database that flags or variables name. */
  readonly isOpen?: boolean;
}

/** Result of an action of the window. */
export interface DesktopOutcome {
  /** The reason for a failure, for the user; null if the action succeeded or the user cancelled it. */
  readonly failure: string | null;
}

/**
 * The methods of the window for the pages that choose a database. The window opens databases by `POST
 * /api/databases/open`, and asks the user for required permissions. The event stream reports the new database to the
 * pages.
 */
export interface DesktopDatabases {
  /** Opens the system's dialog for a file. Resolves with its absolute path, or null if the user cancels. */
  chooseFile(purpose: 'open' | 'create'): Promise<string | null>;
  /** Returns the absolute path of a file that the user dropped on a page; empty if the file has no path. */
  getPath(file: object): string;
  /** Returns the recent databases, newest first. */
  listRecent(): Promise<readonly RecentEntry[]>;
  /** Opens a recent database with its stored password. */
  openRecent(id: string): Promise<DesktopOutcome>;
  /** Removes a recent database; retains it if it cannot delete the stored password. Ignores an unknown id. */
  removeRecent(id: string): Promise<void>;
  /**
   * Adds a database that a page has opened to the recent ones. `location` is from the body of the page's request `POST
   * /api/databases/open`. If `canStorePassword` is true, the window stores the password, encrypted. Otherwise it
   * deletes the stored password.
   */
  addRecent(location: OpenedLocation, canStorePassword: boolean): Promise<void>;
}

/**
 * Messages of the service to the process that forked it. The service reports its current step, and finally the address
 * of its pages or, for the user, the reason why it cannot start. A reason has a code if the service can start after the
 * user allows a change. `LEGACY_SCHEMA`: the tables belong, or may belong, to an old runner, and the service can
 * replace them after a backup. `TABLES_OF_OTHERS`: the database has other tables, or the runner's tables in another
 * schema, and the service can add the runner's tables. `FILE_MISSING`: the file is missing, and the service can create
 * a database.
 */
export const serviceMessage = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('progress'),
    step: z.string().min(1),
    canTakeLong: z.boolean().optional(),
  }),
  z.object({ type: z.literal('ready'), url: z.url({ protocol: /^http$/ }) }),
  z.object({
    type: z.literal('failed'),
    message: z.string().min(1),
    code: z.enum(['LEGACY_SCHEMA', 'TABLES_OF_OTHERS', 'FILE_MISSING']).optional(),
  }),
]);

/** A message of {@link serviceMessage}. */
export type ServiceMessage = z.infer<typeof serviceMessage>;

/** Codes of the reasons for a failed start after which the service can start if the user allows a change. */
export type StartUpCode = NonNullable<Extract<ServiceMessage, { type: 'failed' }>['code']>;

/** Value of `--choose` (`SVC_CHOOSE`) that allows files in any folder; the default in the window. */
export const anyFolder = '*';

/** Placeholder for the database in the ready line of a service that has none yet. */
export const noDatabaseYet = 'no database yet';
