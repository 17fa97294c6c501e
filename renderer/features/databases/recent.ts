import { createEffect, createMemo, createSignal, on, type Accessor } from 'solid-js';
import type { DesktopDatabases, RecentEntry } from '#shared/desktop.ts';
import type { DatabaseChoices, RecentDatabase } from '#shared/schemas/databases.ts';
import { getDesktopBridge } from '#renderer/desktop.ts';
import { openPlace, openRecentDatabase } from './opening.ts';

type PostgresPlace = Extract<RecentDatabase, { dialect: 'postgres' }>['postgres'];

/** A recently opened database, and the actions on it. */
export interface RecentChoice {
  name: string;
  /** Location, as far as the name does not contain it; empty where it does. */
  location: string;
  /**
   * Opens it and returns in a sentence why that failed; null when it is open or the user cancelled. Absent where a
   * password has to be entered first.
   */
  open?: () => Promise<string | null>;
  /** Initial values of the form where a password has to be entered. */
  postgres?: PostgresPlace;
  /** Removes it from the list, where that is possible. */
  forget?: () => void;
}

/** Returns the recently opened databases except the open one: from the desktop window's list, else from the service. */
export function useRecent(
  choices: Accessor<DatabaseChoices | undefined>,
): Accessor<RecentChoice[]> {
  const desktop = getDesktopBridge()?.databases;
  if (desktop) return useDesktopRecent(desktop, choices);
  return () => (choices()?.recent ?? []).slice(isOpen(choices()) ? 1 : 0).map(getChoice);
}

function isOpen(choices: DatabaseChoices | undefined): boolean {
  return choices?.current !== null;
}

function useDesktopRecent(
  desktop: DesktopDatabases,
  choices: Accessor<DatabaseChoices | undefined>,
): Accessor<RecentChoice[]> {
  const [list, setList] = createSignal<readonly RecentEntry[]>([]);
  const load = (): void => void desktop.listRecent().then(setList);
  const current = createMemo(() => choices()?.current?.id);
  createEffect(on(current, load));
  return () =>
    excludeOpen(list(), choices()?.current?.place).map(({ id, name, location }) => ({
      name,
      location,
      open: () => openRecentDatabase(id, name),
      forget: () => void desktop.removeRecent(id).then(load),
    }));
}

/**
 * Returns the databases that are not open: `location` is that of the open database; undefined without one.
 */
export function excludeOpen(
  databases: readonly RecentEntry[],
  location: string | undefined,
): RecentEntry[] {
  // The service reports neither user nor schema of a server; the window may not know the values of flags.
  return databases.filter((recent) => recent.isOpen !== true && recent.location !== location);
}

function getChoice(recent: RecentDatabase): RecentChoice {
  if (recent.dialect === 'postgres') {
    const { host, port, database, user } = recent.postgres;
    const location = `${user === undefined ? '' : `${user} at `}${host}:${port}`;
    return { name: database, location, postgres: recent.postgres };
  }
  const { file } = recent;
  const open = async () => (await openPlace({ file }, file))?.detail ?? null;
  return { name: file, location: '', open };
}
