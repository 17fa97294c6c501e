import { mkdir, readFile, writeFile } from 'node:fs/promises';
import type { DatabaseSync } from 'node:sqlite';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parse } from 'csv-parse/sync';
import { strFromU8, unzipSync } from 'fflate';
import type { Page } from 'playwright/test';
import { expect, test } from './service.ts';

/** Names that are scripts, references or markup for a program that does not read them as text. */
const hostile = {
  script: '</script></title><script>top.attacked=1</script>',
  image: '<img src="http://127.0.0.1:9/fetched" onerror="top.attacked=1">',
  section: ']]><script xmlns="http://www.w3.org/1999/xhtml">top.attacked=1</script>',
  link: '<a href="javascript:top.attacked=1" xlink:href="http://127.0.0.1:9/fetched">link</a>',
  foreign: '</text><foreignObject><iframe src="javascript:top.attacked=1"/></foreignObject>',
  entities: '&lt;b&gt; &#x3c;i&#x3e; &xxe; %23',
  characters: 'line\u2028end \u202Ertl\u202C \u0001\u000B\uFFFE',
  formula: '=HYPERLINK("http://127.0.0.1:9/fetched")',
  latex: '\\input{/etc/passwd} $x$ %',
  markdown: '[m](javascript:top.attacked=1) ![i](http://127.0.0.1:9/fetched) `c` **b**',
};
const algorithms = Object.values(hostile);
/**
 * Names with markup or with characters outside XML. They are emphasised, because charts of more than eight groups name
 * only emphasised ones.
 */
const { formula: _formula, latex: _latex, ...named } = hostile;
const drawnNames = Object.values(named);
const problem = `onemax ${hostile.image}`;

/** Renames the experiments of one problem, and the optimizers of the campaign, to hostile names. */
function giveHostileNames(database: DatabaseSync): void {
  const ids = database
    .prepare(
      `SELECT experiment_id AS id FROM experiments WHERE problem_type <> 'coco-bbob' LIMIT ?`,
    )
    .all(algorithms.length)
    .map(({ id }) => String(id));
  const rename = database.prepare(
    `UPDATE experiments SET problem_type = ?, algorithm_type = ?, model_type = ?, run_name = ?,
       config_json = '{}', config_yaml = '' WHERE experiment_id = ?`,
  );
  ids.forEach((id, index) => {
    const name = algorithms[index]!;
    rename.run(problem, name, name, name, id);
  });
  const optimizers = database.prepare('SELECT DISTINCT optimizer_id AS id FROM coco_trials').all();
  for (const [index, { id }] of optimizers.entries()) {
    for (const table of ['coco_trials', 'coco_optimizer_configs', 'coco_aggregates']) {
      database
        .prepare(`UPDATE ${table} SET optimizer_id = ? WHERE optimizer_id = ?`)
        .run(algorithms[index]!, String(id));
    }
  }
  database
    .prepare('UPDATE coco_campaigns SET name = ?, notes = ?')
    .run(hostile.script, hostile.image);
}

async function getArchive(page: Page): Promise<Record<string, string>> {
  const downloadPromise = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Save archive' }).click();
  const files = unzipSync(new Uint8Array(await readFile(await (await downloadPromise).path())));
  return Object.fromEntries(Object.entries(files).map(([name, bytes]) => [name, strFromU8(bytes)]));
}

/** Opens a file from disk in a browser. Returns its text, its active elements and the URLs that it fetches. */
async function openFromDisk(page: Page, file: string) {
  const requestedUrls: string[] = [];
  const recordRequest = (request: { url(): string }) => requestedUrls.push(request.url());
  const address = pathToFileURL(file).href;
  await page.goto('about:blank');
  page.on('request', recordRequest);
  await page.goto(address);
  const state = await page.evaluate(() => ({
    isAttacked: 'attacked' in window,
    root: document.documentElement.tagName,
    text: document.documentElement.textContent ?? '',
    active: [...document.querySelectorAll('*')]
      .filter(
        (element) =>
          /^(script|iframe|foreignobject|img|object|embed|parsererror|animate|set)$/i.test(
            element.localName,
          ) ||
          [...element.attributes].some(
            ({ name, value }) =>
              /^on/i.test(name) ||
              (/href$/i.test(name) && !value.startsWith('#')) ||
              /javascript:/i.test(value),
          ),
      )
      .map(({ outerHTML }) => outerHTML.slice(0, 200)),
  }));
  page.off('request', recordRequest);
  const otherUrls = requestedUrls.filter((url) => url !== address && !url.startsWith('data:'));
  return { ...state, requestedUrls: otherUrls };
}

/** Returns the characters of a text that XML can contain and that every writer keeps, without white space. */
const normalise = (text: string) =>
  text.replaceAll(/[\s\p{Cc}\uFFFE\uFFFD]+/gu, '').replaceAll('\u202E', '');

for (const [what, address] of [
  [
    'a problem',
    `/problems/${encodeURIComponent(problem)}?groupBy=algorithm&${drawnNames.map((name) => `emphasis=${encodeURIComponent(name)}`).join('&')}`,
  ],
  ['a campaign', '/coco/bbob-small?tab=ecdf'],
] as const) {
  test(`the files of ${what} with hostile names run no script, fetch nothing and show the names as text`, async ({
    page,
    context,
    service,
    database,
  }, info) => {
    test.slow();
    giveHostileNames(database);
    await page.goto(service.url + address);
    await expect(page.locator('.js-plotly-plot').first()).toBeVisible({ timeout: 120_000 });
    await expect(page.locator('main .skeleton')).toHaveCount(0, { timeout: 120_000 });
    const files = await getArchive(page);
    const pictures = Object.keys(files).filter((name) => name.endsWith('.svg'));
    expect(pictures.length).toBeGreaterThan(0);
    const reader = await context.newPage();
    let drawnText = '';
    for (const name of pictures) {
      const file = info.outputPath(name);
      await mkdir(join(file, '..'), { recursive: true });
      await writeFile(file, files[name]!);
      const { text, ...opened } = await openFromDisk(reader, file);
      const harmless = { isAttacked: false, root: 'svg', active: [], requestedUrls: [] };
      expect(opened, name).toEqual(harmless);
      drawnText += normalise(text);
    }
    const expectedNames = what === 'a problem' ? drawnNames : [hostile.script];
    for (const name of expectedNames) expect(drawnText).toContain(normalise(name));

    // A program that shows a Markdown file can interpret markup in it.
    const ownCode =
      /`(Inf|booktabs|longtable|graphicx|data\/|query\.json|evoscope verify <archive\.zip>)`/g;
    const readme = files['README.md']!.replaceAll(ownCode, '');
    expect(readme.replaceAll(/\\[!-/:-@[-`{-~]/g, '')).not.toMatch(/<(?!http:\/\/127)|!\[|\]\(j|`/);

    for (const [name, text] of Object.entries(files)) {
      if (name.endsWith('.csv')) {
        const cells = parse(text, { record_delimiter: '\r\n' }).flat();
        const isFormula = (cell: string) => /^\s*[=@]|^[+-][^\d.I]/.test(cell);
        expect(cells.filter(isFormula), name).toEqual([]);
      }
      if (name.endsWith('.tex')) {
        expect(text, name).not.toMatch(/\\input\b|\\write18|\\include\b|\\href|\\url/);
        expect(text, name).not.toMatch(/(?![\n\r])\p{Cc}|[\u2028\u202E\uFFFE]/u);
      }
    }
  });
}
