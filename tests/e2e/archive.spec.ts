import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { parse } from 'csv-parse/sync';
import { unzipSync, strFromU8 } from 'fflate';
import type { Page } from 'playwright/test';
import { resolveProgramFile } from '#build/bundle.ts';
import type { ProblemComparison } from '#shared/schemas/analysis.ts';
import { expect, test, withExperimentId } from './service.ts';

/** Downloads an archive with the button Save archive of the page. Returns its path, and its files by name. */
async function getArchive(page: Page): Promise<{ path: string; files: Record<string, string> }> {
  const downloadPromise = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Save archive' }).click();
  const download = await downloadPromise;
  expect(download.suggestedFilename()).toMatch(/^[\w.-]+\.zip$/);
  const path = await download.path();
  const files = Object.entries(unzipSync(new Uint8Array(await readFile(path))));
  return {
    path,
    files: Object.fromEntries(files.map(([name, bytes]) => [name, strFromU8(bytes)])),
  };
}

const getRows = (text: string): Record<string, string>[] =>
  parse(text, { columns: true, record_delimiter: '\r\n' });

/** Runs `evoscope verify` on an archive. */
async function verifyArchive(file: string): Promise<string> {
  const { stdout } = await promisify(execFile)(process.execPath, [
    resolveProgramFile('verifier'),
    file,
  ]);
  return stdout;
}

test('the values in the archive of a problem agree with its data', async ({ page }) => {
  await page.goto('/problems/onemax?by=model&target=20&direction=max');
  await expect(page.getByRole('region', { name: 'Convergence' })).toBeVisible();
  const { path } = await getArchive(page);
  expect(await verifyArchive(path)).toMatch(/^All \d{2,} values in 3 verified tables agree\.$/m);
});

test('the values in the archive of named and marked experiments agree with its data', async ({
  page,
  sample,
}) => {
  const response = await fetch(`${sample.url}/api/analysis/problem/onemax?groupBy=experiment`);
  const { algorithms: groups } = (await response.json()) as ProblemComparison;
  const address = `${sample.url}/api/annotations/experiment/${groups.at(-1)?.algorithm}`;
  const headers = { 'content-type': 'application/json' };
  const content = { displayName: 'The named one', isBaseline: true, version: null };
  const saved = await fetch(address, { method: 'PUT', headers, body: JSON.stringify(content) });
  const { version } = (await saved.json()) as { version: string };
  await page.goto('/problems/onemax?by=experiment');
  await expect(page.getByRole('region', { name: 'Convergence' })).toBeVisible();
  const { path, files } = await getArchive(page);
  await fetch(`${address}?version=${version}`, { method: 'DELETE' });
  expect(files['tables/groups.csv']).toContain('The named one');
  expect(await verifyArchive(path)).toMatch(/^All \d{2,} values in 3 verified tables agree\.$/m);
});

test('the Export menu downloads runs for other programs, and shows why a format is not possible', async ({
  page,
}) => {
  await page.goto('/problems/onemax');
  await page.getByRole('button', { name: 'Export runs' }).click();
  const coco = page.getByRole('menuitem', { name: 'COCO data' });
  await expect(coco).toHaveAttribute('aria-disabled', 'true');
  await expect(coco).toHaveAttribute('aria-description', /the fitness is maximised/);
  const downloads: Record<string, string> = {
    'IOHprofiler data': 'onemax.ioh.zip',
    'Traces as Parquet': 'traces.parquet',
    'Runs as Parquet': 'runs.parquet',
  };
  for (const [name, file] of Object.entries(downloads)) {
    const downloadPromise = page.waitForEvent('download');
    await page.getByRole('menuitem', { name }).click();
    expect((await downloadPromise).suggestedFilename()).toBe(file);
    await page.getByRole('button', { name: 'Export runs' }).click();
  }
});

