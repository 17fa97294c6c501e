import { appendFileSync } from 'node:fs';
import { Session, type Profiler } from 'node:inspector';
import { join } from 'node:path';
import { BroadcastChannel, isMainThread, threadId } from 'node:worker_threads';

/**
 * Counts the calls of each function of this thread with V8's precise coverage. `node --import` loads this module in
 * every thread before the program. The thread appends a record to its file in the folder of the variable
 * `EVOSCOPE_WALK` when the parent process sends a number larger than the last, and when it ends. A record has that
 * number (Infinity, so null in JSON, at the end) and the calls since the previous record, by the URL of the file and
 * the position of the function in it (`load` for the top level of a module), without those of packages.
 */
const file = join(process.env['EVOSCOPE_WALK'] ?? '.', `${process.pid}-${threadId}.jsonl`);

let lastNumber = 0;
const session = new Session();
session.connect();
session.post('Profiler.enable');
session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
appendFileSync(file, '');

const channel = new BroadcastChannel('evoscope-walk');
channel.addEventListener('message', (event) => record((event as MessageEvent).data as number));
channel.unref();
process.once('exit', () => record(Infinity));
if (isMainThread) {
  process.on('message', (number: number) => {
    channel.postMessage(number);
    record(number);
  });
  process.channel?.unref();
}

function record(number: number): void {
  if (number <= lastNumber) return;
  lastNumber = number;
  // An in-process session calls back before `post` returns.
  session.post('Profiler.takePreciseCoverage', (_error, { result }) => {
    appendFileSync(file, `${JSON.stringify({ number, calls: getCalls(result) })}\n`);
  });
}

function getCalls(scripts: Profiler.ScriptCoverage[]): Record<string, number> {
  const projectScripts = scripts.filter(
    ({ url }) => url.startsWith('file:') && !url.includes('/node_modules/'),
  );
  return Object.fromEntries(
    projectScripts.flatMap(({ url, functions }) =>
      functions.flatMap(({ functionName, ranges: [range] }) => {
        if (range === undefined || range.count === 0) return [];
        // The top level of a module is its first function: it runs when the module is loaded.
        const isTopLevel = functionName === '' && range.startOffset === 0;
        return [[`${url}:${isTopLevel ? 'load' : range.startOffset}`, range.count]];
      }),
    ),
  );
}
