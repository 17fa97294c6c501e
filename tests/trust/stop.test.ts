import Sqlite from 'better-sqlite3';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { request, type IncomingMessage } from 'node:http';
import { connect } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { makeSqliteLocation, openTestDatabase } from '#tests/support/databases.ts';
import { insert } from '#tests/support/rows.ts';
import { parseAddress, spawnService } from '#tests/support/service-process.ts';

/** A service over a file that a writer has locked, with a deletion under way that waits for it. */
async function startWithDeletion() {
  const location = await makeSqliteLocation();
  const database = await openTestDatabase(location.url);
  await insert(database, 'experiments', {});
  await database.close();
  const service = spawnService(['--db', location.url, '--port', '0', '--log-level', 'error']);
  const address = parseAddress(await service.readyLine);
  const runner = new Sqlite(location.file);
  runner.exec('begin immediate');
  const deletion = ask(`${address}/api/experiments/e1`, { method: 'DELETE' });
  // Sent later and answered: so the deletion has come too.
  await ask(`${address}/api/experiments/e1/deletion-preview`, {});
  return { place: location, service, address, runner, deletion };
}

async function ask(url: string, options: object): Promise<{ status: number; code: unknown }> {
  const sent = request(url, options).end();
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  const text = (await response.toArray()).join('');
  const { code } = JSON.parse(text) as { code?: unknown };
  return { status: response.statusCode ?? 0, code };
}

test('a request in progress at SIGTERM completes', async () => {
  const { place, service, runner, deletion } = await startWithDeletion();
  service.child.kill('SIGTERM');
  runner.exec('rollback');
  expect(await deletion).toMatchObject({ status: 200 });
  expect(await service.exitCode).toBe(0);
  runner.close();
  await place.remove();
});

test('a request that takes too long gets the error that the service is stopping, and changes nothing', async () => {
  const { place, service, runner, deletion } = await startWithDeletion();
  const asked = performance.now();
  service.child.kill('SIGTERM');
  expect(await deletion).toEqual({ status: 503, code: 'SERVICE_STOPPING' });
  runner.exec('rollback');
  expect(await service.exitCode).toBe(0);
  expect(performance.now() - asked).toBeLessThan(9_000);
  expect(runner.prepare('select count(*) as n from experiments').get()).toEqual({ n: 1 });
  runner.close();
  await place.remove();
});

test('a later request on an open connection gets the same error', async () => {
  const { place, service, runner, deletion, address } = await startWithDeletion();
  const { host, hostname, port } = new URL(address);
  const socket = connect(Number(port), hostname);
  let answers = '';
  socket.on('data', (data) => (answers += String(data)));
  // The first part of a request comes with one that is answered, so it is there when the signal comes.
  const begin = (path: string) => `GET ${path} HTTP/1.1\r\nHost: ${host}\r\n`;
  socket.write(`${begin('/api/health')}\r\n${begin('/api/runs')}`);
  await expect.poll(() => answers).toMatch(/^HTTP\/1.1 200 /);
  service.child.kill('SIGTERM');
  const isListening = () => fetch(`${address}/api/health`).then(Boolean, () => false);
  await expect.poll(isListening).toBe(false);
  socket.write('\r\n');
  await once(socket, 'close');
  expect(answers).toMatch(/HTTP\/1.1 503 [^]*"code":"SERVICE_STOPPING"/);
  expect(answers).toContain('The service is stopping; try again after it has restarted');
  runner.exec('rollback');
  await deletion;
  await service.exitCode;
  runner.close();
  await place.remove();
});

test('a SIGTERM to npm run serve ends the service', async () => {
  const location = await makeSqliteLocation();
  writeFileSync(join(location.folder, 'index.html'), '<!doctype html>');
  const { SVC_DB_URL: _url, ...environment } = process.env;
  const npm = spawn('npm', ['run', '-s', 'serve', '--', '--db', location.url, '--port', '0'], {
    cwd: fileURLToPath(new URL('../..', import.meta.url)),
    env: { ...environment, SVC_PAGES_DIR: location.folder },
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  let output = '';
  npm.stdout.on('data', (data) => (output += String(data)));
  await expect.poll(() => output, { timeout: 25_000 }).toContain('\n');
  const address = parseAddress(output);
  expect((await fetch(`${address}/api/health`)).status).toBe(200);
  npm.kill('SIGTERM');
  const isUp = () => fetch(`${address}/api/health`).then(Boolean, () => false);
  await expect.poll(isUp, { timeout: 5_000 }).toBe(false);
  await location.remove();
});
