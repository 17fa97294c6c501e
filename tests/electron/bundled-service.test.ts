import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { findPort } from '#electron/free-port.ts';
import { ServiceStartError, startService } from '#electron/server-process.ts';
import { makeServiceOptions } from '#electron/service-options.ts';
import { superviseService } from '#electron/supervisor.ts';
import { programFolder } from '#tests/support/programs.ts';
import { forkNode, hasEnded, type ForkedService } from './forked-service.ts';

const startOptions = { messageTimeoutMillis: 20_000 };
const forkedServices: ForkedService[] = [];
let folder = '';

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'evoscope-bundled-'));
});
afterEach(async () => {
  for (const service of forkedServices.splice(0)) {
    service.child.kill('SIGKILL');
    await hasEnded(service);
  }
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Forks the real service as the window does, in a process of Node. */
function forkReal(database: string, port = 0): ForkedService {
  const flags = ['--db', database, '--create', '--log-level', 'warn'];
  const options = makeServiceOptions(
    { program: programFolder, compileCache: join(folder, 'compiled') },
    flags,
    {},
    { port, isRecording: false, database: 'configured', token: 'a-secret-of-the-window' },
  );
  const service = forkNode(options.entry, options.args, options.environment);
  forkedServices.push(service);
  return service;
}

const withToken = { headers: { Authorization: 'Bearer a-secret-of-the-window' } };

test('the real service starts, serves its pages, and responds only with the token', async () => {
  const service = forkReal(join(folder, 'a.db'));
  const runningService = await startService(service, startOptions);
  const { url } = runningService;
  expect(await (await fetch(url, withToken)).text()).toContain('the pages');
  expect((await fetch(`${url}api/runs`, withToken)).status).toBe(200);
  expect((await fetch(`${url}api/runs`)).status).toBe(401);
  await runningService.stop();
  expect(service.child.exitCode).toBe(0);
  // The scripts of the service and of its threads.
  const compiledFiles = readdirSync(join(folder, 'compiled'), { recursive: true });
  expect(compiledFiles.length).toBeGreaterThan(10);
});

test('the real service reports why it cannot open a file', async () => {
  const file = join(folder, 'notes.txt');
  writeFileSync(file, 'notes\n'.repeat(400));
  const start = startService(forkReal(file), startOptions);
  await expect(start).rejects.toThrow(ServiceStartError);
  await expect(start).rejects.toThrow(`${file} is not a SQLite database`);
});

test('the real service restarts at the same address with the same token after a kill', async () => {
  let port: number | undefined;
  const addresses: string[] = [];
  const restart = Promise.withResolvers<void>();
  const supervisor = superviseService({
    async start(signal) {
      const service = forkReal(join(folder, 'b.db'), await findPort(port));
      return startService(service, { ...startOptions, signal });
    },
    show(url) {
      addresses.push(url);
      port = Number(new URL(url).port);
      if (addresses.length === 1) forkedServices[0]?.child.kill('SIGKILL');
      else restart.resolve();
    },
    ask: (problem) => Promise.reject(new Error(problem.message)),
    getNowMillis: () => performance.now(),
  });
  await Promise.race([restart.promise, supervisor.end]);
  expect(addresses).toEqual([addresses[0], addresses[0]]);
  expect((await fetch(`${addresses[0]}api/runs`, withToken)).status).toBe(200);
  await supervisor.stop();
});
