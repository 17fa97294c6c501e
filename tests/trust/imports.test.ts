import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import type { ProblemError } from '#server/errors.ts';
import { importDataSets } from '#server/import/import-data-sets.ts';
import { NoteBook } from '#server/import/notes.ts';
import { readFolderEntries, listFolder } from '#server/import/source/read-source.ts';
import { defaultLimits, Meter } from '#server/import/source/entry.ts';
import { createLogger } from '#server/logger.ts';
import { serialiseFailure } from '#server/runtime/import-failure.ts';
import { Imports } from '#server/runtime/imports.ts';
import { deserialiseError } from '#server/runtime/tasks.ts';
import { makeBenchmark } from '#tests/support/benchmark-data.ts';
import {
  describeOnEachEngine,
  makeSqliteLocation,
  openTestDatabase,
} from '#tests/support/databases.ts';
import { beginUpload, sendImport } from '#tests/support/imports.ts';
import { isLong, whySkipped } from '#tests/support/long.ts';
import { resolveProgramFile } from '#tests/support/programs.ts';
import { countRows } from '#tests/support/rows.ts';
import { parseAddress, spawnService } from '#tests/support/service-process.ts';

const benchmark = makeBenchmark({ functions: 12 });
afterAll(() => benchmark.remove());

const spooled = () => readdirSync(tmpdir()).filter((name) => name.startsWith('evoscope-import-'));

const signals = isLong ? (['SIGTERM', 'SIGKILL'] as const) : (['SIGKILL'] as const);

describeOnEachEngine('a service that ends while it imports', (engine) => {
  const why = engine.name === 'postgres' ? whySkipped : '';
  test.skipIf(why).each(signals)(
    `by %s leaves no rows of it${why}`,
    { timeout: 120_000 },
    async (signal) => {
      const location = await engine.makeLocation();
      const service = spawnService(['--db', location.url, '--port', '0', '--log-level', 'error']);
      const url = parseAddress(await service.readyLine);
      const { body } = await sendImport({ url }, { path: benchmark.folder });
      const events = await fetch(`${url}/api/import/${String(body['importId'])}/events`);
      const decoder = new TextDecoder();
      for await (const chunk of events.body!) {
        if (decoder.decode(chunk).includes('"writing"')) break;
      }
      service.child.kill(signal);
      expect(await service.exitCode).toBe(signal === 'SIGTERM' ? 0 : null);
      const database = await openTestDatabase(location.url);
      const counts = await countRows(database);
      expect(Object.values(counts).reduce((sum, count) => sum + count, 0)).toBe(0);
      // Nothing that the service held, such as a lock on the server, keeps the next one from importing.
      const { campaigns } = await importDataSets(database, { path: benchmark.folder });
      expect(campaigns).toMatchObject([{ runs: benchmark.runs }]);
      await database.close();
      await location.remove();
    },
  );
});

test('an import whose thread is terminated at the stop of the service is no internal failure', async () => {
  const location = await makeSqliteLocation();
  const database = await openTestDatabase(location.url);
  const imports = new Imports({
    database,
    logger: createLogger('silent'),
    program: resolveProgramFile('import-worker'),
  });
  const importId = await imports.start('benchmark', false, async () => ({
    source: { path: benchmark.folder },
    options: {},
    identity: undefined,
  }));
  const started = Promise.withResolvers<void>();
  imports.follow(importId, () => started.resolve());
  await started.promise;
  await imports.close(AbortSignal.abort());
  expect(imports.get(importId)).toMatchObject({
    status: 'failed',
    failure: { code: 'IMPORT_CANCELLED' },
  });
  await database.close();
  await location.remove();
});

test.skipIf(process.platform === 'win32')(
  'a service that is killed during an upload leaves no file',
  async () => {
    const service = spawnService(['--db', ':memory:', '--port', '0', '--log-level', 'error']);
    const url = parseAddress(await service.readyLine);
    const before = spooled();
    const socket = await beginUpload(Number(new URL(url).port));
    await expect.poll(spooled).toEqual(before);
    service.child.kill('SIGKILL');
    await service.exitCode;
    socket.destroy();
    expect(spooled()).toEqual(before);
  },
);

/** Reads all files of a folder, which were listed before. */
async function readListed(folder: string, change: (path: string) => void): Promise<unknown> {
  const reading = {
    meter: new Meter(defaultLimits),
    notes: new NoteBook(),
    onBytes: () => {},
    signal: new AbortController().signal,
  };
  const files = await listFolder(folder, reading);
  change(join(folder, 'table.csv'));
  for (const { bytes } of readFolderEntries(files, reading)) for await (const _ of bytes);
  return 'read';
}

test.skipIf(process.platform === 'win32')(
  'a file that becomes a pipe or is deleted during the import of its folder ends the import with a message',
  async () => {
    const folder = mkdtempSync(join(tmpdir(), 'evoscope-changing-'));
    const write = () => writeFileSync(join(folder, 'table.csv'), 'evaluations,best\n1,2\n');
    const said = (change: (path: string) => void) =>
      readListed(folder, change).catch((error: unknown) => {
        const { code, message } = deserialiseError(
          serialiseFailure(error, () => 'other').error,
        ) as ProblemError;
        return `${code}: ${message}`;
      });
    write();
    const pipe = (path: string) => (rmSync(path), execFileSync('mkfifo', [path]));
    expect(await said(pipe)).toMatch(
      /^SOURCE_UNREADABLE: .*table.csv is no longer a file\. Restore it, and import again$/,
    );
    rmSync(join(folder, 'table.csv'));
    write();
    expect(await said((path) => rmSync(path))).toMatch(
      /^SOURCE_UNREADABLE: Another program deleted a file of the source, or the service can no longer read it/,
    );
    rmSync(folder, { recursive: true });
  },
);
