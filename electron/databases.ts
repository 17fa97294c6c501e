import type { MessageBoxOptions } from 'electron';
import { isAbsolute } from 'node:path';
import type { DesktopOutcome, RecentEntry, OpenedLocation } from '#shared/desktop.ts';
import { openDatabase, type OpenDatabase, type ServiceRefusal } from './open-database.ts';
import type { Passwords } from './passwords.ts';
import {
  describeLocation,
  getLocationId,
  getLocation,
  formatLocationUrl,
  removeRecentLocation,
  addRecentLocation,
  type DatabaseLocation,
} from './locations.ts';
import type { StartDatabase } from './service-options.ts';
import type { SettingsStore } from './settings.ts';

/** The dependencies of choosing databases. */
export interface DatabaseDependencies {
  readonly settings: SettingsStore;
  readonly passwords: Passwords;
  /**
   * The database of the first start: that of flags or environment variables (`configured`), the previous one (`last`), or
   * a file.
   */
  readonly firstDatabase: 'configured' | 'last' | { readonly file: string };
  readonly post: (body: object) => Promise<ServiceRefusal | null>;
  readonly ask: (question: MessageBoxOptions) => Promise<number>;
  /** Reads the open database from the service; null if there is none or the service does not respond. */
  readonly readOpenDatabase: () => Promise<OpenDatabase | null>;
  readonly hasFile: (file: string) => Promise<boolean>;
  /** Shows a warning to the user. */
  readonly warn: (text: string) => void;
  /** Called when the list of recent databases changes. */
  readonly onChange: () => void;
}

/** The open database of this window and the recent ones. */
export interface Databases {
  /** The database that the next started service opens. */
  readonly resolveStart: () => Promise<StartDatabase>;
  /** Adds the file in flags or variables to the recent databases. Does not add a server, as its password is unknown. */
  readonly addConfiguredDatabase: () => Promise<void>;
  /** Clears the current database: the service starts without a database until another one is opened. */
  readonly clear: () => void;
  /** Returns the recent databases, newest first. */
  readonly list: () => Promise<RecentEntry[]>;
  /** Opens a database. `permissions` are fields of the request that the user has already allowed. */
  readonly open: (openedLocation: OpenedLocation, permissions?: object) => Promise<DesktopOutcome>;
  /** Opens a recent database with its stored password. */
  readonly openRecent: (id: string) => Promise<DesktopOutcome>;
  /** Adds a database that a page has opened. Stores its password encrypted, or deletes the stored one. */
  readonly addRecent: (openedLocation: OpenedLocation, canStorePassword: boolean) => Promise<void>;
  readonly removeRecent: (id: string) => void;
  readonly clearRecent: () => void;
}

const passwordNotice =
  'The password was not stored because this system cannot encrypt it (for example, it has no keyring). Enter the password again next time.';
const missingPassword =
  'The password of this database is not stored. Connect to the database again and enter the password.';

/**
 * Creates the list of recent databases and the current one. The current database includes its password, so that a
 * restarted service can open it again.
 */
export function createDatabases(dependencies: DatabaseDependencies): Databases {
  const { settings, passwords } = dependencies;
  let current: DatabaseLocation | DatabaseDependencies['firstDatabase'] | null =
    dependencies.firstDatabase;
  let currentPassword: string | undefined;

  const readRecent = () => settings.read().recent ?? [];
  const isCurrent = (location: DatabaseLocation) =>
    typeof current === 'object' &&
    current !== null &&
    getLocationId(current) === getLocationId(location);
  const storeRecent = (locations: DatabaseLocation[]) => {
    settings.change({ recent: locations });
    dependencies.onChange();
  };
  const setCurrent = (location: DatabaseLocation, password: string | undefined) => {
    current = location;
    currentPassword = password;
    storeRecent(addRecentLocation(readRecent(), location));
  };
  /** Returns the stored password; undefined if none is required, null if a required one is not stored. */
  const getPassword = async (location: DatabaseLocation): Promise<string | undefined | null> => {
    if ('file' in location || !location.postgres.hasPassword) return undefined;
    return (await passwords.find(getLocationId(location))) ?? null;
  };
  const removeRecent = (id: string) => {
    passwords.delete(id);
    storeRecent(removeRecentLocation(readRecent(), id));
  };
  const open = async (
    openedLocation: OpenedLocation,
    permissions?: object,
  ): Promise<DesktopOutcome> => {
    const { isOpen, problem } = await openDatabase(openedLocation, dependencies, permissions);
    const location = getLocation(openedLocation);
    if (isOpen && location !== null) setCurrent(location, openedLocation.postgres?.password);
    return { problem: problem || null };
  };
  const resolveLastDatabase = async (): Promise<StartDatabase> => {
    const [location] = readRecent();
    if (location === undefined) return null;
    if ('file' in location && !(await dependencies.hasFile(location.file))) return null;
    const password = await getPassword(location);
    if (password === null) return null;
    [current, currentPassword] = [location, password];
    return getStart(location, password);
  };

  return {
    resolveStart: async () => {
      if (current === 'last') return resolveLastDatabase();
      return current === null || current === 'configured'
        ? current
        : getStart(current, currentPassword);
    },
    addConfiguredDatabase: async () => {
      const configuredDatabase =
        current === 'configured' ? await dependencies.readOpenDatabase() : null;
      if (configuredDatabase?.dialect === 'sqlite' && isAbsolute(configuredDatabase.place)) {
        storeRecent(addRecentLocation(readRecent(), { file: configuredDatabase.place }));
      }
    },
    clear: () => {
      [current, currentPassword] = [null, undefined];
    },
    list: () =>
      Promise.all(
        readRecent().map(async (location) => ({
          ...describeLocation(location),
          isMissing: 'file' in location && !(await dependencies.hasFile(location.file)),
          isOpen: isCurrent(location),
        })),
      ),
    open,
    openRecent: async (id) => {
      const location = readRecent().find((one) => getLocationId(one) === id);
      if (location === undefined)
        return {
          problem: 'This database is no longer in the list of recent databases. Open it again.',
        };
      if ('file' in location) return open(location);
      const password = await getPassword(location);
      if (password === null) return { problem: missingPassword };
      const { hasPassword: _, ...server } = location.postgres;
      return open({ postgres: { ...server, ...(password !== undefined && { password }) } });
    },
    addRecent: async (openedLocation, canStorePassword) => {
      const location = getLocation(openedLocation);
      if (location === null) return;
      const password = openedLocation.postgres?.password ?? '';
      setCurrent(location, password === '' ? undefined : password);
      if (!canStorePassword) return passwords.delete(getLocationId(location));
      if (password === '') return;
      if (!(await passwords.store(getLocationId(location), password)))
        dependencies.warn(passwordNotice);
    },
    removeRecent,
    clearRecent: () => readRecent().map(getLocationId).forEach(removeRecent),
  };
}

function getStart(location: DatabaseLocation, password: string | undefined): StartDatabase {
  const user = 'file' in location ? undefined : location.postgres.user;
  return {
    url: formatLocationUrl(location),
    ...(user !== undefined && { user }),
    ...(password !== undefined && { password }),
  };
}
