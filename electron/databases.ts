import type { MessageBoxOptions } from 'electron';
import { isAbsolute } from 'node:path';
import type { DesktopOutcome, DesktopRecent, OpenedPlace } from '#shared/desktop.ts';
import { openDatabase, type OpenDatabase, type ServiceRefusal } from './open-database.ts';
import type { Passwords } from './passwords.ts';
import {
  describePlace,
  placeId,
  placeOf,
  urlOfPlace,
  withoutRecent,
  withRecent,
  type Place,
} from './places.ts';
import type { StartDatabase } from './service-options.ts';
import type { SettingsStore } from './settings.ts';

/** The dependencies of choosing databases. */
export interface DatabaseNeeds {
  readonly settings: SettingsStore;
  readonly passwords: Passwords;
  /** The database that the first start opens: the one in flags or environment variables (`given`), the previous one (`last`), or a file. */
  readonly first: 'given' | 'last' | { readonly file: string };
  readonly post: (body: object) => Promise<ServiceRefusal | null>;
  readonly ask: (question: MessageBoxOptions) => Promise<number>;
  /** Reads the open database from the service; null if there is none or the service does not respond. */
  readonly readOpen: () => Promise<OpenDatabase | null>;
  readonly isThere: (file: string) => Promise<boolean>;
  /** Shows a warning to the user. */
  readonly warn: (text: string) => void;
  /** Called when the list of recent databases changes. */
  readonly onChange: () => void;
}

/** The open database of this window and the recent ones. */
export interface Databases {
  /** The database that the next started service opens. */
  readonly forStart: () => Promise<StartDatabase>;
  /** Adds a file that flags or variables name to the recent databases. The password of a server is not stored. */
  readonly noteStarted: () => Promise<void>;
  /** Clears the current database: the service starts without a database until another one is opened. */
  readonly leave: () => void;
  /** Newest first. */
  readonly list: () => Promise<DesktopRecent[]>;
  /** Opens a recent database, without a password in the request. `given` is already allowed. */
  readonly open: (opened: OpenedPlace, given?: object) => Promise<DesktopOutcome>;
  readonly openRecent: (id: string) => Promise<DesktopOutcome>;
  /** Records the open database. Stores its password encrypted, or deletes the stored one. */
  readonly remember: (opened: OpenedPlace, keepPassword: boolean) => Promise<void>;
  readonly forget: (id: string) => void;
  readonly forgetAll: () => void;
}

const noSecrets =
  'The password was not stored because this system cannot encrypt it (for example, it has no keyring). Enter the password again next time.';
const missingPassword =
  'The password of this database is not stored. Connect to the database again and enter the password.';

/** Only this program knows the open database with its password, so it can restart a service that ended. */
export function createDatabases(needs: DatabaseNeeds): Databases {
  const { settings, passwords } = needs;
  let current: Place | DatabaseNeeds['first'] | null = needs.first;
  let currentPassword: string | undefined;

  const recent = () => settings.read().recent ?? [];
  const isCurrent = (place: Place) =>
    typeof current === 'object' && current !== null && placeId(current) === placeId(place);
  const keepRecent = (places: Place[]) => {
    settings.change({ recent: places });
    needs.onChange();
  };
  const note = (place: Place, password: string | undefined) => {
    current = place;
    currentPassword = password;
    keepRecent(withRecent(recent(), place));
  };
  /** Null if a required password is not stored. */
  const passwordOf = async (place: Place): Promise<string | undefined | null> => {
    if ('file' in place || !place.postgres.hasPassword) return undefined;
    return (await passwords.find(placeId(place))) ?? null;
  };
  const forget = (id: string) => {
    passwords.forget(id);
    keepRecent(withoutRecent(recent(), id));
  };
  const open = async (opened: OpenedPlace, given?: object): Promise<DesktopOutcome> => {
    const { isOpen, problem } = await openDatabase(opened, needs, given);
    const place = placeOf(opened);
    if (isOpen && place !== null) note(place, opened.postgres?.password);
    return { problem: problem || null };
  };
  const startLast = async (): Promise<StartDatabase> => {
    const [place] = recent();
    if (place === undefined) return null;
    if ('file' in place && !(await needs.isThere(place.file))) return null;
    const password = await passwordOf(place);
    if (password === null) return null;
    [current, currentPassword] = [place, password];
    return startOf(place, password);
  };

  return {
    forStart: async () => {
      if (current === 'last') return startLast();
      return current === null || current === 'given' ? current : startOf(current, currentPassword);
    },
    noteStarted: async () => {
      const opened = current === 'given' ? await needs.readOpen() : null;
      if (opened?.dialect === 'sqlite' && isAbsolute(opened.place)) {
        keepRecent(withRecent(recent(), { file: opened.place }));
      }
    },
    leave: () => {
      [current, currentPassword] = [null, undefined];
    },
    list: () =>
      Promise.all(
        recent().map(async (place) => ({
          ...describePlace(place),
          isMissing: 'file' in place && !(await needs.isThere(place.file)),
          isOpen: isCurrent(place),
        })),
      ),
    open,
    openRecent: async (id) => {
      const place = recent().find((one) => placeId(one) === id);
      if (place === undefined)
        return {
          problem: 'This database is no longer in the list of recent databases. Open it again.',
        };
      if ('file' in place) return open(place);
      const password = await passwordOf(place);
      if (password === null) return { problem: missingPassword };
      const { hasPassword: _, ...server } = place.postgres;
      return open({ postgres: { ...server, ...(password !== undefined && { password }) } });
    },
    remember: async (opened, keepPassword) => {
      const place = placeOf(opened);
      if (place === null) return;
      const password = opened.postgres?.password ?? '';
      note(place, password === '' ? undefined : password);
      if (!keepPassword) return passwords.forget(placeId(place));
      if (password === '') return;
      if (!(await passwords.keep(placeId(place), password))) needs.warn(noSecrets);
    },
    forget,
    forgetAll: () => recent().map(placeId).forEach(forget),
  };
}

function startOf(place: Place, password: string | undefined): StartDatabase {
  const user = 'file' in place ? undefined : place.postgres.user;
  return {
    url: urlOfPlace(place),
    ...(user !== undefined && { user }),
    ...(password !== undefined && { password }),
  };
}
