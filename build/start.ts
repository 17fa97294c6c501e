import { join } from 'node:path';
import { readRequest, type Config } from '#server/config.ts';
import { ask } from './ask.ts';
import { ensureDesktop, ensurePages, pagesDirectory, root } from './bundle.ts';
import { findElectron } from './electron-binary.ts';
import { launch, type StartEffects } from './launch.ts';
import { endLike, runChild } from './run-child.ts';
import { inspectDatabase, sampleTarget } from './start-database.ts';
import {
  decideWindow,
  namesDatabase,
  splitArguments,
  type StartRequest,
} from './start-decisions.ts';

const say = (line: string): void => void process.stderr.write(`${line}\n`);

async function main(): Promise<void> {
  const request = splitArguments(process.argv.slice(2));
  const asked = readRequest(request.flags, process.env, process.cwd());
  if (asked.kind !== 'run') {
    // The service answers questions about itself and names what is wrong, with the exit code for it.
    const end = await runChild(process.execPath, [serviceEntry, ...request.flags]);
    if (asked.kind === 'help') process.stdout.write(`${ownHelp}\n`);
    return endLike(end);
  }
  const window = decideWindow({
    serveOnly: request.serveOnly,
    electron: findElectron(root),
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

const serviceEntry = join(root, 'server', 'main.ts');

function effectsFor({ flags }: StartRequest, config: Config): StartEffects {
  const pages = config.pagesDirectory ?? pagesDirectory;
  return {
    say,
    canAsk: process.stdin.isTTY && process.stderr.isTTY,
    ask: (question) => ask(question, { input: process.stdin, output: process.stderr }, interrupt),
    inspectDatabase: () =>
      inspectDatabase(config.database, process.cwd(), {
        isNamed: namesDatabase(flags, process.env),
        isReadOnly: config.readOnly,
      }),
    ensurePages: () => (pages === pagesDirectory ? ensurePages(say) : Promise.resolve()),
    ensureDesktop: () => ensureDesktop(say),
    fillSample: () => fillSample(config),
    runService: () =>
      runChild(process.execPath, [serviceEntry, ...flags, '--pages', pages], { isTied: true }),
    runWindow: (electron) => runChild(electron, [root, '--', ...flags], { env: windowVariables() }),
  };
}

function fillSample({ database }: Config) {
  const { url, environment } = sampleTarget(database);
  const runner = join(root, 'server', 'sample-runner', 'main.ts');
  return runChild(process.execPath, [runner, '--db', url], {
    env: { ...process.env, ...environment },
    // The standard output is for the service's ready line.
    output: 'ignore',
  });
}

/** Editors built on Electron leave a variable in their terminals that turns Electron into plain Node. */
function windowVariables(): NodeJS.ProcessEnv {
  const { ELECTRON_RUN_AS_NODE: _unwanted, ...variables } = process.env;
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
