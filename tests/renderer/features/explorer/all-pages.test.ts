import { afterEach, expect, test, vi } from 'vitest';
import { call, type QueryOf } from '#renderer/api/client.ts';
import { fetchAllPages } from '#renderer/features/explorer/all-pages.ts';
import { maximumExportedRows } from '#renderer/ui/table/csv.ts';

afterEach(() => vi.unstubAllGlobals());

/** A service with this many runs, which records the requests. */
function serve(total: number): URL[] {
  const requests: URL[] = [];
  vi.stubGlobal('fetch', (path: string) => {
    const url = new URL(path, 'http://127.0.0.1');
    requests.push(url);
    const [page, size] = ['page', 'size'].map((name) => Number(url.searchParams.get(name)));
    const count = Math.max(0, Math.min(size!, total - page! * size!));
    const items = Array.from({ length: count }, (_, index) => ({ runId: `${page}-${index}` }));
    return Promise.resolve(Response.json({ items, totalPages: Math.ceil(total / size!) }));
  });
  return requests;
}

function fetchRuns(query: QueryOf<'listRuns'>) {
  return fetchAllPages(
    (part) => call('listRuns', { query: { ...query, ...part } }),
    ({ runId }) => runId,
  );
}

test('reads every page with the same filters', async () => {
  const requests = serve(450);
  const { rows, isTruncated } = await fetchRuns({ q: 'x', page: 4, size: 10 });
  expect(rows).toHaveLength(450);
  expect(isTruncated).toBe(false);
  expect(requests.map((url) => url.searchParams.get('page'))).toEqual(['0', '1', '2']);
  expect(requests.every((url) => url.searchParams.get('q') === 'x')).toBe(true);
});

test('stops at the maximum number of rows of a file, and reports that there are more', async () => {
  serve(maximumExportedRows + 1);
  const { rows, isTruncated } = await fetchRuns({});
  expect(rows).toHaveLength(maximumExportedRows);
  expect(isTruncated).toBe(true);
});

test('an empty list needs one request', async () => {
  const requests = serve(0);
  expect(await fetchRuns({})).toEqual({ rows: [], isTruncated: false });
  expect(requests).toHaveLength(1);
});

test('returns at most the maximum number of rows of a file, and reports the rest, also after a row that moved', async () => {
  const size = 1_000;
  const firstRows = [0, ...Array.from({ length: maximumExportedRows - 1 }, (_, index) => index)];
  const ids = [...firstRows, maximumExportedRows, maximumExportedRows + 1];
  const { rows, isTruncated } = await fetchAllPages(
    ({ page }) => {
      const items = ids.slice(page * size, (page + 1) * size).map((id) => ({ id: String(id) }));
      return Promise.resolve({ items, totalPages: Math.ceil(ids.length / size) });
    },
    ({ id }) => id,
  );
  expect(rows).toHaveLength(maximumExportedRows);
  expect(isTruncated).toBe(true);
});

test('a row that a new one moves to the next page is in the file once', async () => {
  const pages = [
    ['b', 'a'],
    ['a', 'z'],
  ];
  const { rows } = await fetchAllPages(
    ({ page }) => Promise.resolve({ items: pages[page]!.map((id) => ({ id })), totalPages: 2 }),
    ({ id }) => id,
  );
  expect(rows.map(({ id }) => id)).toEqual(['b', 'a', 'z']);
});
