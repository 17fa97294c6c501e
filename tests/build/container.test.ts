import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  constants,
  copyFileSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { findFreePort } from '#build/start/free-port.ts';
import { makePostgresLocation } from '#tests/support/databases.ts';
import { resolveProgramFile } from '#tests/support/programs.ts';
import { makePages } from '#tests/support/test-service.ts';

/**
 * The tests run no container. They execute the steps of its last stage with the files that it names and no others, as a
 * user that owns nothing if the tests can become one.
 */
const root = join(import.meta.dirname, '../..');
const [, image = ''] = readFileSync(join(root, 'build/container/Dockerfile'), 'utf8').split(
  /^FROM .*\n(?![^]*^FROM )/m,
);
const getLines = (word: string) =>
  [...image.matchAll(new RegExp(`^(?:HEALTHCHECK .*\\n +)?${word} (.*)$`, 'gm'))].map(
    ([, rest = '']) => rest,
  );
const unprivilegedUser = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {};

let folder = '';
let node = '';

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'evoscope-container-'));
  chmodSync(folder, 0o755);
  node = join(folder, 'node');
  copyFileSync(process.execPath, node, constants.COPYFILE_FICLONE);
  chmodSync(node, 0o755);
  const buildFolder = join(folder, 'build');
  cpSync(dirname(resolveProgramFile('main')), join(buildFolder, 'dist/server'), {
    recursive: true,
  });
  const pages = makePages();
  cpSync(pages.directory, join(buildFolder, 'dist/renderer'), { recursive: true });
  pages.remove();
  for (const name of ['package.json', 'node_modules/better-sqlite3']) {
    cpSync(join(root, name), join(buildFolder, name), { recursive: true });
  }
  for (const line of getLines('COPY')) {
    const [, from = '', to = ''] = /^--from=build (\S+) (\S+)$/.exec(line) ?? [];
    const target = join(
      folder,
      'evoscope',
      to.endsWith('/') ? join(to, from.split('/').at(-1) ?? '') : to,
    );
    mkdirSync(dirname(target), { recursive: true });
    cpSync(from.replace(/^\/evoscope/, buildFolder), target, { recursive: true });
  }
  rmSync(buildFolder, { recursive: true });
  spawnSync('chmod', ['-R', 'a+rX', join(folder, 'evoscope')]);
}, 60_000);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Returns the variables of the image with local paths, and further variables. */
function getVariables(furtherVariables: Record<string, string>): Record<string, string> {
  const words = getLines('ENV').flatMap((line) => line.split(' '));
  const set = words.map((word) => word.split('=') as [string, string]);
  const movedVariables = set.map(([name, value]) => [
    name,
    value.replace(/^\/evoscope/, join(folder, 'evoscope')),
  ]);
  return { ...(Object.fromEntries(movedVariables) as Record<string, string>), ...furtherVariables };
}

const token = 'sixteen-or-more-characters';
const command = (text: string) => (JSON.parse(text) as string[]).slice(1);
const commands = () => getLines('CMD').map(command);

test('the image starts its service on PostgreSQL as a separate user, and is healthy', async () => {
  expect(getLines('USER')).toEqual(['node']);
  const location = await makePostgresLocation();
  onTestFinished(() => location.remove());
  const port = await findFreePort();
  const env = getVariables({
    SVC_LOG_LEVEL: 'error',
    SVC_DB_URL: location.url,
    SVC_TOKEN: token,
    SVC_PORT: String(port),
  });
  const [health = [], start = []] = commands();
  const cwd = join(folder, 'evoscope');
  const service = spawn(node, start, {
    cwd,
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
    ...unprivilegedUser,
  });
  onTestFinished(() => void service.kill('SIGKILL'));
  await Promise.race([once(service.stdout, 'data'), once(service, 'exit')]);
  expect(spawnSync(node, health, { cwd, env, ...unprivilegedUser }).status).toBe(0);
  const runs = `http://127.0.0.1:${port}/api/runs`;
  expect((await fetch(runs)).status).toBe(401);
  expect((await fetch(runs, { headers: { authorization: `Bearer ${token}` } })).status).toBe(200);
  expect((await fetch(`http://127.0.0.1:${port}/`)).status).toBe(200);
  service.kill('SIGTERM');
  expect(await once(service, 'exit')).toEqual([0, null]);
  expect(spawnSync(node, health, { cwd, env, ...unprivilegedUser }).status).toBe(1);
});

test('the image does not start without a token', () => {
  const env = getVariables({ SVC_DB_URL: 'postgres://localhost:1/none' });
  const [, start = []] = commands();
  const { status, stderr } = spawnSync(node, start, {
    cwd: join(folder, 'evoscope'),
    env,
    ...unprivilegedUser,
  });
  expect(status).toBe(2);
  expect(stderr.toString()).toContain(
    'allows access from other machines: set a token with SVC_TOKEN',
  );
});
