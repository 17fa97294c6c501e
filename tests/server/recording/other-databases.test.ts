import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { storeRecords } from '#server/recording/record-lines.ts';
import type { RecordResponse } from '#shared/schemas/recording.ts';
import { describeOnEachDatabase } from '#tests/support/databases.ts';
import { parseAddress, spawnService } from '#tests/support/service-process.ts';

const message =
  'Run "first" began in "a.db", and another database is open: open "a.db" again, then send this record again';

const makeRun = (runId: string) => ({ type: 'run', runId, seed: 1, config: { problem: 'onemax' } });
const iteration = { type: 'iteration', runId: 'first', iteration: 1, evaluations: 20, best: 3 };
const toText = (records: readonly object[]) =>
  records.map((item) => JSON.stringify(item)).join('\n');

test('a run whose service opens another database is not continued in it', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'evoscope-other-databases-'));
  const service = spawnService(['--choose', folder, '--record', '--port', '0']);
  const url = parseAddress(await service.readyLine);
  const post = async (path: string, type: string, body: string) => {
    const options = { method: 'POST', headers: { 'content-type': type }, body };
    return (await fetch(url + path, options)).json();
  };
  const open = (file: string) =>
    post('/api/databases/open', 'application/json', JSON.stringify({ file, create: true }));
  const record = async (...records: object[]) =>
    (await post('/api/record', 'application/x-ndjson', toText(records))) as RecordResponse;
  try {
    await open('a.db');
    await record(makeRun('first'), makeRun('ended'));
    await record({ type: 'end', runId: 'ended', status: 'COMPLETED' });
    await open('b.db');
    // A client also sends the run again if it is unknown.
    expect(await record(makeRun('first'), iteration, makeRun('ended'))).toMatchObject({
      accepted: 1,
      rejected: [
        { line: 1, code: 'BUSY', message },
        { line: 2, code: 'BUSY', message },
      ],
    });
  } finally {
    service.child.kill('SIGTERM');
    await service.exitCode;
    rmSync(folder, { recursive: true });
  }
});

describeOnEachDatabase('records of a run of another database', (database) => {
  const store = (records: readonly object[], otherDatabases = new Map<string, string>()) =>
    storeRecords(database(), {
      isRecording: true,
      text: toText(records),
      furtherRuns: [],
      otherDatabases,
    });

  test('are stored if this database has the run too, for example after a file was moved', async () => {
    const records = [makeRun('first'), iteration];
    const otherDatabases = new Map([['first', 'a.db']]);
    expect(await store(records, otherDatabases)).toMatchObject({
      accepted: 0,
      rejected: [{ message }, { message }],
    });
    await store([makeRun('first')]);
    expect(await store(records, otherDatabases)).toMatchObject({ accepted: 1, rejected: [] });
  });
});
