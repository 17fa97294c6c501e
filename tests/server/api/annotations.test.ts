import { existsSync, readFileSync, statSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { maximumDocumentBytes } from '#server/db/documents.ts';
import type { Annotation } from '#shared/schemas/annotation.ts';
import type { ProblemDocument } from '#shared/schemas/error.ts';
import type { ProblemComparison } from '#shared/schemas/analysis.ts';
import type { Across } from '#shared/schemas/analysis-across.ts';
import type { Facets } from '#shared/schemas/service.ts';
import { describeOnEachDatabase, execute, openTestDatabase } from '#tests/support/databases.ts';
import { insertExperiment, insertIterations, insertRun } from '#tests/support/rows.ts';
import { startService, type TestService } from '#tests/support/test-service.ts';

interface Page {
  items: { runId?: string; experimentId: string; displayName: string | null; tags: string[] }[];
}

describeOnEachDatabase('annotations', (database) => {
  let service: TestService;

  beforeAll(async () => {
    for (const algorithm of ['imp-a', 'imp-b']) {
      await insertExperiment(database(), algorithm, { algorithm_type: algorithm });
      for (const seed of [1, 2]) {
        const runId = `${algorithm}-${seed}`;
        await insertRun(database(), algorithm, runId, { seed, best_fitness: seed });
        await insertIterations(database(), runId, 3);
      }
    }
    service = await startService(database(), { isInThisThread: true });
  });
  afterAll(() => service.close());

  const send = async (method: string, path: string, body?: object) => {
    const response = await fetch(`${service.url}/api/annotations/${path}`, {
      method,
      headers: { 'content-type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
    });
    return {
      status: response.status,
      body: (await response.json()) as Annotation & ProblemDocument,
    };
  };
  const save = async (path: string, content: object) => {
    const { version } = (await send('GET', path)).body;
    return send('PUT', path, { version, ...content });
  };
  const getIds = async (path: string) =>
    (await service.get<Page>(path)).items.map(({ runId, experimentId }) => runId ?? experimentId);

  test('are empty initially, and nothing is created before one is saved', async () => {
    expect(await service.get('/api/annotations')).toEqual([]);
    expect(await service.get('/api/annotations/run/imp-a-1')).toEqual({
      kind: 'run',
      id: 'imp-a-1',
      version: null,
      displayName: null,
      tags: [],
      note: '',
      isBaseline: false,
    });
    expect(await database().dialect.documents.readVersion()).toBe('none');
  });

  test('are saved, listed and removed, each change with a new version', async () => {
    const content = { displayName: ' First ', tags: ['a', 'A', 'b'], note: 'two\nlines' };
    const saved = await save('run/imp-a-1', content);
    expect(saved).toMatchObject({
      status: 200,
      body: { displayName: 'First', tags: ['A', 'b'], note: 'two\nlines', isBaseline: false },
    });
    expect(await service.get('/api/annotations?kind=run')).toEqual([saved.body]);
    expect(await service.get('/api/annotations?kind=experiment')).toEqual([]);
    const removed = await send('DELETE', `run/imp-a-1?version=${saved.body.version}`);
    expect(removed.body.version).toBeNull();
    const again = await save('run/imp-a-1', content);
    expect(again.body.version).not.toBe(saved.body.version);
    expect((await save('run/imp-a-1', {})).body.version).toBeNull();
    expect(await service.get('/api/annotations')).toEqual([]);
  });

  test('are not overwritten by a change that is based on an older version', async () => {
    const first = await save('run/imp-a-2', { note: 'mine' });
    const { version } = first.body;
    await send('PUT', 'run/imp-a-2', { version, note: 'theirs' });
    const late = await send('PUT', 'run/imp-a-2', { version, note: 'late' });
    expect(late).toMatchObject({
      status: 409,
      body: {
        code: 'VERSION_CONFLICT',
        detail:
          'Another client changed the notes meanwhile, so the service did not save your change. Compare both versions, then try again',
        current: { note: 'theirs' },
      },
    });
    expect((await send('PUT', 'run/imp-a-2', { version: null, note: 'x' })).status).toBe(409);
    expect((await send('GET', 'run/imp-a-2')).body.note).toBe('theirs');
    await save('run/imp-a-2', {});
  });

  test('refuse content above their limits, and unknown runs and kinds', async () => {
    const faults: [object, string][] = [
      [{ displayName: 'x'.repeat(101) }, 'must have at most 100 characters'],
      [{ displayName: 'two\nlines' }, 'must be one line without control characters'],
      [{ displayName: 'abc\u202ecba' }, 'must be one line without control characters'],
      [{ tags: Array.from({ length: 21 }, (_, index) => `t${index}`) }, 'must be at most 20 tags'],
      [{ tags: ['x'.repeat(51)] }, 'must have at most 50 characters'],
      [{ note: 'x'.repeat(10_001) }, 'must have at most 10000 characters'],
    ];
    for (const [content, message] of faults) {
      const { status, body } = await send('PUT', 'run/imp-a-1', {
        version: null,
        ...content,
      });
      expect([status, body.errors?.[0]?.message]).toEqual([400, message]);
    }
    expect(
      (await send('PUT', 'run/imp-a-1', { version: null, note: '𝔻'.repeat(10_000) })).status,
    ).toBe(200);
    await save('run/imp-a-1', {});
    const unknown = { version: null, note: 'x' };
    expect(await send('PUT', 'run/nobody', unknown)).toMatchObject({
      body: { code: 'RUN_NOT_FOUND' },
    });
    expect(await send('GET', 'experiment/nobody')).toMatchObject({ status: 404 });
    expect(await send('GET', 'event/1')).toMatchObject({ status: 400 });
  });

  test('mask passwords in all responses, and no search reveals them', async () => {
    const secret = {
      note: 'password: hunter2',
      displayName: 'jdbc:postgresql://me:hunter2@host/x',
    };
    const { body } = await save('run/imp-a-1', secret);
    expect(JSON.stringify(body)).not.toContain('hunter2');
    expect(JSON.stringify(await service.get('/api/runs'))).not.toContain('hunter2');
    expect(await getIds('/api/runs?q=hunter2')).toEqual([]);
    await save('run/imp-a-1', {});
  });

  test('keep a password that a change sends back masked', async () => {
    const url = 'https://me:hunter2@host/x';
    const secret = {
      displayName: url,
      tags: [url, 'paper'],
      note: `password: hunter2\nsee ${url}`,
    };
    const { body: shown } = await save('run/imp-a-1', secret);
    expect(shown.note).toBe('password: ***\nsee https://***@host/x');
    const { body: changed } = await save('run/imp-a-1', {
      displayName: shown.displayName,
      tags: [...shown.tags, 'tuned'],
      note: `first\n${shown.note}\nlast`,
      isBaseline: false,
    });
    expect(changed.note).toBe(`first\n${shown.note}\nlast`);
    const documents = await database().dialect.documents.read();
    expect(documents.find(({ id }) => id === 'imp-a-1')?.value).toEqual({
      displayName: url,
      tags: [url, 'paper', 'tuned'],
      note: `first\npassword: hunter2\nsee ${url}\nlast`,
      isBaseline: false,
    });
    await save('run/imp-a-1', {});
  });

  test('keep each of several passwords that look the same when they are masked', async () => {
    const secret = {
      displayName: 'password=name',
      tags: ['password=one', 'paper', 'password=two'],
      note: 'password=alpha\ntoken=middle\npassword=beta\nx\npassword=gamma',
    };
    const { body: shown } = await save('run/imp-a-1', secret);
    expect(shown.note).toBe('password=***\ntoken=***\npassword=***\nx\npassword=***');
    const change = (note: string) =>
      save('run/imp-a-1', {
        displayName: shown.displayName,
        tags: ['tuned', ...shown.tags],
        note,
        isBaseline: false,
      });
    const readStored = async () =>
      (await database().dialect.documents.read()).find(({ id }) => id === 'imp-a-1')?.value;
    await change(shown.note.replace('x', 'y\nz'));
    expect(await readStored()).toMatchObject({
      displayName: 'password=name',
      tags: ['tuned', 'password=one', 'password=two', 'paper'],
      note: 'password=alpha\ntoken=middle\npassword=beta\ny\nz\npassword=gamma',
    });
    await save('run/imp-a-1', secret);
    await change('new\npassword=***\ntoken=***\npassword=***\nx');
    expect(await readStored()).toMatchObject({
      note: 'new\npassword=alpha\ntoken=middle\npassword=beta\nx',
    });
    await save('run/imp-a-1', {});
  });

  test('keep a password with a line end, and those next to it, when another line changes', async () => {
    const note = 'first\ntoken=xyz\npassword: "a\nb"\nsecret=s\nfoo';
    const { body: shown } = await save('run/imp-a-1', { note });
    expect(JSON.stringify(shown)).not.toMatch(/xyz|a\\nb|=s/);
    expect(shown.note.split('\n')).toHaveLength(5);
    await save('run/imp-a-1', { note: shown.note.replace('foo', 'bar') });
    const documents = await database().dialect.documents.read();
    expect(documents.find(({ id }) => id === 'imp-a-1')?.value).toMatchObject({
      note: note.replace('foo', 'bar'),
    });
    await save('run/imp-a-1', {});
  });

  test('filter lists by tags and are found by a search', async () => {
    await save('run/imp-a-1', { displayName: 'Winner', tags: ['paper', 'tuned'] });
    await save('run/imp-b-2', { tags: ['Paper'], note: 'diverged after a while' });
    await save('experiment/imp-b', { displayName: 'Second try', tags: ['thesis'] });
    await save('algorithm/imp-a', { displayName: 'CMA-ES' });
    expect((await getIds('/api/runs?tag=PAPER')).sort()).toEqual(['imp-a-1', 'imp-b-2']);
    expect(await getIds('/api/runs?tag=tuned&tag=other')).toEqual(['imp-a-1']);
    expect(await getIds('/api/runs?tag=other')).toEqual([]);
    expect(await getIds('/api/runs?q=winner')).toEqual(['imp-a-1']);
    expect(await getIds('/api/runs?q=DIVERGED')).toEqual(['imp-b-2']);
    expect((await getIds('/api/runs?q=second%20try')).sort()).toEqual(['imp-b-1', 'imp-b-2']);
    expect((await getIds('/api/runs?q=cma-es')).sort()).toEqual(['imp-a-1', 'imp-a-2']);
    expect(await getIds('/api/experiments?q=cma-es')).toEqual(['imp-a']);
    expect(await getIds('/api/experiments?q=winner')).toEqual(['imp-a']);
    expect(await getIds('/api/experiments?tag=thesis')).toEqual(['imp-b']);
    expect(await service.get<Facets>('/api/facets')).toMatchObject({
      tags: ['Paper', 'tuned'],
      experimentTags: ['thesis'],
    });
    const { items } = await service.get<Page>('/api/runs?q=winner');
    expect(items[0]).toMatchObject({ displayName: 'Winner', tags: ['paper', 'tuned'] });
    expect(await service.get('/api/runs/imp-a-1')).toMatchObject({ displayName: 'Winner' });
    expect(await service.get('/api/experiments/imp-b')).toMatchObject({ tags: ['thesis'] });
    const csv = await fetch(`${service.url}/api/runs?q=winner&format=csv`);
    expect(await csv.text()).toContain('Winner,"[""paper"",""tuned""]"');
  });

  test('name the groups of analyses in labels, sentences, CSV and LaTeX, but not their ids', async () => {
    const hostile = '=\\input{x}_&%$#<script>';
    await save('algorithm/imp-a', { displayName: 'Same' });
    await save('algorithm/imp-b', { displayName: 'Same', isBaseline: true });
    const problem = '/api/analysis/problem/onemax';
    const compared = await service.get<ProblemComparison>(problem);
    expect(
      compared.algorithms.map(({ algorithm, label, isBaseline }) => [algorithm, label, isBaseline]),
    ).toEqual([
      ['imp-a', 'Same (imp-a)', false],
      ['imp-b', 'Same (imp-b)', true],
    ]);
    expect(JSON.stringify(compared.verdict)).toContain('Same (imp-a)');
    expect(compared.pairwise.fitness[0]).toMatchObject({ a: 'imp-a', labelA: 'Same (imp-a)' });
    await save('algorithm/imp-a', { displayName: hostile });
    const renamed = await service.get<ProblemComparison>(problem);
    expect(renamed.algorithms.map(({ label }) => label)).toEqual([hostile, 'Same']);
    const latex = await (await fetch(`${service.url}${problem}/latex`)).text();
    expect(latex).toContain(
      '=\\textbackslash{}input\\{x\\}\\_\\&\\%\\$\\#\\textless{}script\\textgreater{}',
    );
    expect(latex).toContain('Same (baseline)');
    expect(latex).not.toMatch(/\\input/);
    const csv = await (await fetch(`${service.url}${problem}?format=csv&table=groups`)).text();
    expect(csv).toContain(`imp-a,'${hostile}`);
    const across = '/api/analysis/across';
    const query = '?algorithm=imp-a&algorithm=imp-b';
    expect((await service.get<Across>(`${across}${query}`)).groups).toEqual([
      { group: 'imp-a', label: hostile, isBaseline: false },
      { group: 'imp-b', label: 'Same', isBaseline: true },
    ]);
    const table = await (await fetch(`${service.url}${across}/latex${query}`)).text();
    expect(table).toContain('Same (baseline)');
    expect((await send('GET', 'algorithm/imp-a')).body.isBaseline).toBe(false);
  });

  test('have one baseline of each kind', async () => {
    await save('algorithm/imp-a', { isBaseline: true });
    const list = await service.get<Annotation[]>('/api/annotations?kind=algorithm');
    expect(list.map(({ id, isBaseline }) => [id, isBaseline])).toEqual([
      ['imp-a', true],
      ['imp-b', false],
    ]);
  });

  test('are removed with the mark as baseline if they contain nothing else', async () => {
    await save('run/imp-a-2', { isBaseline: true });
    await save('run/imp-b-1', { isBaseline: true });
    const list = await service.get<Annotation[]>('/api/annotations?kind=run');
    expect(list.map(({ id }) => id)).not.toContain('imp-a-2');
    await save('run/imp-b-1', {});
  });

  test('change the cursor of the changes, also when another service wrote', async () => {
    const before = await database().dialect.readChangeCursor();
    const snapshot = await database().dialect.readSnapshotKey();
    const other = await openTestDatabase(database().url);
    await other.dialect.withWriteTransaction((transaction) =>
      other.dialect.documents.replace(transaction, (documents) => [
        ...documents,
        { kind: 'plan', id: 'p', version: '1', value: { kept: true } },
      ]),
    );
    await other.close();
    expect(await database().dialect.readChangeCursor()).not.toBe(before);
    expect(await database().dialect.readSnapshotKey()).not.toBe(snapshot);
    await save('run/imp-a-1', { note: 'after the plan' });
    const kinds = (await database().dialect.documents.read()).map(({ kind }) => kind);
    expect(kinds).toContain('plan');
  });

  test('are counted by the preview of a deletion and removed with the experiment', async () => {
    await save('experiment/imp-a', { note: 'of the experiment' });
    const preview = await service.get('/api/experiments/imp-a/deletion-preview');
    expect(preview).toMatchObject({ annotationsDeleted: 2 });
    const response = await fetch(`${service.url}/api/experiments/imp-a`, { method: 'DELETE' });
    expect(await response.json()).toMatchObject({ annotationsDeleted: 2, runsDeleted: 2 });
    const ids = (await service.get<Annotation[]>('/api/annotations')).map(({ id }) => id);
    expect(ids).toEqual(['imp-b-2', 'imp-b', 'imp-a', 'imp-b']);
    const stored = (await database().dialect.documents.read()).map(
      ({ kind, id }) => `${kind} ${id}`,
    );
    expect(stored.sort()).toEqual([
      'algorithm imp-a',
      'algorithm imp-b',
      'experiment imp-b',
      'plan p',
      'run imp-b-2',
    ]);
  });

  test('of runs that another program deleted are not in lists', async () => {
    await execute({ url: database().url, remove: async () => {} }, [
      `delete from iterations where run_id = 'imp-b-2'`,
      `delete from runs where run_id = 'imp-b-2'`,
    ]);
    expect(await service.get('/api/annotations?kind=run')).toEqual([]);
    expect(await service.get<Facets>('/api/facets')).toMatchObject({ tags: [] });
  });

  test('have room for 8 MB in all', async () => {
    const note = 'x'.repeat(10_000);
    await database().dialect.withWriteTransaction((transaction) =>
      database().dialect.documents.replace(transaction, (documents) => [
        ...documents,
        { kind: 'filler', id: '1', version: '1', value: 'x'.repeat(maximumDocumentBytes - 5_000) },
      ]),
    );
    const full = await send('PUT', 'run/imp-b-1', { version: null, note });
    expect(full).toMatchObject({
      status: 409,
      body: {
        code: 'DOCUMENTS_FULL',
        detail:
          'The service did not save the note, because all notes of this database together may take at most 8 MiB. Shorten or delete some, then save again',
      },
    });
  });

  test('are in a file that only its user can read, for SQLite', () => {
    if (database().file === null) return;
    const file = `${database().file}.evoscope.json`;
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(readFileSync(file, 'utf8')).toContain('"evoscope-documents-1"');
    expect(existsSync(`${file}.new`)).toBe(false);
  });
});
