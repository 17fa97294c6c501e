import { afterAll, beforeAll, expect, it } from 'vitest';
import type { ResponseBody } from '#shared/api.ts';
import { describeOnEachDatabase } from '#tests/support/databases.ts';
import { loadSample } from '#tests/support/sample.ts';
import { startService, type TestService } from '#tests/support/test-service.ts';

describeOnEachDatabase('A campaign with a display name for an optimizer', (database) => {
  let service: TestService;
  const optimizer = 'cma-es';
  const displayName = '50 % & more';
  const campaign = '/api/coco/campaigns/bbob-small';

  async function annotate(algorithm: string, annotation: object): Promise<string> {
    const response = await fetch(
      `${service.url}/api/annotations/algorithm/${encodeURIComponent(algorithm)}`,
      {
        method: 'PUT',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(annotation),
      },
    );
    expect(response.status).toBe(200);
    return ((await response.json()) as { version: string }).version;
  }

  beforeAll(async () => {
    await loadSample(database());
    service = await startService(database(), { isInThisThread: true });
    await service.get(`${campaign}/erts`);
    await annotate(optimizer, { version: null, displayName });
  });
  afterAll(() => service.close());

  it('shows it in the JSON of each analysis next to the stored name', async () => {
    const { rows, summary, referenceKind } = await service.get<ResponseBody<'listErts'>>(
      `${campaign}/erts`,
    );
    for (const list of [rows, summary]) {
      const labels = new Map(list.map(({ optimizerId, label }) => [optimizerId, label]));
      expect(labels.get(optimizer)).toBe(displayName);
      expect(new Set(list.map((row) => row.referenceKind))).toEqual(new Set([referenceKind]));
    }
    const { curves, panels } = await service.get<ResponseBody<'getEcdf'>>(
      `${campaign}/ecdf?cells=all`,
    );
    for (const list of [curves, panels[0]!.curves])
      expect(list.find((curve) => curve.optimizer === optimizer)?.label).toBe(displayName);
    const tests = await service.get<ResponseBody<'compareOptimizers'>>(`${campaign}/tests`);
    const pairs = tests.dimensions.flatMap((one) => one.pairs);
    expect(pairs.length).toBeGreaterThan(0);
    for (const { a, b, labelA, labelB } of pairs)
      expect([labelA, labelB]).toEqual(
        [a, b].map((name) => (name === optimizer ? displayName : name)),
      );
  });

  it.each([
    ['erts', 'optimizerId,label,', ',referenceKind\r\n'],
    ['erts', 'optimizerId,label,', ',referenceKind\r\n', '&table=summary'],
    ['ecdf', 'optimizer,label,', '\r\n', '&cells=all&table=areas'],
    ['tests', 'dimension,a,b,labelA,labelB,', '\r\n', '&table=dimensions'],
    ['trials', 'id,campaignId,optimizerId,label,', '\r\n'],
  ])('shows it in the CSV of %s', async (part, first, last, query = '') => {
    const response = await fetch(`${service.url}${campaign}/${part}?format=csv${query}`);
    const text = await response.text();
    const [heading = ''] = text.split(/(?<=\r\n)/);
    expect(heading.startsWith(first)).toBe(true);
    expect(heading.endsWith(last)).toBe(true);
    expect(text).toContain(`,${displayName},`);
  });

  it('shows it in LaTeX, escaped', async () => {
    const latex = await (await fetch(`${service.url}${campaign}/erts/latex`)).text();
    expect(latex).toContain('50 \\% \\& more');
    expect(latex).not.toContain(`{${optimizer}}`);
  });

  it('shows the stored name too where another optimizer has the display name', async () => {
    const read = <Body>(part: string) => service.get<Body>(`${campaign}/${part}`);
    const { optimizers } = await read<ResponseBody<'listErts'>>('erts');
    const otherOptimizer = optimizers.find((name) => name !== optimizer)!;
    const version = await annotate(optimizer, {
      version: (await service.get<ResponseBody<'listAnnotations'>>('/api/annotations'))[0]!.version,
      displayName: otherOptimizer,
    });
    const label = `${otherOptimizer} (${optimizer})`;
    const labels = new Map([
      [optimizer, label],
      [otherOptimizer, otherOptimizer],
    ]);
    const erts = await read<ResponseBody<'listErts'>>('erts');
    const trials = await read<ResponseBody<'listTrials'>>(`trials?optimizer=${optimizer}`);
    const { cells } = await read<ResponseBody<'getCompleteness'>>('completeness');
    const { curves } = await read<ResponseBody<'getEcdf'>>('ecdf?cells=all');
    const { dimensions } = await read<ResponseBody<'compareOptimizers'>>('tests');
    const pairs = dimensions.flatMap((row) => row.pairs);
    const rows = [
      ...erts.rows,
      ...erts.summary,
      ...trials.items,
      ...cells,
      ...curves.map((curve) => ({ optimizerId: curve.optimizer, label: curve.label })),
      ...pairs.map(({ a, labelA }) => ({ optimizerId: a, label: labelA })),
      ...pairs.map(({ b, labelB }) => ({ optimizerId: b, label: labelB })),
    ];
    for (const row of rows) expect(row.label).toBe(labels.get(row.optimizerId) ?? row.optimizerId);
    for (const part of ['erts/latex', 'erts?format=csv', 'trials?format=csv'])
      expect(await (await fetch(`${service.url}${campaign}/${part}`)).text()).toContain(label);
    await annotate(optimizer, { version, displayName });
  });

  it('marks the baseline and lists its pairs first', async () => {
    await database().dialect.withWriteTransaction((kysely) =>
      kysely
        .updateTable('coco_trials')
        .set({ optimizer_id: 'third' })
        .where('optimizer_id', '=', 'gaussian')
        .where('repetition', '=', 2)
        .execute(),
    );
    const before = await service.get<ResponseBody<'compareOptimizers'>>(`${campaign}/tests`);
    const baseline = before.dimensions[0]!.pairs.at(-1)!.b;
    await annotate(baseline, { version: null, isBaseline: true });
    const title = `${baseline} (baseline)`;
    const { dimensions } = await service.get<ResponseBody<'compareOptimizers'>>(
      `${campaign}/tests`,
    );
    for (const [index, { pairs }] of dimensions.entries()) {
      const isOfBaseline = pairs.map(({ a, b }) => a === baseline || b === baseline);
      expect(isOfBaseline).toEqual(
        isOfBaseline.toSorted((one, other) => Number(other) - Number(one)),
      );
      expect(isOfBaseline).toContain(true);
      const labels = pairs.filter((_, at) => isOfBaseline[at]).map((one) => one.labelB);
      expect(new Set(labels)).toEqual(new Set([title]));
      const withoutLabels = (all: typeof pairs) =>
        new Set(all.map(({ labelA: _a, labelB: _b, ...pair }) => JSON.stringify(pair)));
      expect(withoutLabels(pairs)).toEqual(withoutLabels(before.dimensions[index]!.pairs));
    }
    const { curves } = await service.get<ResponseBody<'getEcdf'>>(`${campaign}/ecdf?cells=all`);
    expect(curves.map(({ label }) => label)).toContain(title);
    const latex = await (await fetch(`${service.url}${campaign}/erts/latex`)).text();
    expect(latex).toContain(title);
  });

  it('shows the stored name too where an optimizer without configuration has the display name', async () => {
    const { optimizers } = await service.get<ResponseBody<'listErts'>>(`${campaign}/erts`);
    const configured = await service.get<ResponseBody<'listOptimizers'>>(`${campaign}/optimizers`);
    const unconfigured = optimizers.find((name) =>
      configured.every(({ optimizerId }) => optimizerId !== name),
    )!;
    const annotations = await service.get<ResponseBody<'listAnnotations'>>('/api/annotations');
    const { version } = annotations.find(({ id }) => id === optimizer)!;
    await annotate(optimizer, { version, displayName: unconfigured });
    const trials = await service.get<ResponseBody<'listTrials'>>(
      `${campaign}/trials?optimizer=${optimizer}`,
    );
    for (const { label } of trials.items) expect(label).toBe(`${unconfigured} (${optimizer})`);
  });
});
