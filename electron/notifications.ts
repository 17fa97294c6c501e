import { Notification, type BrowserWindow } from 'electron';
import type { DesktopMessage } from '#shared/desktop.ts';
import type { ServiceAccess } from './connection.ts';
import { watchedRun, type RunNotification, type WatchedRun } from './run-watch.ts';

/** The open notifications. Without these references, a garbage collection may free them. A click then does nothing. */
const openNotifications = new Set<Notification>();

/**
 * Shows a notification. A click on it brings the window to the front and opens the run. If the system does not support
 * notifications, shows the title as a notice on the page.
 */
export function showNotification(
  { runId, title, body }: RunNotification,
  window: BrowserWindow,
  send: (message: DesktopMessage) => void,
  go: (path: string) => void,
): void {
  if (!Notification.isSupported()) return send({ type: 'notice', kind: 'failure', text: title });
  const notification = new Notification({ title, body });
  openNotifications.add(notification);
  notification.once('close', () => openNotifications.delete(notification));
  notification.once('click', () => {
    openNotifications.delete(notification);
    window.show();
    window.focus();
    go(`/runs/${encodeURIComponent(runId)}`);
  });
  notification.show();
}

/**
 * Returns the state of a run from the service; null if there is no run with this id. Rejects with an Error if there is
 * no service, or if the service sends no valid response within 30 s.
 */
export async function readRun(
  runId: string,
  service: ServiceAccess | undefined,
): Promise<WatchedRun | null> {
  if (service === undefined)
    throw new Error('The service is not ready yet. Wait for it, then try again.');
  const address = new URL(`api/runs/${encodeURIComponent(runId)}`, service.url);
  const headers = { Authorization: `Bearer ${service.token}` };
  const response = await fetch(address, { headers, signal: AbortSignal.timeout(30_000) });
  if (response.status === 404) return null;
  return watchedRun.parse(await response.json());
}
