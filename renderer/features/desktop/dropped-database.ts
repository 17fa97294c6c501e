import type { DesktopDatabases } from '#shared/desktop.ts';
import { busyWith, openPlace } from '#renderer/features/databases/opening.ts';
import { showToast } from '#renderer/ui/toaster.ts';
import { useEvent } from '#renderer/state/use-event.ts';

const databaseName = /\.(db3?|sqlite3?)$/i;

/**
 * While the calling component is mounted, opens a database that is dropped anywhere except where a page accepts files.
 */
export function openDroppedDatabases(databases: DesktopDatabases): void {
  useEvent('dragover', (event) => {
    if (event.dataTransfer?.types.includes('Files') === true) event.preventDefault();
  });
  useEvent('drop', (event) => {
    const file = event.dataTransfer?.files[0];
    if (file === undefined || event.defaultPrevented) return;
    event.preventDefault();
    if (databaseName.test(file.name) && busyWith() === null) void open(file);
  });
  const open = async (file: File): Promise<void> => {
    const failure = await openPlace({ file: databases.pathOf(file) }, file.name);
    if (failure !== null) showToast(failure.detail, 'failure');
  };
}
