import type { MessageBoxOptions } from 'electron';
import { isAbsolute } from 'node:path';
import type { DesktopOutcome, RecentEntry, OpenedLocation } from '#shared/desktop.ts';
import { openDatabase, type OpenDatabase, type OpenDependencies } from './open-database.ts';
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

/** Dependencies of {@link createDatabases}. */
export interface DatabaseDependencies {
  readonly settings: SettingsStore;
  readonly passwords: Passwords;
  /**
   * The database of the first start. `configured` is the database that flags or environment variables name, by default
   * `evoscope.db`. `previous` is the newest recent database. `file` is an absolute path.
   */
  readonly firstDatabase: 'configured' | 'previous' | { readonly file: string };
  /** See {@link OpenDependencies.post}. */
  readonly post: OpenDependencies['post'];
  /** Shows a dialog and resolves with the index of the chosen button. */
  readonly ask: (options: MessageBoxOptions) => Promise<number>;
  /** Reads the open database from the service; null without an open database, a service or a valid response. */
  readonly readOpenDatabase: () => Promise<OpenDatabase | null>;
  readonly hasFile: (file: string) => Promise<boolean>;
  /** Shows a warning to the user. */
  readonly warn: (text: string) => void;
  /** Handles a change of the list of recent databases. */
  readonly onChange: () => void;
}

/** The open database of this window and the recent databases. */
export interface Databases {
  /**
   * Returns the database that the next service opens; null after {@link Databases.clear}. For `previous`, makes the
   * newest recent database the current one. Returns null for `previous` if there is no recent database, if its file is
   * missing, or if it requires a password and {@link Passwords.find} returns none.
   */
  readonly resolveStartDatabase: () => Promise<StartDatabase>;
  /**
   * Adds the file of the first start to the recent databases: the configured file, or a file that the system passed.
   * Does not add a server, because its password is unknown. Does nothing after the user opened another database.
   */
  readonly addFirstDatabase: () => Promise<void>;
  /** Clears the current database: the service starts without a database until the user opens another database. */
  readonly clear: () => void;
  /** Returns the recent databases, newest first. */
  readonly list: () => Promise<RecentEntry[]>;
  /**
   * Opens a database. Makes it the current one if this succeeds, unless {@link getLocation} returns null. `permissions`
   * are fields of the request that the user has already allowed.
   */
  readonly open: (openedLocation: OpenedLocation, permissions?: object) => Promise<DesktopOutcome>;
  /** Opens a recent database with its stored password. Returns a failure for an unknown id or a missing password. */
  readonly openRecentDatabase: (id: string) => Promise<DesktopOutcome>;
  /**
   * Adds a database that a page has opened to the recent ones, and makes it the current one. Ignores a database for
   * which {@link getLocation} returns null. With `canStorePassword`, encrypts and stores the password, if there is one,
   * and warns if this fails. Without `canStorePassword`, deletes the stored password.
   */
  readonly addRecentDatabase: (
    openedLocation: OpenedLocation,
    canStorePassword: boolean,
  ) => Promise<void>;
  /** Removes a recent database and its password. If deleting the password fails, warns and retains the database. */
  readonly removeRecentDatabase: (id: string) => void;
  /** Removes all recent databases; see {@link Databases.removeRecentDatabase}. */
  readonly clearRecentDatabases: () => void;
}

const passwordNotice =
  'Evoscope did not store the password: this system cannot encrypt it (for example, it has no keyring), or its file is not writable. Enter the password again next time.';
const missingPasswordMessage =
  'Evoscope has no stored password of this database. Connect to the database again and enter the password.';

/**
 * Creates the list of recent databases and the current database. The current database includes its password, so a
 * restarted service can open it again.
 */
