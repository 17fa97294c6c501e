import { afterEach, expect, test, vi } from 'vitest';
import { fetchAllRuns, maximumExportedRuns } from '#renderer/pages/runs/all-runs.ts';

afterEach(() => vi.unstubAllGlobals());

/** A service with this many runs, which counts the pages asked for. */
function serve(total: number): URL[] {
  const asked: URL[] = [];
  vi.stubGlobal('fetch', (path: string) => {
    const url = new URL(path, 'http://127.0.0.1');
    asked.push(url);
    const [page, size] = ['page', 'size'].map((name) => Number(url.searchParams.get(name)));
    const count = Math.max(0, Math.min(size!, total - page! * size!));
    const items = Array.from({ length: count }, (_, index) => ({ runId: `${page}-${index}` }));
    return Promise.resolve(Response.json({ items, totalPages: Math.ceil(total / size!) }));
  });
  return asked;
}

test('reads every page with the same filters', async () => {
  const asked = serve(450);
  const { runs, isCut } = await fetchAllRuns({ q: 'x', page: 4, size: 10 });
  expect(runs).toHaveLength(450);
  expect(isCut).toBe(false);
  expect(asked.map((url) => url.searchParams.get('page'))).toEqual(['0', '1', '2']);
  expect(asked.every((url) => url.searchParams.get('q') === 'x')).toBe(true);
});

test('stops at the most a file holds, and says that there are more', async () => {
  serve(maximumExportedRuns + 1);
  const { runs, isCut } = await fetchAllRuns({});
  expect(runs).toHaveLength(maximumExportedRuns);
  expect(isCut).toBe(true);
});

test('an empty list is one question', async () => {
  const asked = serve(0);
  expect(await fetchAllRuns({})).toEqual({ runs: [], isCut: false });
  expect(asked).toHaveLength(1);
});
