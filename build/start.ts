import { join } from 'node:path';
import { readRequest, type Config } from '#server/config.ts';
import { ask } from './ask.ts';
import { ensureDesktop, ensureService, pagesDirectory, programFile, root } from './bundle.ts';
import { findElectron } from './electron-binary.ts';
import { launch, type StartEffects } from './launch.ts';
import { endLike, runChild } from './run-child.ts';
import { inspectDatabase, sampleTarget } from './start-database.ts';
import {
  decideWindow,
  splitArguments,
  withoutSecrets,
  type StartRequest,
} from './start-decisions.ts';

const say = (line: string): void => void process.stderr.write(`${line}\n`);

async function main(): Promise<void> {
  endWithNpm();
  const request = splitArguments(process.argv.slice(2));
  const asked = readRequest(request.flags, process.env, process.cwd());
  if (asked.kind !== 'run') {
    // The service answers questions about itself and names what is wrong, with the exit code for it.
    const end = await runChild(process.execPath, [sourceOfService, ...request.flags]);
    if (asked.kind === 'help') process.stdout.write(`${ownHelp}\n`);
    return endLike(end);
  }
  process.title = 'evoscope (start)';
  const window = decideWindow({
    serveOnly: request.serveOnly,
    platform: process.platform,
    environment: process.env,
    isRoot: process.getuid?.() === 0,
  });
  return endLike(await launch(request, window, effectsFor(request, asked.config)));
}

const ownHelp = `
Flags of npm start alone:
  --serve                                       never open the window
  --sample                                      fill a database without runs with sample runs`;

const electronInstaller = join(root, 'node_modules', 'electron', 'install.js');
const sourceOfService = join(root, 'server', 'main.ts');
/** Where Node keeps the compiled scripts of the service: compiling them takes most of its start. */
const compiledDirectory = join(root, '.cache', 'compiled');

/** A signal to npm ends npm and the shell between it and this process, but not this one: it notices by itself. */
function endWithNpm(): void {
  if (process.env.npm_lifecycle_event === undefined) return;
  const shell = process.ppid;
  const look = () => process.ppid !== shell && process.kill(process.pid, 'SIGTERM');
  setInterval(look, 250).unref();
}

function effectsFor(request: StartRequest, config: Config): StartEffects {
  const { flags, variables } = withoutSecrets(request.flags);
  const env = { NODE_COMPILE_CACHE: compiledDirectory, ...process.env, ...variables };
  const pages = config.pagesDirectory ?? pagesDirectory;
  return {
    say,
    canAsk: process.stdin.isTTY && process.stderr.isTTY,
    ask: (question) => ask(question, { input: process.stdin, output: process.stderr }, interrupt),
    inspectDatabase: () =>
      inspectDatabase(config.database, process.cwd(), {
        isNamed: config.isDatabaseNamed,
        isReadOnly: config.readOnly,
      }),
    ensureService: () => ensureService(say, { hasOtherPages: pages !== pagesDirectory }),
    ensureDesktop: () => ensureDesktop(say),
    findElectron: () => findElectron(root),
    fetchElectron: () => runChild(process.execPath, [electronInstaller], { output: 'error' }),
    fillSample: () => fillSample(config),
    runService: () =>
      runChild(process.execPath, [programFile('main'), ...flags, '--pages', pages], {
        env,
        isTied: true,
      }),
    runWindow: (electron) =>
      runChild(electron, [root, '--', ...flags], { env: windowVariables(env) }),
  };
}

function fillSample({ database }: Config) {
  if (database === null) return Promise.reject(new Error('There is no database to fill yet'));
  const { url, environment } = sampleTarget(database);
  return runChild(process.execPath, [programFile('sample-runner'), '--db', url], {
    env: { ...process.env, ...environment },
    // The standard output is for the service's ready line.
    output: 'ignore',
  });
}

/** Editors built on Electron leave a variable in their terminals that turns Electron into plain Node. */
function windowVariables(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const { ELECTRON_RUN_AS_NODE: _unwanted, ...variables } = env;
  return variables;
}

function interrupt(): void {
  process.kill(process.pid, 'SIGINT');
}

try {
  await main();
} catch (error) {
  say(error instanceof Error ? error.message : String(error));
  process.exitCode = 1;
}