export function createDatabases(dependencies: DatabaseDependencies): Databases {
  const { settings, passwords } = dependencies;
  let currentDatabase: DatabaseLocation | DatabaseDependencies['firstDatabase'] | null =
    dependencies.firstDatabase;
  let currentPassword: string | undefined;

  const readRecentLocations = () => settings.read().recent ?? [];
  const isCurrent = (location: DatabaseLocation) =>
    typeof currentDatabase === 'object' &&
    currentDatabase !== null &&
    getLocationId(currentDatabase) === getLocationId(location);
  const storeRecentLocations = (locations: DatabaseLocation[]) => {
    settings.change({ recent: locations });
    dependencies.onChange();
  };
  /** Deletes a stored password. Warns and returns false if this fails. */
  const deletePassword = (id: string): boolean => {
    try {
      passwords.delete(id);
      return true;
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      dependencies.warn(
        `Evoscope cannot delete the stored password of ${id}: ${reason}. Correct this and try again.`,
      );
      return false;
    }
  };
  /** Adds a database as the newest one. Deletes the stored passwords of older databases that the list then omits. */
  const addRecent = (location: DatabaseLocation) => {
    const previousIds = readRecentLocations().map(getLocationId);
    const locations = addRecentLocation(readRecentLocations(), location);
    storeRecentLocations(locations);
    const ids = new Set(locations.map(getLocationId));
    for (const id of previousIds) if (!ids.has(id)) deletePassword(id);
  };
  const setCurrentDatabase = (location: DatabaseLocation, password: string | undefined) => {
    currentDatabase = location;
    currentPassword = password;
    addRecent(location);
  };
  /**
   * Returns the stored password; undefined if the database requires no password. Returns null if it requires a password
   * and {@link Passwords.find} returns none.
   */
  const getPassword = async (location: DatabaseLocation): Promise<string | undefined | null> => {
    if ('file' in location || !location.postgres.hasPassword) return undefined;
    return (await passwords.find(getLocationId(location))) ?? null;
  };
  /** Removes a recent database, unless deleting its password fails. The user can then try again. */
  const removeRecent = (id: string) => {
    if (deletePassword(id)) storeRecentLocations(removeRecentLocation(readRecentLocations(), id));
  };
  const open = async (
    openedLocation: OpenedLocation,
    permissions?: object,
  ): Promise<DesktopOutcome> => {
    const { isOpen, failure } = await openDatabase(openedLocation, dependencies, permissions);
    const location = getLocation(openedLocation);
    if (isOpen && location !== null)
      setCurrentDatabase(location, openedLocation.postgres?.password);
    return { failure: failure || null };
  };
  const resolvePreviousDatabase = async (): Promise<StartDatabase> => {
    const [location] = readRecentLocations();
    if (location === undefined) return null;
    if ('file' in location && !(await dependencies.hasFile(location.file))) return null;
    const password = await getPassword(location);
    if (password === null) return null;
    [currentDatabase, currentPassword] = [location, password];
    return getStartDatabase(location, password);
  };

  return {
    resolveStartDatabase: async () => {
      if (currentDatabase === 'previous') return resolvePreviousDatabase();
      return currentDatabase === null || currentDatabase === 'configured'
        ? currentDatabase
        : getStartDatabase(currentDatabase, currentPassword);
    },
    addFirstDatabase: async () => {
      const { firstDatabase } = dependencies;
      if (typeof firstDatabase === 'object' && currentDatabase === firstDatabase)
        return setCurrentDatabase(firstDatabase, undefined);
      const configuredDatabase =
        currentDatabase === 'configured' ? await dependencies.readOpenDatabase() : null;
      if (configuredDatabase?.dialect === 'sqlite' && isAbsolute(configuredDatabase.place)) {
        addRecent({ file: configuredDatabase.place });
      }
    },
    clear: () => {
      [currentDatabase, currentPassword] = [null, undefined];
    },
    list: () =>
      Promise.all(
        readRecentLocations().map(async (location) => ({
          ...describeLocation(location),
          isMissing: 'file' in location && !(await dependencies.hasFile(location.file)),
          isOpen: isCurrent(location),
        })),
      ),
    open,
    openRecentDatabase: async (id) => {
      const location = readRecentLocations().find(
        (recentLocation) => getLocationId(recentLocation) === id,
      );
      if (location === undefined)
        return {
          failure: 'This database is no longer in the list of recent databases. Open it again.',
        };
      if ('file' in location) return open(location);
      const password = await getPassword(location);
      if (password === null) return { failure: missingPasswordMessage };
      const { hasPassword: _, ...server } = location.postgres;
      return open({ postgres: { ...server, ...(password !== undefined && { password }) } });
    },
    addRecentDatabase: async (openedLocation, canStorePassword) => {
      const location = getLocation(openedLocation);
      if (location === null) return;
      const password = openedLocation.postgres?.password ?? '';
      setCurrentDatabase(location, password === '' ? undefined : password);
      const id = getLocationId(location);
      if (!canStorePassword) deletePassword(id);
      else if (password !== '' && !(await passwords.store(id, password)))
        dependencies.warn(passwordNotice);
    },
    removeRecentDatabase: removeRecent,
    clearRecentDatabases: () => readRecentLocations().map(getLocationId).forEach(removeRecent),
  };
}

function getStartDatabase(location: DatabaseLocation, password: string | undefined): StartDatabase {
  const user = 'file' in location ? undefined : location.postgres.user;
  return {
    url: formatLocationUrl(location),
    ...(user !== undefined && { user }),
    ...(password !== undefined && { password }),
  };
}
