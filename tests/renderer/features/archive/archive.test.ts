import { expect, test } from 'vitest';
import { makeArchiveFiles } from '#renderer/features/archive/archive.ts';
import type { Exhibit } from '#renderer/state/exhibits.ts';

const page = {
  title: 'onemax · Evoscope',
  url: 'http://127.0.0.1:7070/problems/onemax?hide=a#b',
  savedAt: '2026-11-22T10:00:00.000Z',
};

const data = {
  runs: 'runId\r\nr1\r\n',
  traces: '',
  trials: null,
  experiments: [],
  campaigns: [],
  annotations: [],
};

const svgFile = [{ ending: 'svg', content: '<svg/>' }];

const figure: Exhibit = {
  kind: 'figure',
  id: 'ecdf',
  title: 'Runtime ECDF',
  caption: 'n = 15.\n# not a heading',
  files: async () => [
    { ending: 'svg', content: '<svg/>' },
    { ending: 'csv', content: 'x\r\n' },
  ],
};

test('an archive has the files of all exhibits, and its README lists the content and the link of each', async () => {
  const files = await makeArchiveFiles(page, [figure], data);
  expect(Object.keys(files)).toEqual([
    'README.md',
    'query.json',
    'data/runs.csv',
    'data/traces.csv',
    'figures/ecdf.svg',
    'figures/ecdf.csv',
  ]);
  expect(files['data/runs.csv']).toBe(data.runs);
  expect(JSON.parse(files['query.json'] ?? '')).toMatchObject({
    format: 'evoscope-archive',
    version: 1,
    checksums: {
      'data/runs.csv': expect.stringMatching(/^[\da-f]{64}$/),
      'figures/ecdf.svg': expect.stringMatching(/^[\da-f]{64}$/),
    },
  });
  expect(files['README.md']).toContain('<http://127.0.0.1:7070/problems/onemax?hide=a#b>');
  expect(files['README.md']).toContain(
    '## Runtime ECDF\n\nn = 15. # not a heading\n\n- [figures/ecdf.svg](figures/ecdf.svg)',
  );
});

test('files have names that are safe and distinct on every system', async () => {
  const ids = [
    '../../rates/all',
    '.._.._rates_all',
    'rates',
    'Rates',
    'größe:f(x',
    'x'.repeat(300),
  ];
  const exhibits = ids.map((id) => ({ ...figure, id, files: async () => svgFile }));
  const files = await makeArchiveFiles(page, exhibits, data);
  const names = Object.keys(files).filter((name) => name.startsWith('figures/'));
  expect(names).toEqual([
    'figures/_.._rates_all.svg',
    'figures/_.._rates_all-2.svg',
    'figures/rates.svg',
    'figures/Rates-2.svg',
    'figures/gr_e_f(x.svg',
    `figures/${'x'.repeat(60)}.svg`,
  ]);
  expect(files['README.md']).toContain('(figures/gr_e_f\\(x.svg)');
});

test('an exhibit whose files cannot be made fails the archive, which would otherwise lack it', async () => {
  const broken = { ...figure, files: () => Promise.reject(new Error('gone')) };
  await expect(makeArchiveFiles(page, [figure, broken], data)).rejects.toThrow('gone');
});

test('texts from the database are plain text in the README: no HTML, link, image, code or heading', async () => {
  const title = '<img src=x onerror=y> [a](javascript:b) ![c](http://d) `e` _f_ g_h a\\b';
  const files = await makeArchiveFiles(
    { ...page, title },
    [{ ...figure, title, caption: '1. # x' }],
    data,
  );
  const escaped =
    '\\<img src=x onerror=y\\> \\[a\\](javascript:b) !\\[c\\](http://d) \\`e\\` \\_f\\_ g_h a\\\\b';
  expect(files['README.md']).toContain(`# ${escaped}\n`);
  expect(files['README.md']).toContain(`## ${escaped}\n\n1\\. # x\n`);
});
