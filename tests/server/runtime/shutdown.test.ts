import { setTimeout as delay } from 'node:timers/promises';
import { expect, test, vi } from 'vitest';
import { Shutdown, stopService } from '#server/runtime/shutdown.ts';

test('The stop of a service reports a database that cannot be closed, also before its connections end', async () => {
  const failure = new Error('not closed');
  const onUnhandledRejection = vi.fn();
  process.once('unhandledRejection', onUnhandledRejection);
  const server = {
    close: (onClosed: () => void) => void delay(20).then(onClosed),
    closeIdleConnections() {},
    closeAllConnections() {},
  };
  const stop = stopService({
    server: server as never,
    databases: { close: () => Promise.reject(failure) },
    shutdown: new Shutdown(),
    logger: { info() {}, warn() {} } as never,
  });
  await expect(stop).rejects.toBe(failure);
  process.off('unhandledRejection', onUnhandledRejection);
  expect(onUnhandledRejection).not.toHaveBeenCalled();
});
