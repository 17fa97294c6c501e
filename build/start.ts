import { join } from 'node:path';
import { readCommand, type Config } from '#server/config.ts';
import {
  ensureDesktop,
  ensureService,
  pagesFolder,
  resolveProgramFile,
  root,
  serviceVariables,
} from './bundle.ts';
import { askQuestion } from './start/ask.ts';
import { inspectDatabase, getSampleDatabase } from './start/database.ts';
import {
  launch,
  splitArguments,
  type StartDependencies,
  type StartRequest,
} from './start/launch.ts';
import { exitLike, runChild } from './start/run-child.ts';
import { decideWindow, findElectron } from './start/window.ts';

const print = (line: string): void => void process.stderr.write(`${line}\n`);

async function main(): Promise<void> {
  endWithNpm();
  const request = splitArguments(process.argv.slice(2));
  const serviceRequest = readCommand(request.flags, process.env, process.cwd());
  if (serviceRequest.kind !== 'run') {
    // The service prints its help, its version or an error, and sets the exit code.
    const end = await runChild(process.execPath, [serviceSource, ...request.flags]);
    if (serviceRequest.kind === 'help') process.stdout.write(`${startHelp}\n`);
    return exitLike(end);
  }
  process.title = 'evoscope (start)';
  const window = decideWindow({
    isServiceOnly: request.isServiceOnly,
    platform: process.platform,
    environment: process.env,
    isRoot: process.getuid?.() === 0,
  });
  return exitLike(await launch(request, window, makeDependencies(request, serviceRequest.config)));
}

const startHelp = `
Flags that only npm start accepts:
  --serve                                       never open the window
  --sample                                      fill a database without runs with sample runs`;

const electronInstaller = join(root, 'node_modules', 'electron', 'install.js');
const serviceSource = join(root, 'server', 'main.ts');

/** Ends this process when npm ends. A signal to npm ends npm and its shell, but does not reach this process. */
function endWithNpm(): void {
  if (process.env.npm_lifecycle_event === undefined) return;
  const shell = process.ppid;
  const check = () => process.ppid !== shell && process.kill(process.pid, 'SIGTERM');
  setInterval(check, 250).unref();
}

function makeDependencies(request: StartRequest, config: Config): StartDependencies {
  const { flags, variables } = removeSecrets(request.flags);
  const env = { ...serviceVariables, ...process.env, ...variables };
  const pages = config.pagesFolder ?? pagesFolder;
  return {
    print,
    canAsk: process.stdin.isTTY && process.stderr.isTTY,
    ask: (question) =>
      askQuestion(question, { input: process.stdin, output: process.stderr }, interrupt),
    inspectDatabase: () =>
      inspectDatabase(config.database, process.cwd(), {
        isNamed: config.isDatabaseNamed,
        isReadOnly: config.isReadOnly,
        canCreate: config.canCreate,
      }),
    ensureService: () => ensureService(print, { hasOtherPages: pages !== pagesFolder }),
    ensureDesktop: () => ensureDesktop(print),
    findElectron: () => findElectron(root),
    downloadElectron: () => runChild(process.execPath, [electronInstaller], { output: 'error' }),
    fillSample: () => fillSample(config),
    runService: () =>
      runChild(process.execPath, [resolveProgramFile('main'), ...flags, '--pages', pages], {
        env,
        hasIpcChannel: true,
      }),
    runWindow: (electron) =>
      runChild(electron, [root, '--', ...flags], { env: makeWindowVariables(env) }),
  };
}

/**
 * Converts flags that may contain a password or a token to environment variables, because other users of the machine
 * can see the flags of a process. Returns the other flags unchanged. The last of several flags with one name applies.
 */
function removeSecrets(flags: readonly string[]): {
  flags: string[];
  variables: Record<string, string>;
} {
  const otherFlags: string[] = [];
  const variables: Record<string, string> = {};
  for (let index = 0; index < flags.length; index += 1) {
    const [, flag = '', inlineValue] = /^(--[^=]+)(?:=([^]*))?$/.exec(flags[index] ?? '') ?? [];
    const variable = secretVariables[flag];
    if (variable === undefined) otherFlags.push(flags[index] ?? '');
    else variables[variable] = inlineValue ?? flags[++index] ?? '';
  }
  return { flags: otherFlags, variables };
}

const secretVariables: Record<string, string> = {
  '--db': 'SVC_DB_URL',
  '--db-password': 'SVC_DB_PASSWORD',
  '--db-replica': 'SVC_DB_REPLICA_URL',
  '--token': 'SVC_TOKEN',
};

function fillSample({ database }: Config) {
  if (database === null)
    return Promise.reject(new Error('There is no database to fill: name one with --db'));
  const { url, environment } = getSampleDatabase(database);
  return runChild(process.execPath, [resolveProgramFile('sample-runner'), '--db', url], {
    env: { ...process.env, ...environment },
    // Only the ready line of the service goes to the standard output.
    output: 'ignore',
  });
}

/**
 * Returns the variables without ELECTRON_RUN_AS_NODE. Editors based on Electron set this variable in their terminals,
 * and Electron would run as plain Node.
 */
function makeWindowVariables(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const { ELECTRON_RUN_AS_NODE: _runAsNode, ...variables } = env;
  return variables;
}

function interrupt(): void {
  process.kill(process.pid, 'SIGINT');
}

try {
  await main();
} catch (error) {
  print(error instanceof Error ? error.message : String(error));
  process.exitCode = 1;
}
