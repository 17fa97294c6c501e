import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { expect, onTestFinished, test, vi } from 'vitest';
import { runSmokeTest } from '#build/smoke.ts';
import { findFreePort } from '#build/start/free-port.ts';
import { resolveProgramFile } from '#tests/support/programs.ts';
import { makePages } from '#tests/support/test-service.ts';

vi.mock('#build/start/free-port.ts', { spy: true });

test('smoke accepts a program whose health check and pages respond', async () => {
  const pages = makePages();
  await runSmokeTest(process.execPath, [resolveProgramFile('main'), '--pages', pages.directory]);
  pages.remove();
});

test('smoke rejects a program that ends earlier, with its output', async () => {
  const program = runSmokeTest(process.execPath, [
    '-e',
    'console.error("no display"); process.exit(3)',
    '--',
  ]);
  await expect(program).rejects.toThrow(
    /does not start: it ended with exit code 3\. Check the program and its output:\nno display/,
  );
});

test('smoke rejects a program that cannot be started, and leaves no files', async () => {
  const folders = () => readdirSync(tmpdir()).filter((name) => name.startsWith('evoscope-smoke-'));
  const foldersBefore = folders();
  await expect(runSmokeTest('/no/such/program')).rejects.toThrow(
    /does not start: Error: spawn .* ENOENT/,
  );
  expect(folders().filter((name) => !foldersBefore.includes(name))).toEqual([]);
});

test('smoke rejects a program that never responds', async () => {
  const program = runSmokeTest(process.execPath, ['-e', 'setInterval(() => {}, 1000)', '--'], 300);
  await expect(program).rejects.toThrow(
    '/api/health did not respond successfully in time. Check the program and its output:',
  );
});

test('smoke rejects a program that accepts a request and never responds', async () => {
  // The server is that of the test, because a program might listen only after the timeout.
  const server = createServer().listen(0, '127.0.0.1');
  onTestFinished(() => void server.close());
  await once(server, 'listening');
  vi.mocked(findFreePort).mockResolvedValueOnce((server.address() as AddressInfo).port);
  const program = runSmokeTest(process.execPath, ['-e', 'setInterval(() => {}, 1000)', '--'], 300);
  await expect(program).rejects.toThrow(
    '/api/health did not respond successfully in time. Check the program and its output:',
  );
});

test('smoke rejects a program that a signal ended, with the signal', async () => {
  const program = runSmokeTest(process.execPath, ['-e', 'process.kill(process.pid)', '--']);
  await expect(program).rejects.toThrow('it ended with SIGTERM');
});
