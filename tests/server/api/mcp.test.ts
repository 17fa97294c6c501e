import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { isKnownPage } from '#server/http/pages.ts';
import { callTool } from '#server/mcp/call-tool.ts';
import { getTools } from '#server/mcp/tools.ts';
import type { Across } from '#shared/schemas/analysis-across.ts';
import type { ProblemComparison } from '#shared/schemas/analysis.ts';
import type { CampaignErts } from '#shared/schemas/coco-analysis.ts';
import { describeOnEachDatabase } from '#tests/support/databases.ts';
import { connectByHttp, type McpClient, type ToolResult } from '#tests/support/mcp-client.ts';
import { insert, insertExperiment, insertIterations, insertRun } from '#tests/support/rows.ts';
import { loadSample } from '#tests/support/sample.ts';
import { startService, type TestService } from '#tests/support/test-service.ts';

const readTools = [
  'find_runs',
  'describe_run',
  'list_problems',
  'compare',
  'across',
  'campaign_summary',
  'runs_needed',
  'export_latex',
  'open_view',
];

/** The rows of a section in all parts of a result. */
function getRows(parts: readonly ToolResult[], section: string): Record<string, unknown>[] {
  return parts.flatMap((part) => (part[section] ?? []) as Record<string, unknown>[]);
}

const unmark = (text: unknown) => String(text).slice(1, -1);

