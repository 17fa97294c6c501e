import type { MessageBoxOptions } from 'electron';
import { isAbsolute } from 'node:path';
import type { DesktopOutcome, DesktopRecent, OpenedPlace } from '#shared/desktop.ts';
import { openDatabase, type OpenDatabase, type ServiceRefusal } from './open-database.ts';
import type { Passwords } from './passwords.ts';
import {
  describePlace,
  getPlaceId,
  getPlace,
  formatPlaceUrl,
  removeRecentPlace,
  addRecentPlace,
  type Place,
} from './places.ts';
import type { StartDatabase } from './service-options.ts';
import type { SettingsStore } from './settings.ts';

/** The dependencies of choosing databases. */
export interface DatabaseNeeds {
  readonly settings: SettingsStore;
  readonly passwords: Passwords;
  /**
   * The database of the first start: that of flags or environment variables (`configured`), the previous one (`last`), or
   * a file.
   */
  readonly first: 'configured' | 'last' | { readonly file: string };
  readonly post: (body: object) => Promise<ServiceRefusal | null>;
  readonly ask: (question: MessageBoxOptions) => Promise<number>;
  /** Reads the open database from the service; null if there is none or the service does not respond. */
  readonly readOpen: () => Promise<OpenDatabase | null>;
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
  readonly addStarted: () => Promise<void>;
  /** Clears the current database: the service starts without a database until another one is opened. */
  readonly clear: () => void;
  /** Newest first. */
  readonly list: () => Promise<DesktopRecent[]>;
  /** Opens a database. `permissions` are fields of the request that the user has already allowed. */
  readonly open: (openedPlace: OpenedPlace, permissions?: object) => Promise<DesktopOutcome>;
  /** Opens a recent database with its stored password. */
  readonly openRecent: (id: string) => Promise<DesktopOutcome>;
  /** Adds a database that a page has opened. Stores its password encrypted, or deletes the stored one. */
  readonly addRecent: (openedPlace: OpenedPlace, mustStorePassword: boolean) => Promise<void>;
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
export function createDatabases(needs: DatabaseNeeds): Databases {
  const { settings, passwords } = needs;
  let current: Place | DatabaseNeeds['first'] | null = needs.first;
  let currentPassword: string | undefined;

  const readRecent = () => settings.read().recent ?? [];
  const isCurrent = (place: Place) =>
    typeof current === 'object' && current !== null && getPlaceId(current) === getPlaceId(place);
  const storeRecent = (places: Place[]) => {
    settings.change({ recent: places });
    needs.onChange();
  };
  const setCurrent = (place: Place, password: string | undefined) => {
    current = place;
    currentPassword = password;
    storeRecent(addRecentPlace(readRecent(), place));
  };
  /** Returns the stored password; undefined if none is required, null if a required one is not stored. */
  const getPassword = async (place: Place): Promise<string | undefined | null> => {
    if ('file' in place || !place.postgres.hasPassword) return undefined;
    return (await passwords.find(getPlaceId(place))) ?? null;
  };
  const removeRecent = (id: string) => {
    passwords.delete(id);
    storeRecent(removeRecentPlace(readRecent(), id));
  };
  const open = async (openedPlace: OpenedPlace, permissions?: object): Promise<DesktopOutcome> => {
    const { isOpen, problem } = await openDatabase(openedPlace, needs, permissions);
    const place = getPlace(openedPlace);
    if (isOpen && place !== null) setCurrent(place, openedPlace.postgres?.password);
    return { problem: problem || null };
  };
  const startLast = async (): Promise<StartDatabase> => {
    const [place] = readRecent();
    if (place === undefined) return null;
    if ('file' in place && !(await needs.hasFile(place.file))) return null;
    const password = await getPassword(place);
    if (password === null) return null;
    [current, currentPassword] = [place, password];
    return getStart(place, password);
  };

  return {
    resolveStart: async () => {
      if (current === 'last') return startLast();
      return current === null || current === 'configured'
        ? current
        : getStart(current, currentPassword);
    },
    addStarted: async () => {
      const configuredPlace = current === 'configured' ? await needs.readOpen() : null;
      if (configuredPlace?.dialect === 'sqlite' && isAbsolute(configuredPlace.place)) {
        storeRecent(addRecentPlace(readRecent(), { file: configuredPlace.place }));
      }
    },
    clear: () => {
      [current, currentPassword] = [null, undefined];
    },
    list: () =>
      Promise.all(
        readRecent().map(async (place) => ({
          ...describePlace(place),
          isMissing: 'file' in place && !(await needs.hasFile(place.file)),
          isOpen: isCurrent(place),
        })),
      ),
    open,
    openRecent: async (id) => {
      const place = readRecent().find((one) => getPlaceId(one) === id);
      if (place === undefined)
        return {
          problem: 'This database is no longer in the list of recent databases. Open it again.',
        };
      if ('file' in place) return open(place);
      const password = await getPassword(place);
      if (password === null) return { problem: missingPassword };
      const { hasPassword: _, ...server } = place.postgres;
      return open({ postgres: { ...server, ...(password !== undefined && { password }) } });
    },
    addRecent: async (openedPlace, mustStorePassword) => {
      const place = getPlace(openedPlace);
      if (place === null) return;
      const password = openedPlace.postgres?.password ?? '';
      setCurrent(place, password === '' ? undefined : password);
      if (!mustStorePassword) return passwords.delete(getPlaceId(place));
      if (password === '') return;
      if (!(await passwords.store(getPlaceId(place), password))) needs.warn(passwordNotice);
    },
    removeRecent,
    clearRecent: () => readRecent().map(getPlaceId).forEach(removeRecent),
  };
}

function getStart(place: Place, password: string | undefined): StartDatabase {
  const user = 'file' in place ? undefined : place.postgres.user;
  return {
    url: formatPlaceUrl(place),
    ...(user !== undefined && { user }),
    ...(password !== undefined && { password }),
  };
}
