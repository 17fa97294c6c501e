import { createEffect, createMemo, createSignal, on, type Accessor } from 'solid-js';
import type { DesktopDatabases, DesktopRecent } from '#shared/desktop.ts';
import type { DatabaseChoices, RecentDatabase } from '#shared/schemas/databases.ts';
import { desktopBridge } from '#renderer/desktop.ts';
import { openPlace, openRemembered } from './opening.ts';

type PostgresPlace = Extract<RecentDatabase, { dialect: 'postgres' }>['postgres'];

/** A database that was opened lately, and what can be done with it. */
export interface RecentChoice {
  name: string;
  /** Where it is, as far as the name does not say; empty where it says all. */
  place: string;
  /**
   * Answers why it could not be opened, in a sentence; null when it is, or the user did not want it. Absent where a
   * password is to be entered first.
   */
  open?: () => Promise<string | null>;
  /** What the form begins with where a password is to be entered. */
  postgres?: PostgresPlace;
  /** Takes it off the list, where that is possible. */
  forget?: () => void;
}

/** The databases that were opened lately but are not open now: those that the window remembers, else the service. */
export function useRecent(
  choices: Accessor<DatabaseChoices | undefined>,
): Accessor<RecentChoice[]> {
  const desktop = desktopBridge()?.databases;
  if (desktop) return useRemembered(desktop, choices);
  return () => (choices()?.recent ?? []).slice(isOpen(choices()) ? 1 : 0).map(choiceOf);
}

function isOpen(choices: DatabaseChoices | undefined): boolean {
  return choices?.current !== null;
}

function useRemembered(
  desktop: DesktopDatabases,
  choices: Accessor<DatabaseChoices | undefined>,
): Accessor<RecentChoice[]> {
  const [list, setList] = createSignal<readonly DesktopRecent[]>([]);
  const load = (): void => void desktop.listRecent().then(setList);
  const current = createMemo(() => choices()?.current?.id);
  createEffect(on(current, load));
  return () =>
    notOpen(list(), choices()?.current?.place).map(({ id, name, place }) => ({
      name,
      place,
      open: () => openRemembered(id, name),
      forget: () => void desktop.forgetRecent(id).then(load),
    }));
}

/** Those that are not open: `place` is where the service says that it reads; undefined where it reads nothing. */
export function notOpen(
  remembered: readonly DesktopRecent[],
  place: string | undefined,
): DesktopRecent[] {
  // Of a server the service says neither user nor schema; of what flags have named the window may not know.
  return remembered.filter((recent) => recent.isOpen !== true && recent.place !== place);
}

function choiceOf(recent: RecentDatabase): RecentChoice {
  if (recent.dialect === 'postgres') {
    const { host, port, database, user } = recent.postgres;
    const place = `${user === undefined ? '' : `${user} at `}${host}:${port}`;
    return { name: database, place, postgres: recent.postgres };
  }
  const { file } = recent;
  const open = async () => (await openPlace({ file }, file))?.detail ?? null;
  return { name: file, place: '', open };
}
