import type { MessageBoxOptions } from 'electron';
import * as z from 'zod';
import type { OpenedLocation } from '#shared/desktop.ts';
import { makePermissionDialog } from './dialogs.ts';
import type { ServiceAccess } from './connection.ts';

/** Dependencies of {@link openDatabase}. */
export interface OpenDependencies {
  /**
   * Sends a body to `POST /api/databases/open`. Resolves with null if the database is open, else with the problem
   * document. Its code is `NO_SERVICE` without a service and `NO_RESPONSE` without a valid response.
   */
  post(body: object): Promise<ServiceError | null>;
  /** Shows a dialog and resolves with the index of the chosen button. */
  ask(options: MessageBoxOptions): Promise<number>;
}

/** The fields of a problem document that the window reads. */
export const serviceError = z.object({
  code: z.string(),
  detail: z.string(),
  /** Identity of the database that needs a permission; undefined if unknown. */
  databaseIdentity: z.string().optional(),
});
export type ServiceError = z.infer<typeof serviceError>;

/** Button that allows an action, and the request fields of the action, by the code of the problem document. */
const permissionsByCode: Readonly<Record<string, { button: string; body: object }>> = {
  CREATE_NEEDED: { button: 'Create database', body: { create: true } },
  TABLES_OF_OTHERS: { button: 'Add tables', body: { create: true } },
  LEGACY_SCHEMA: { button: 'Back up and replace', body: { legacy: 'replace' } },
};

/**
 * Opens a database in the service. Asks the user for permissions that the service requires; `permissions` are fields of
 * the request that the user has already allowed. `failure` is the reason if the database is not open. It is empty if
 * the user cancelled.
 */
export async function openDatabase(
  location: OpenedLocation,
  dependencies: OpenDependencies,
  permissions: object = {},
): Promise<{ isOpen: boolean; failure: string }> {
  const error = await dependencies.post({ ...location, ...permissions });
  if (error === null) return { isOpen: true, failure: '' };
  const permission = permissionsByCode[error.code];
  if (permission === undefined) return { isOpen: false, failure: error.detail };
  const buttonIndex = await dependencies.ask(makePermissionDialog(error, permission.button));
  if (buttonIndex !== 0) return { isOpen: false, failure: '' };
  const identity = error.databaseIdentity;
  return openDatabase(location, dependencies, { ...permissions, ...permission.body, identity });
}

const databaseChoices = z.object({
  current: z.object({ dialect: z.enum(['sqlite', 'postgres']), place: z.string() }).nullable(),
});
/** The open database. `place` is the absolute path of a file, `:memory:`, or `host:port/database`. */
export type OpenDatabase = NonNullable<z.infer<typeof databaseChoices>['current']>;

/** Reads the open database from the service; null without an open database, a service or a valid response. */
export async function readOpenDatabase(
  service: ServiceAccess | undefined,
): Promise<OpenDatabase | null> {
  if (service === undefined) return null;
  const headers = { Authorization: `Bearer ${service.token}` };
  const response = await fetch(new URL('api/databases', service.url), { headers }).catch(
    () => null,
  );
  return databaseChoices.safeParse(await response?.json().catch(() => null)).data?.current ?? null;
}

/** Sends a body to `POST /api/databases/open`; see {@link OpenDependencies.post}. */
export async function postOpenRequest(
  service: ServiceAccess | undefined,
  body: object,
): Promise<ServiceError | null> {
  if (service === undefined)
    return {
      code: 'NO_SERVICE',
      detail: 'The service is not ready yet. Wait for it, then try again.',
    };
  const response = await fetch(new URL('api/databases/open', service.url), {
    method: 'POST',
    headers: { Authorization: `Bearer ${service.token}`, 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
  }).catch(() => null);
  if (response?.ok === true) return null;
  const error = serviceError.safeParse(await response?.json().catch(() => null));
  const failure =
    response === null ? 'The service did not respond.' : 'The service sent no valid response.';
  return error.data ?? { code: 'NO_RESPONSE', detail: `${failure} Try again.` };
}
