import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { root } from './bundle.ts';
import { findFreePort } from './start/free-port.ts';
import { exitLike } from './start/run-child.ts';

/**
 * Serves the pages with Vite's development server and runs a service that restarts when its sources change. The
 * arguments are the flags of the service. Prints the address of the pages.
 */
async function develop(flags: readonly string[]): Promise<void> {
  const port = await findFreePort();
  const service = spawn(
    process.execPath,
    [
      '--watch',
      '--watch-preserve-output',
      join(root, 'server', 'main.ts'),
      ...flags,
      `--port=${port}`,
    ],
    // Hides the ready line, because Vite serves the pages at another address. Removes the token of the environment,
    // because pages get its cookie only from a service that serves them.
    {
      stdio: ['inherit', 'ignore', 'inherit'],
      env: { ...process.env, SVC_TOKEN: '', SVC_TOKEN_FILE: '' },
    },
  );
  process.env.EVOSCOPE_SERVICE = `http://127.0.0.1:${port}`;
  const { createServer } = await import('vite');
  const pageServer = await createServer({
    configFile: join(root, 'build', 'vite.config.ts'),
    logLevel: 'warn',
    clearScreen: false,
  });
  await pageServer.listen();
  process.stdout.write(`Evoscope in development at ${pageServer.resolvedUrls?.local[0] ?? ''}\n`);
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(signal, () => service.kill('SIGTERM'));
  }
  service.once(
    'exit',
    (code, signal) => void pageServer.close().then(() => exitLike({ code, signal })),
  );
}

await develop(process.argv.slice(2));
