import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { root } from './bundle.ts';
import { freePort } from './free-port.ts';
import { endLike } from './run-child.ts';

/**
 * The pages from Vite's development server, where a change shows at once, and behind them a service that
 * starts again when its sources change. The arguments are the service's flags. Prints one address.
 */
async function develop(flags: readonly string[]): Promise<void> {
  const port = await freePort();
  const service = spawn(
    process.execPath,
    [
      '--watch',
      '--watch-preserve-output',
      join(root, 'server', 'main.ts'),
      ...flags,
      `--port=${port}`,
    ],
    // The service's own address would be a second one, and it has no pages.
    // A token would reach pages as a cookie from the service, which does not serve these.
    { stdio: ['inherit', 'ignore', 'inherit'], env: { ...process.env, SVC_TOKEN: '' } },
  );
  process.env.EVOSCOPE_SERVICE = `http://127.0.0.1:${port}`;
  const { createServer } = await import('vite');
  const pages = await createServer({
    configFile: join(root, 'build', 'vite.config.ts'),
    logLevel: 'warn',
    clearScreen: false,
  });
  await pages.listen();
  process.stdout.write(`Evoscope in development at ${pages.resolvedUrls?.local[0] ?? ''}\n`);
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(signal, () => service.kill('SIGTERM'));
  }
  service.once('exit', (code, signal) => void pages.close().then(() => endLike({ code, signal })));
}

await develop(process.argv.slice(2));
