import { afterEach, beforeEach, expect, test } from 'vitest';
import { getContents } from '#tests/support/contents.ts';
import {
  describeOnEachEngine,
  execute,
  openTestDatabase,
  type TestLocation,
} from '#tests/support/databases.ts';
import { sendRawRequest, startService } from '#tests/support/test-service.ts';
import { zoo } from '#tests/support/zoo.ts';

const paths = [
  '/api/health',
  '/api/runs',
  '/api/runs?q=o&sortBy=seed',
  '/api/runs/r',
  '/api/runs/r/iterations',
  '/api/experiments',
  '/api/experiments?figures=true',
  '/api/experiments/e/analysis',
  '/api/experiments/e/deletion-preview',
  '/api/analysis/problems',
  '/api/facets',
  '/api/dashboard/summary',
];

describeOnEachEngine('A database that has', (engine) => {
  const { openable, refusable } = zoo[engine.name];
  let location: TestLocation;
  beforeEach(async () => {
    location = await engine.makeLocation();
  });
  afterEach(() => location.remove());

  test.each(Object.entries(openable))(
    '%s, is opened and responds without an internal error',
    async (_name, statements) => {
      await execute(location, statements);
      const database = await openTestDatabase(location.url);
      const service = await startService(database, { isInThisThread: true });
      const problems = await service.get<{ problemType: string }[]>('/api/analysis/problems');
      const ofProblems = problems.map(
        ({ problemType }) => `/api/analysis/problem/${encodeURIComponent(problemType)}`,
      );
      for (const path of [...paths, ...ofProblems]) {
        const { status, body } = await sendRawRequest(service, path);
        expect([200, 400, 404], `${path}: ${body.toString()}`).toContain(status);
      }
      await service.close();
      await database.close();
    },
  );

  if (engine.name === 'postgres') {
    test('texts of a fixed length, is read without the spaces that fill them', async () => {
      await execute(location, [
        ...(openable['additional columns'] ?? []),
        'alter table experiments alter column experiment_id type char(36), alter column problem_type type char(36)',
        'alter table runs alter column experiment_id type char(36), alter column run_id type char(36), alter column status type char(36)',
      ]);
      const database = await openTestDatabase(location.url);
      const service = await startService(database, { isInThisThread: true });
      const run = { runId: 'r', experimentId: 'e', problemType: 'onemax', status: 'COMPLETED' };
      expect(await service.get('/api/runs')).toMatchObject({ items: [run] });
      expect(await service.get('/api/runs/r')).toMatchObject(run);
      const counts = { totalRuns: 1, completedRuns: 1 };
      expect(await service.get('/api/experiments/e')).toMatchObject(counts);
      expect(await service.get('/api/experiments/e/analysis')).toMatchObject(counts);
      await service.close();
      await database.close();
    });
  }

  test.each(Object.entries(refusable))(
    '%s, is refused in words and left as it was',
    async (_name, [words, statements]) => {
      await execute(location, statements);
      const before = await getContents(location);
      await expect(openTestDatabase(location.url)).rejects.toThrow(words);
      expect(await getContents(location)).toEqual(before);
    },
  );
});
