import { utilityProcess } from 'electron';
import type { ServiceProcess } from './server-process.ts';
import type { ServiceOptions } from './service-options.ts';

/** Forks the service as a utility process of Electron. Its log also goes to the standard error output. */
export function forkService({ entry, args, environment }: ServiceOptions): ServiceProcess {
  const child = utilityProcess.fork(entry, args, {
    env: environment,
    cwd: process.cwd(),
    stdio: ['ignore', 'pipe', 'pipe'],
    serviceName: 'Evoscope service',
  });
  child.stdout?.pipe(process.stdout, { end: false });
  child.stderr?.pipe(process.stderr, { end: false });
  return {
    onMessage: (listener) => child.on('message', listener),
    onExit: (listener) => child.once('exit', listener),
    onErrorOutput: (listener) => child.stderr?.on('data', (data) => listener(String(data))),
    kill: () => child.kill(),
  };
}