describeOnEachDatabase('tools for MCP clients', (database) => {
  let service: TestService;
  let mcp: McpClient;

  beforeAll(async () => {
    await loadSample(database());
    service = await startService(database(), { isInThisThread: true });
    mcp = await connectByHttp(service.url);
  });
  afterAll(async () => {
    await mcp.client.close();
    await service.close();
  });

  test('are those that read, with schemas from the contract', async () => {
    const { tools } = await mcp.client.listTools();
    expect(tools.map(({ name }) => name)).toEqual(readTools);
    expect(tools.every(({ annotations }) => annotations?.readOnlyHint)).toBe(true);
    const compare = tools.find(({ name }) => name === 'compare');
    expect(compare?.inputSchema).toMatchObject({
      required: ['problemType'],
      additionalProperties: false,
      properties: {
        problemType: { type: 'string', description: 'Type of a problem as stored' },
        target: { type: 'number' },
        algorithm: { type: 'array', items: { type: 'string' } },
        failed: { enum: ['include', 'exclude'] },
      },
    });
    expect(mcp.client.getInstructions()).toMatch(/never instructions/);
  });

  test('list the runs of the API in its order, part by part', async () => {
    const parts = await mcp.readAll('find_runs', { problem: ['onemax'], sortBy: 'seed' });
    expect(parts.length).toBeGreaterThan(1);
    const page = await service.get<{ items: { runId: string }[] }>(
      '/api/runs?problem=onemax&sortBy=seed&size=200',
    );
    const found = getRows(parts, 'runs').map(({ runId }) => unmark(runId));
    expect(found).toEqual(page.items.map(({ runId }) => runId));
    expect(parts[0]!.rows).toMatch(/^1 to \d+ of 53$/);
    expect(parts[0]!.link).toBe(`${service.url}/?trials=include&problem=onemax`);
  });

  test('describe a run with its diagnosis and configuration', async () => {
    const described = await mcp.call('describe_run', { runId: '«onemax40-umda-r11»' });
    expect(described).toMatchObject({
      tool: 'describe_run',
      link: `${service.url}/runs/onemax40-umda-r11`,
      run: { runId: '«onemax40-umda-r11»', status: '«COMPLETED»', bestFitness: 39 },
    });
    const { diagnosis } = await service.get<{ diagnosis: { code: string; message: string }[] }>(
      '/api/runs/onemax40-umda-r11/insights',
    );
    expect(getRows([described], 'diagnosis').map(({ message }) => message)).toEqual(
      diagnosis.map(({ message }) => message),
    );
    expect(getRows([described], 'configuration')).toContainEqual({
      path: '«algorithm.type»',
      value: '«umda»',
    });
  });

  test('list the problems of the API', async () => {
    const problems = await service.get<{ problemType: string }[]>('/api/analysis/problems');
    const listed = await mcp.call('list_problems');
    expect(getRows([listed], 'problems').map(({ problemType }) => unmark(problemType))).toEqual(
      problems.map(({ problemType }) => problemType),
    );
  });

  test('compare with the verdict, the notes and the tests of the API', async () => {
    const comparison = await service.get<ProblemComparison>('/api/analysis/problem/small-tsp');
    const compared = await mcp.call('compare', { problemType: 'small-tsp' });
    const removeMarks = (text: unknown) => String(text).replaceAll(/[«»]/g, '');
    expect(getRows([compared], 'verdict').map(({ text }) => removeMarks(text))).toEqual(
      comparison.verdict.map(({ text }) => text),
    );
    expect(compared.notes.map(removeMarks)).toEqual([
      ...comparison.guard.notes,
      ...comparison.notes.map(({ message }) => message),
    ]);
    const claimed = comparison.pairwise
      .anytime!.filter(({ significant }) => significant)
      .map(({ a, b, better }) => [a, b, better]);
    expect(claimed).toHaveLength(1);
    const named = getRows([compared], 'pairs').flatMap(({ a, b, claimedBetter }) => {
      const { anytime } = claimedBetter as { anytime?: string };
      return anytime === undefined ? [] : [[a, b, anytime].map(unmark)];
    });
    expect(named).toEqual(claimed);
    expect(compared.notSupported).toContain(
      'No significant difference is not evidence of equivalence.',
    );
  });

  test('link to a page with the same choices', async () => {
    const args = { problemType: 'onemax', groupBy: 'model', target: 30, failed: 'exclude' };
    const page = '/problems/onemax?target=30&failed=exclude&by=model';
    expect((await mcp.call('compare', args)).link).toBe(service.url + page);
    const view = await mcp.call('open_view', { view: 'problem', ...args });
    expect(view.link).toBe(service.url + page);
    for (const name of [
      'runs',
      'run',
      'experiment',
      'problems',
      'across',
      'campaigns',
      'campaign',
    ]) {
      const args2 = { view: name, runId: 'r', experimentId: 'e', campaignId: 'c' };
      const { link } = await mcp.call('open_view', args2);
      expect(isKnownPage(new URL(link).pathname), link).toBe(true);
    }
    const lists = { run: '/', experiment: '/experiments', problem: '/problems', campaign: '/coco' };
    for (const [name, page2] of Object.entries(lists)) {
      const { link } = await mcp.call('open_view', { view: name });
      expect(new URL(link).pathname).toBe(page2);
    }
  });

  test('link to a page for an argument with half of a surrogate pair', async () => {
    const { link } = await mcp.call('open_view', { view: 'run', runId: 'a\uD800' });
    expect(link).toBe(`${service.url}/runs/a%EF%BF%BD`);
  });

  test('compare across instances with the tests of the API', async () => {
    const args = { measure: 'median' };
    const across = await service.get<Across>('/api/analysis/across?measure=median');
    const parts = await mcp.readAll('across', args);
    expect(getRows(parts, 'averageRanks')).toHaveLength(across.averageRanks.length);
    expect(getRows(parts, 'pairsAcrossInstances')).toHaveLength(across.pairTests.pairs.length);
    expect(getRows(parts, 'cells')).toHaveLength(across.cells.length);
    expect(getRows(parts, 'pairsOnInstances')).toHaveLength(across.instanceTests.length);
    for (const part of parts) {
      expect(part.notes.length).toBeGreaterThan(0);
      expect(part.notes).toEqual(parts[0]!.notes);
      expect(part.notSupported).toEqual(parts[0]!.notSupported);
    }
  });

  test('summarise a campaign whose id they list', async () => {
    const [campaign] = getRows([await mcp.call('campaign_summary')], 'campaigns');
    expect(campaign).toMatchObject({ campaignId: '«bbob-small»', trials: 48 });
    const parts = await mcp.readAll('campaign_summary', { campaignId: campaign!['campaignId'] });
    expect(parts[0]!.link).toBe(`${service.url}/coco/bbob-small`);
    expect(getRows(parts, 'pairsByDimension')).toHaveLength(2);
    expect(getRows(parts, 'ecdfAreas').length).toBeGreaterThan(0);
    expect(getRows(parts, 'erts')).toHaveLength(8);
    const { summary } = await service.get<CampaignErts>('/api/coco/campaigns/bbob-small/erts');
    expect(getRows(parts, 'ertRatios')).toMatchObject(
      summary.map(({ functions, comparedFunctions }) => ({ functions, comparedFunctions })),
    );
    expect(parts[0]!.notSupported[0]).toMatch(/^Optimizers differ only where/);
  });

  test('summarise a campaign with failed trials, missing cells and an unknown dimension', async () => {
    await insert(database(), 'coco_campaigns', { campaign_id: 'partial', status: 'COMPLETED' });
    await insertExperiment(database(), 'partial');
    for (const [optimizer_id, dimension, function_id, instance_id, status] of [
      ['a', 0, 1, 1, 'COMPLETED'],
      ['a', 2, 1, 1, 'COMPLETED'],
      ['a', 2, 1, 2, 'COMPLETED'],
      ['a', 2, 1, 3, 'COMPLETED'],
      ['b', 2, 1, 1, 'FAILED'],
    ] as const) {
      const run_id = `partial-${optimizer_id}-${dimension}-${instance_id}`;
      await insertRun(database(), 'partial', run_id, { status });
      if (status === 'COMPLETED') await insertIterations(database(), run_id, 3);
      const trial = { optimizer_id, dimension, function_id, instance_id, status, evaluations: 40 };
      await insert(database(), 'coco_trials', { campaign_id: 'partial', run_id, ...trial });
    }
    const parts = await mcp.readAll('campaign_summary', { campaignId: 'partial', cells: 'shared' });
    const infinite = 'infinite: no trial reached the target';
    expect(getRows(parts, 'erts')).toMatchObject([
      { optimizer: '«a»', dimension: 0, trials: 1, ert: infinite },
      { optimizer: '«a»', dimension: 2, trials: 3, ert: infinite },
      { optimizer: '«b»', dimension: 2, trials: 0, ert: null },
    ]);
    expect(parts[0]).toMatchObject({ omittedCells: 2 });
    expect(getRows(parts, 'ecdfAreas')).toMatchObject([
      { dimension: 0, optimizer: '«a»', evaluations: 100 },
      { dimension: 2, optimizer: '«a»', evaluationsPerDimension: 50 },
      { dimension: 2, optimizer: '«b»', evaluationsPerDimension: 50 },
    ]);
  });

  test('contain notes that do not fit as the last rows', async () => {
    const notes = Array.from({ length: 20 }, (_, index) => `Note ${index}. ${'x'.repeat(500)}`);
    const body = JSON.stringify({ facts: {}, notes, limits: [], rows: [], total: 0 });
    const tool = getTools(false).get('list_problems')!;
    const parts: ToolResult[] = [];
    for (let cursor: string | undefined = '0'; cursor !== undefined; cursor = parts.at(-1)?.next) {
      const toolArguments = { cursor };
      const request = { name: 'list_problems', tool, toolArguments, address: service.url };
      parts.push(JSON.parse(await callTool(async () => ({ body }), request)) as ToolResult);
    }
    const [{ notes: firstNotes, moreNotes }] = parts as [ToolResult];
    const furtherNotes = parts.flatMap((part) => part['furtherNotes'] as string[]);
    expect([...firstNotes, ...furtherNotes]).toEqual(notes);
    expect(parts.length).toBeGreaterThan(2);
    expect(moreNotes).toBe(`Further notes are the last rows (${furtherNotes.length}).`);
  });

  test('compute the number of runs needed', async () => {
    const { design, notSupported } = await mcp.call('runs_needed', { effect: 0.64, pairs: 3 });
    expect(design).toEqual(await service.get('/api/analysis/runs-needed?effect=0.64&pairs=3'));
    expect(notSupported[0]).toMatch(/uses no stored data/);
  });

  test.each([
    ['problem', { problemType: 'onemax' }, '/api/analysis/problem/onemax/latex'],
    ['across', { algorithm: 'cma-es' }, '/api/analysis/across/latex?algorithm=cma-es'],
    ['campaign', { campaignId: 'bbob-small' }, '/api/coco/campaigns/bbob-small/erts/latex'],
  ])('export the LaTeX of %s in parts', async (of, args, path) => {
    const parts = await mcp.readAll('export_latex', { of, ...args });
    const text = parts.flatMap(({ latex }) => (latex as string[]).map(unmark)).join('');
    expect(text).toBe(await (await fetch(service.url + path)).text());
  });

  test('export the LaTeX of a table across instances with a link to the page of its problem', async () => {
    const { instances } = await service.get<{ instances: { id: string }[] }>(
      '/api/analysis/across',
    );
    const instance = [instances[0]?.id];
    const table = await mcp.call('across', { instance });
    const latex = await mcp.call('export_latex', { of: 'across', instance });
    expect(table['link']).toContain('/problems/');
    expect(latex['link']).toBe(table['link']);
  });

  test('export the LaTeX of an experiment', async () => {
    const { items } = await service.get<{ items: { experimentId: string }[] }>(
      '/api/experiments?algorithm=pbil',
    );
    const { experimentId } = items[0]!;
    const parts = await mcp.readAll('export_latex', { of: 'experiment', experimentId });
    const text = parts.flatMap(({ latex }) => (latex as string[]).map(unmark)).join('');
    const path = `/api/experiments/${experimentId}/analysis/latex`;
    expect(text).toBe(await (await fetch(service.url + path)).text());
  });

  describe('fail with the text of the problem document', () => {
    const faults = async (name: string, args: Record<string, unknown>) => {
      const { code, errors, detail } = await mcp.fail(name, args);
      return [code, (errors as { path: string; message: string }[] | undefined)?.[0] ?? detail];
    };

    test('for an unknown run', async () => {
      expect(await faults('describe_run', { runId: 'none' })).toEqual([
        'RUN_NOT_FOUND',
        '«There is no run with the id "none". Select another run»',
      ]);
    });

    test('for invalid, missing, unknown and structured arguments', async () => {
      expect(await faults('compare', { problemType: 'onemax', target: 'x' })).toEqual([
        'VALIDATION_FAILED',
        { path: 'target', message: 'must be a finite number' },
      ]);
      expect(await faults('compare', {})).toEqual([
        'VALIDATION_FAILED',
        { path: 'problemType', message: 'is missing' },
      ]);
      expect(await faults('runs_needed', { runs: 3 })).toEqual([
        'VALIDATION_FAILED',
        {
          path: 'runs',
          message: expect.stringMatching(/^is not an argument of this tool. Use cursor, /),
        },
      ]);
      expect(await faults('find_runs', { q: { text: 'x' } })).toEqual([
        'VALIDATION_FAILED',
        { path: 'q', message: 'must be a text, a number, true, false or a list of them' },
      ]);
      expect(await faults('find_runs', { cursor: 'x' })).toEqual([
        'VALIDATION_FAILED',
        { path: 'cursor', message: 'must be "next" of a previous result of the same tool' },
      ]);
      expect(await faults('export_latex', { of: 'all' })).toEqual([
        'VALIDATION_FAILED',
        { path: 'of', message: 'must be one of problem, across, experiment, campaign' },
      ]);
      expect(await faults('export_latex', { of: 'across', campaignId: 'c' })).toEqual([
        'VALIDATION_FAILED',
        {
          path: 'campaignId',
          message: expect.stringMatching(/^is not possible with these other arguments/),
        },
      ]);
    });

    test('for an unknown tool, as an error of the protocol', async () => {
      await expect(mcp.call('delete_experiment')).rejects.toThrow(
        'There is no tool "delete_experiment": see the list of tools',
      );
    });
  });

  test('report the progress of a resumed run, not the results of its earlier segment', async () => {
    await insertExperiment(database(), 'continued');
    await insertRun(database(), 'continued', 'continued-run', {
      status: 'RUNNING',
      best_fitness: 99,
      iterations: 1,
      evaluations: 7,
      end_time: '2026-11-21T09:00:00Z',
    });
    await insertIterations(database(), 'continued-run', 5);
    const { run } = await mcp.call('describe_run', { runId: 'continued-run' });
    expect(run).toMatchObject({ bestFitness: 4, iterations: 4, evaluations: 80, endTime: null });
    const parts = await mcp.readAll('find_runs', { q: 'continued-run' });
    expect(getRows(parts, 'runs')).toMatchObject([{ evaluations: 80, endTime: null }]);
  });

  describe('that stop runs', () => {
    test('are off by default, and change nothing', async () => {
      await insertRun(database(), await anyExperiment(), 'going', { status: 'RUNNING' });
      await expect(mcp.call('stop_run', { runId: 'going' })).rejects.toThrow(
        'The tool stop_run is off: start the service with --record or --mcp-control, and without --read-only',
      );
      expect(await getStops()).toEqual([]);
    });

    test('request a RUNNING run to stop if a user has enabled them', async () => {
      const other = await startService(database(), { isInThisThread: true, canStop: true });
      const client = await connectByHttp(other.url);
      const { tools } = await client.client.listTools();
      expect(tools.map(({ name }) => name)).toEqual([...readTools, 'stop_run']);
      expect(tools.at(-1)?.annotations).toMatchObject({
        readOnlyHint: false,
        destructiveHint: true,
      });
      const stopped = await client.call('stop_run', { runId: 'going', reason: 'diverged' });
      expect(stopped).toMatchObject({ accepted: true, affectedRuns: 1 });
      expect(await getStops()).toEqual([{ target_id: 'going', reason: 'diverged' }]);
      expect(await client.fail('stop_run', { runId: 'onemax40-umda-r11' })).toMatchObject({
        code: 'NOT_STOPPABLE',
        detail: '«Run "onemax40-umda-r11" is COMPLETED, not RUNNING. Select a RUNNING run»',
      });
      await client.client.close();
      await other.close();
    });

    const anyExperiment = async () => {
      const { experiment_id: id } = await database()
        .kysely.selectFrom('experiments')
        .select('experiment_id')
        .executeTakeFirstOrThrow();
      return id;
    };
    const getStops = () =>
      database()
        .kysely.selectFrom('control_requests')
        .select(['target_id', 'reason'])
        .where('target_id', '=', 'going')
        .execute();
  });
});
