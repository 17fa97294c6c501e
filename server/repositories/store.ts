import type { OpenDatabase } from '#server/db/open.ts';

/** What all repositories read and write: the open database, which services hand on without looking inside. */
export type Store = OpenDatabase;
