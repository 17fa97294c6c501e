import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { root } from '#build/bundle.ts';
import { findFreePort } from '#build/start/free-port.ts';

/** The configuration of the proxy in the composition. */
export const proxyConfiguration = readFileSync(join(root, 'build/container/proxy.conf'), 'utf8');

/** Returns whether nginx is installed. */
export function hasNginx(): boolean {
  return spawnSync('nginx', ['-v']).status === 0;
}

/**
 * Starts nginx with the configuration of the composition in front of two services (`host:port`). Every response names
 * its service in `X-Upstream`. Its files are in a temporary folder.
 */
export async function startProxy(
  services: readonly [string, string],
): Promise<{ url: string; stop: () => Promise<void> }> {
  const folder = mkdtempSync(join(tmpdir(), 'evoscope-proxy-'));
  const port = await findFreePort();
  const temporaryPaths = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (name) => `${name}_temp_path ${join(folder, name)};`,
  );
  const replacements: [string, string][] = [
    ['evoscope-1:7070', services[0]],
    ['evoscope-2:7070', services[1]],
    ['listen 7070;', `listen 127.0.0.1:${port};\nadd_header X-Upstream $upstream_addr always;`],
    ['pid /tmp/nginx.pid;', `pid ${join(folder, 'pid')};`],
    ['http {', `http {\n${temporaryPaths.join('\n')}`],
  ];
  const configuration = replacements.reduce((text, [from, to]) => {
    if (!text.includes(from)) throw new Error(`The configuration of the proxy has no "${from}"`);
    return text.replace(from, to);
  }, proxyConfiguration);
  const file = join(folder, 'nginx.conf');
  writeFileSync(file, configuration);
  const parameters = ['-p', folder, '-c', file, '-e', 'stderr', '-g', 'daemon off;'];
  const nginx = spawn('nginx', parameters, { stdio: ['ignore', 'ignore', 'pipe'] });
  let log = '';
  nginx.stderr.on('data', (data) => (log += String(data)));
  const exitPromise = once(nginx, 'exit');
  const url = `http://127.0.0.1:${port}`;
  while (!(await isListening(url))) {
    if (nginx.exitCode !== null) throw new Error(`nginx did not start: ${log}`);
  }
  return {
    url,
    stop: async () => {
      nginx.kill('SIGTERM');
      await exitPromise;
      rmSync(folder, { recursive: true });
    },
  };
}

async function isListening(url: string): Promise<boolean> {
  return fetch(url).then(
    () => true,
    () => false,
  );
}
