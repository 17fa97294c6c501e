import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import { findPort } from '#electron/free-port.ts';

test('findPort returns a free port, and 0 for a port in use', async () => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  expect(await findPort(port)).toBe(0);
  server.close();
  await once(server, 'close');
  expect(await findPort(port)).toBe(port);
});

test('findPort returns 0 for undefined', async () => {
  expect(await findPort(undefined)).toBe(0);
});
