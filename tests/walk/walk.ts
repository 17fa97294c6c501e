import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';

/** Calls by function, as `recorder.ts` writes them. */
type Calls = Record<string, number>;

interface ThreadCalls {
  /** Whether the thread started after the previous record. */
  readonly isNew: boolean;
  readonly calls: Calls;
}

const root = join(import.meta.dirname, '../..');
const recorder = pathToFileURL(join(import.meta.dirname, 'recorder.ts')).href;
const loader = join(import.meta.dirname, 'load.ts');
const projectFile = new RegExp(
  `^${pathToFileURL(root).href}/((?:server|shared)/.*\\.ts):(\\d+|load)$`,
);
/** Programs, which do something as soon as they are loaded. */
const programPattern = /(^|[-/])(main|worker)\.ts$/;
const timeoutMillis = 60_000;
/** Start of the last record of a thread. */
const lastRecordStart = '{"number":null,';

/** A program that runs from source and records the calls of the project's functions. */
export interface RecordedProgram {
  readonly child: ChildProcess;
  /** Resolves with the first line on the standard output. */
  readonly firstLine: Promise<string>;
  /**
   * Returns the project's files of which a function ran since the previous call, in all threads, sorted. Functions that
   * modules call while they are loaded do not count.
   */
  files(): Promise<string[]>;
  /** Ends the program if it runs, and deletes its records. */
  end(): Promise<void>;
}

/** Starts a program, by its absolute path, with the given arguments. */
export function startRecorded(program: string, args: readonly string[]): RecordedProgram {
  const folder = mkdtempSync(join(tmpdir(), 'evoscope-walk-'));
  const child = spawn(process.execPath, ['--import', recorder, program, ...args], {
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
    env: { ...process.env, EVOSCOPE_WALK: folder },
  });
  const exitPromise = once(child, 'exit');
  const takeNewRecords = createRecordReader(folder);
  let number = 0;
  return {
    child,
    firstLine: once(child.stdout ?? child, 'data').then(
      ([data]) => String(data).split('\n', 1)[0] ?? '',
    ),
    async files() {
      number += 1;
      // Sent repeatedly: a thread that starts meanwhile misses a message.
      const request = () => {
        // An error means that the program has ended.
        if (child.connected) child.send(number, () => {});
      };
      request();
      const timer = setInterval(request, 100);
      try {
        return await getFiles(await takeNewRecords(number));
      } finally {
        clearInterval(timer);
      }
    },
    async end() {
      child.kill();
      await exitPromise;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/**
 * Returns a function that waits until every thread has written the record `number` or its last one, and then returns
 * the calls of all records that it has not returned before.
 */
function createRecordReader(folder: string): (number: number) => Promise<ThreadCalls[]> {
  const lineCounts = new Map<string, number>();
  return async (number) => {
    const deadline = Date.now() + timeoutMillis;
    for (;;) {
      const threads = readdirSync(folder).map((name) => ({
        name,
        lines: readFileSync(join(folder, name), 'utf8').split('\n').slice(0, -1),
      }));
      const isComplete = ({ lines }: { lines: string[] }) =>
        lines.some(
          (line) => line.startsWith(`{"number":${number},`) || line.startsWith(lastRecordStart),
        );
      if (threads.length > 0 && threads.every(isComplete)) {
        return threads.map(({ name, lines }) => {
          const isNew = !lineCounts.has(name);
          const newLines = lines.slice(lineCounts.get(name) ?? 0);
          lineCounts.set(name, lines.length);
          return {
            isNew,
            calls: sum(newLines.map((line) => (JSON.parse(line) as { calls: Calls }).calls)),
          };
        });
      }
      if (Date.now() > deadline) throw new Error('A thread did not record its calls in 60 s');
      await pause(50);
    }
  };
}

function sum(parts: readonly Calls[]): Calls {
  const total: Calls = {};
  for (const part of parts) {
    for (const [call, count] of Object.entries(part)) total[call] = (total[call] ?? 0) + count;
  }
  return total;
}

async function getFiles(threads: readonly ThreadCalls[]): Promise<string[]> {
  const files = new Set<string>();
  for (const { isNew, calls } of threads) {
    const callsOfFiles = Object.entries(calls).flatMap(([call, count]) => {
      const [, file, position] = projectFile.exec(call) ?? [];
      return file === undefined ? [] : [{ call, file, count, isLoading: position === 'load' }];
    });
    const loading = isNew ? await countLoadingCalls(callsOfFiles.map(({ file }) => file)) : {};
    for (const { call, file, count, isLoading } of callsOfFiles) {
      if (!isLoading && count > (loading[call] ?? 0)) files.add(file);
    }
  }
  return [...files].sort();
}

/** Returns the calls that take place while modules are loaded, for example to build schemas. */
async function countLoadingCalls(files: readonly string[]): Promise<Calls> {
  const modules = [...new Set(files)].filter((file) => !programPattern.test(file)).sort();
  const cachedCalls = loadingCalls.get(modules.join());
  if (cachedCalls !== undefined || modules.length === 0) return cachedCalls ?? {};
  const folder = mkdtempSync(join(tmpdir(), 'evoscope-walk-'));
  const paths = modules.map((file) => join(root, file));
  const child = spawn(process.execPath, ['--import', recorder, loader, ...paths], {
    stdio: 'inherit',
    env: { ...process.env, EVOSCOPE_WALK: folder },
  });
  await once(child, 'exit');
  const threads = await createRecordReader(folder)(1);
  rmSync(folder, { recursive: true, force: true });
  const calls = sum(threads.map((thread) => thread.calls));
  loadingCalls.set(modules.join(), calls);
  return calls;
}

const loadingCalls = new Map<string, Calls>();