test('the archive of a problem contains its figures, tables, captions and link, with the values of the API', async ({
  page,
  sample,
}) => {
  await page.goto('/problems/onemax?groupBy=algorithm');
  await expect(page.getByRole('region', { name: 'Convergence' })).toBeVisible();
  const { files } = await getArchive(page);
  expect(Object.keys(files)).toEqual(
    expect.arrayContaining([
      'README.md',
      'figures/convergence.svg',
      'figures/convergence.tex',
      'figures/convergence.csv',
      'figures/ecdf.csv',
      'figures/ranks.tex',
      'tables/tables.tex',
      'tables/groups.csv',
      'tables/pairs.csv',
    ]),
  );
  const response = await fetch(`${sample.url}/api/analysis/problem/onemax`);
  const comparison = (await response.json()) as ProblemComparison;
  const groups = getRows(files['tables/groups.csv']!);
  expect(groups.map((row) => [row['algorithm'], row['ert'], row['ertInterval.upper']])).toEqual(
    comparison.algorithms.map(({ algorithm, ert, ertInterval }) => [
      algorithm,
      String(ert ?? 'Inf'),
      String(ertInterval!.upper ?? 'Inf'),
    ]),
  );
  const pairs = getRows(files['tables/pairs.csv']!);
  const runtime = comparison.pairwise.runtime!;
  expect(
    pairs.filter(({ measure }) => measure === 'runtime').map((row) => row['holmAdjustedPValue']),
  ).toEqual(runtime.map(({ holmAdjustedPValue }) => String(holmAdjustedPValue ?? '')));
  const [first] = comparison.convergence;
  const curve = getRows(files['figures/convergence.csv']!);
  const rowsByEvaluations = new Map(curve.map((row) => [Number(row['evaluations']), row]));
  for (const { x, median, q1, q3, samples } of first!.points) {
    const cells = Object.values(rowsByEvaluations.get(x)!);
    // The curve of one run has no band.
    const edges = samples > 1 ? [q1, q3] : ['', ''];
    expect(cells.slice(1, 4)).toEqual([median, ...edges].map(String));
  }
  const readme = files['README.md']!;
  expect(readme).toContain(`<${page.url()}>`);
  expect(readme).toContain('## Convergence');
  expect(readme).toMatch(/onemax.*maximised \(from problem type\)/);
  expect(files['figures/convergence.svg']).toContain('src:url(data:font/woff2;base64,');
});

for (const [address, expected, verified] of [
  [
    '/experiments/{OneMax 40, PBIL}',
    ['figures/convergence.tex', 'tables/summary.csv', 'tables/tables.tex'],
    /^All \d{2,} values in \d+ verified tables agree\.$/m,
  ],
  [
    '/problems/onemax?tab=across',
    ['tables/cells.csv', 'tables/average-ranks.csv', 'tables/tables.tex'],
    null,
  ],
  [
    '/coco/bbob-small',
    ['figures/ratios.svg', 'tables/completeness.csv'],
    /^All \d+ values in 1 verified table agree\. The program skipped 1 table\.$/m,
  ],
  [
    '/coco/bbob-small?tab=erts',
    ['tables/erts.csv', 'tables/tables.tex'],
    /^All \d+ values in 1 verified table agree\.$/m,
  ],
  [
    '/coco/bbob-small?tab=ecdf',
    ['figures/d2.tex', 'tables/areas.csv'],
    /^All \d+ values in 1 verified table agree\.$/m,
  ],
] as const) {
  const suffix = verified === null ? '' : ', with values that agree with its data';
  test(`the archive of ${address} contains the charts and tables of the page${suffix}`, async ({
    page,
  }) => {
    await page.goto(await withExperimentId(page, address));
    const button = page.getByRole('button', { name: 'Save archive' });
    await expect(button).not.toHaveAttribute('aria-disabled', 'true');
    await expect(page.locator('main .skeleton')).toHaveCount(0);
    const { path, files } = await getArchive(page);
    expect(Object.keys(files)).toEqual(expect.arrayContaining([...expected]));
    for (const [name, text] of Object.entries(files)) expect(text.length, name).toBeGreaterThan(10);
    if (verified !== null) expect(await verifyArchive(path)).toMatch(verified);
  });
}
