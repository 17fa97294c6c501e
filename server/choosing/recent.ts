import { isDeepStrictEqual } from 'node:util';
import type { RecentDatabase } from '#shared/schemas/databases.ts';

/** Most databases that are remembered. */
const most = 10;

/** The databases that were opened lately, as long as the service runs; no passwords. */
export class RecentList {
  #databases: RecentDatabase[] = [];

  /** Newest first. */
  list(): RecentDatabase[] {
    return [...this.#databases];
  }

  /** Puts a database first, once. */
  add(database: RecentDatabase): void {
    const others = this.#databases.filter((one) => !isSame(one, database));
    this.#databases = [database, ...others].slice(0, most);
  }
}

function isSame(one: RecentDatabase, other: RecentDatabase): boolean {
  return isDeepStrictEqual({ ...one, openedAt: '' }, { ...other, openedAt: '' });
}
