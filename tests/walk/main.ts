import { once } from 'node:events';
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { gunzipSync } from 'node:zlib';
import { importThrough } from '#tests/support/imports.ts';
import { parseAddress } from '#tests/support/service-process.ts';
import { startRecorded } from './walk.ts';

/**
 * Prints the project's files that a request passes between socket and response, by the functions that run. Each request
 * is sent three times with other values after a warm-up, and a file counts if it ran each time: what the service does
 * in the background meanwhile does not count. Arguments: names of requests (default: all).
 */
const root = join(import.meta.dirname, '../..');
const fixtures = join(root, 'tests/fixtures');
const archive = join(fixtures, 'import/coco-bfgs-2019-mini.tar.gz');
const repetitions = 3;
/** After its first requests the service warms up further threads, which would count. */
const quietMillis = 25_000;

/** A request by its name, and the largest number of files that it should pass. */
interface Request {
  readonly goal: number;
  /** Sends the request; `number` differs in every repetition. Resolves when the response is complete. */
  send(url: string, number: number): Promise<unknown>;
}

const requests: Record<string, Request> = {
  list: {
    goal: 40,
    send: (url, number) => read(`${url}/api/runs?param=${encodeURIComponent(`seed > ${number}`)}`),
  },
  analysis: {
    goal: 60,
    send: async (url, number) => read(`${url}${await findAnalysisPath(url)}?target=${10 + number}`),
  },
  import: {
    goal: 55,
    async send(url, number) {
      const state = await importThrough({ url }, { file: archive }, `name=walk-${number}`);
      if (state.result === null) throw new Error(JSON.stringify(state));
    },
  },
};

let pathOfAnalysis: string | undefined;

/** Returns the path of the analysis of the experiment with the latest run, which is requested once, before any walk. */
async function findAnalysisPath(url: string): Promise<string> {
  if (pathOfAnalysis === undefined) {
    const list = await read(`${url}/api/experiments?size=1`);
    const { items } = list as { items: { experimentId: string }[] };
    pathOfAnalysis = `/api/experiments/${items[0]?.experimentId}/analysis`;
  }
  return pathOfAnalysis;
}

async function read(address: string): Promise<unknown> {
  const response = await fetch(address);
  const text = await response.text();
  if (!response.ok) throw new Error(`${address}: ${text}`);
  return JSON.parse(text);
}

/** Returns the files that a request to the service passes. */
async function walkRequest(request: Request, database: string): Promise<string[]> {
  const service = startRecorded(
    join(root, 'server/main.ts'),
    `--db ${database} --port 0 --log-level error`.split(' '),
  );
  try {
    const url = parseAddress(await service.firstLine);
    for (const number of [-2, -1]) await request.send(url, number);
    await pause(quietMillis);
    const walks: string[][] = [];
    for (let number = 0; number < repetitions; number += 1) {
      await service.files();
      await request.send(url, number);
      walks.push(await service.files());
    }
    const [first = [], ...others] = walks;
    return first.filter((file) => others.every((files) => files.includes(file)));
  } finally {
    await service.end();
  }
}

/** Returns the files that the import program passes from its start to its end. */
async function walkImportProgram(database: string): Promise<string[]> {
  const program = startRecorded(join(root, 'server/import/main.ts'), [archive, '--db', database]);
  try {
    const [code] = (await once(program.child, 'exit')) as [number | null];
    if (code !== 0) throw new Error(`The import ended with ${code}`);
    return await program.files();
  } finally {
    await program.end();
  }
}

async function main(names: readonly string[]): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'evoscope-walk-'));
  const fixture = join(folder, 'fixture.db');
  writeFileSync(fixture, gunzipSync(readFileSync(join(fixtures, 'runner-sample.db.gz'))));
  try {
    for (const name of names) {
      const database = join(folder, `${name}.db`);
      copyFileSync(fixture, database);
      const request = requests[name];
      if (request === undefined && name !== 'import-cli')
        throw new Error(`Unknown request ${name}: use ${allNames.join(', ')}`);
      const files = request
        ? await walkRequest(request, database)
        : await walkImportProgram(database);
      print(name, request?.goal ?? requests['import']?.goal, files);
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function print(name: string, goal: number | undefined, files: readonly string[]): void {
  const folders = Map.groupBy(files, (file) => file.split('/').slice(0, -1).join('/'));
  process.stdout.write(`${name}: ${files.length} files (goal: ${goal})\n`);
  for (const [folder, filesInFolder] of folders) {
    const names = filesInFolder.map((file) => file.slice(folder.length + 1, -3));
    process.stdout.write(`  ${folder} (${names.length}): ${names.join(' ')}\n`);
  }
}

const allNames = [...Object.keys(requests), 'import-cli'];

const names = process.argv.slice(2);
await main(names.length > 0 ? names : allNames);
