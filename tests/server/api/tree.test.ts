import { afterAll, beforeAll, expect, test } from 'vitest';
import type { ResponseBody } from '#shared/api.ts';
import { describeOnEachDatabase } from '#tests/support/databases.ts';
import { insert } from '#tests/support/rows.ts';
import { loadSample } from '#tests/support/sample.ts';
import { startService, type TestService } from '#tests/support/test-service.ts';

type Tree = ResponseBody<'getTree'>;

const terminal = (symbol: string) => ({
  kind: 'terminal',
  symbol,
  terminalType: 'VariableTerminal',
});
const rule = (operator: string | null, ...children: object[]) => ({
  kind: 'rule',
  nonTerminal: 'ExprReal',
  ruleId: 'R1',
  outputType: 'REAL',
  operator,
  children,
});

describeOnEachDatabase('GET /api/runs/{runId}/tree', (database) => {
  let service: TestService;

  const get = (runId: string) => service.get<Tree>(`/api/runs/${runId}/tree`);

  beforeAll(async () => {
    await loadSample(database());
    service = await startService(database(), { isInThisThread: true });
    await insert(database(), 'experiments', { experiment_id: 'bare', config_hash: 'bare' });
  });

  afterAll(() => service.close());

  test('agrees with the AST, the metrics and the texts that the runner stored of each grammar run', async () => {
    const runs = await database()
      .kysely.selectFrom('runs')
      .select(['run_id', 'artifacts_json', 'best_summary'])
      .where('artifacts_json', 'like', '%bestAstJson%')
      .execute();
    expect(runs.map(({ run_id }) => run_id).sort()).toEqual([
      'nguyen5-umda',
      'xor3-umda-r01',
      'xor3-umda-r02',
    ]);
    for (const { run_id, artifacts_json, best_summary } of runs) {
      const stored = JSON.parse(artifacts_json ?? '') as Record<string, unknown>;
      expect(await get(run_id)).toEqual({
        runId: run_id,
        representationType: 'grammar-bitstring',
        infix: best_summary,
        prefix: stored['bestExpressionPrefix'],
        latex: stored['bestExpressionLatex'],
        dot: stored['bestExpressionDot'],
        ast: JSON.parse(stored['bestAstJson'] as string) as unknown,
        metrics: stored['bestTreeMetrics'],
        decisionVector: stored['decisionVector'],
        ercValues: stored['ercValues'],
        source: 'artifacts',
      });
    }
  });

  test('is 404 for any other run', async () => {
    for (const runId of ['ckpt-umda', 'sphere5-cma-r01', 'failed-copula', 'long-rastrigin-r02']) {
      expect(await service.getProblem(`/api/runs/${runId}/tree`)).toMatchObject({
        status: 404,
        code: 'NOT_FOUND',
        detail: `Run "${runId}" has no program that is a tree. Select another run`,
      });
    }
    expect(await service.getProblem('/api/runs/nobody/tree')).toMatchObject({
      code: 'RUN_NOT_FOUND',
    });
  });

  test('is complete at depth 12 and with 500 nodes', async () => {
    const deep = Array.from({ length: 11 }).reduce<object>(
      (tree) => rule('sin', tree),
      rule(null, terminal('x')),
    );
    await store('deep', { bestAstJson: JSON.stringify(deep) });
    expect((await get('deep')).metrics).toEqual({
      depth: 12,
      size: 13,
      terminalCount: 1,
      ruleCount: 12,
      operatorUsage: { sin: 11 },
    });
    const wide = rule('+', ...Array.from({ length: 499 }, (_, index) => terminal(`x${index}`)));
    await store('wide', { bestAstJson: wide });
    const { metrics, ast, infix, ercValues } = await get('wide');
    expect(metrics).toMatchObject({ depth: 1, size: 500, operatorUsage: { '+': 1 } });
    expect(ast.children[498]).toMatchObject({ symbol: 'x498', depth: 1 });
    expect([infix, ercValues]).toEqual(['', []]);
  });

  test('is 404 if the stored value is no tree', async () => {
    const endless = `${'{"kind":"rule","children":['.repeat(3_000)}${']}'.repeat(3_000)}`;
    const faulty = ['', '{}', '[]', '{"kind":"leaf"}', '{"kind":', 7, endless];
    for (const [index, bestAstJson] of faulty.entries()) {
      await store(`faulty${index}`, { bestAstJson });
      expect(await service.getProblem(`/api/runs/faulty${index}/tree`)).toMatchObject({
        status: 404,
      });
    }
    await store('half', { bestAstJson: rule('+', terminal('x'), { kind: 'odd' }) });
    expect(await service.getProblem('/api/runs/half/tree')).toMatchObject({ status: 404 });
  });

  const store = (run_id: string, artifacts: object) =>
    insert(database(), 'runs', {
      run_id,
      experiment_id: 'bare',
      artifacts_json: JSON.stringify(artifacts),
    });
});
