import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type * as z from 'zod';
import { tableDefinitions, tableNames, type TableName } from '#server/db/tables.ts';
import { endpoints, type Endpoint } from '#shared/api.ts';
import { maskings } from '#shared/schemas/masked.ts';
import { describeOnEachDatabase } from '#tests/support/databases.ts';
import { insert } from '#tests/support/rows.ts';
import { startService, type TestService } from '#tests/support/test-service.ts';

type Definition = z.core.$ZodTypeDef & {
  shape?: Record<string, z.ZodType>;
  element?: z.ZodType;
  keyType?: z.ZodType;
  valueType?: z.ZodType;
  innerType?: z.ZodType;
  out?: z.ZodType;
  options?: readonly z.ZodType[];
};

/** Names of fields that contain sentences of the service in some responses, and stored texts in others. */
const ambiguous = new Set([
  'detail',
  'message',
  'name',
  'note',
  'notes',
  'path',
  'problem',
  'reason',
  'source',
  'text',
]);

/**
 * The names of all fields in a schema that are texts, and not marked as possible places of secrets; an ambiguous one
 * with the name of the schema around it.
 */
function unmarkedTexts(
  schema: z.ZodType,
  name: string,
  owner: string,
  seen = new Set<z.ZodType>(),
): string[] {
  if (seen.has(schema) || maskings.has(schema)) return [];
  seen.add(schema);
  const around = schema.meta()?.id ?? owner;
  const { type, shape, element, valueType, innerType, out, options } = schema.def as Definition;
  if (['string', 'unknown', 'any'].includes(type)) {
    return [ambiguous.has(name) ? `${owner}.${name}` : name];
  }
  const inner = [element, valueType, innerType, out, ...(options ?? [])].filter((one) => !!one);
  return [
    ...Object.entries(shape ?? {}).flatMap(([key, field]) =>
      unmarkedTexts(field, key, around, seen),
    ),
    ...inner.flatMap((one) => unmarkedTexts(one, name, around, seen)),
  ];
}

/** The texts of responses that are sent unchanged, by name. */
const plainTexts = {
  ids: `acknowledgedByRunId campaignId configHash countsKey experimentId experimentIds instanceId importId runIds optimizer optimizerId runId id targetId control
    reference references comparedReferenceOptimizer optimizers absent missingFor database databaseIdentity version`,
  wordsThatFiltersAndGroupsGoBy: `algorithmType modelType problemType replacementType representationType selectionType
    stoppingType schemaVersion eventType status scope suite code instance block algorithms ImportResult.name
    ImportResult.source`,
  namesOfGroups:
    'a b algorithm algorithmA algorithmB better betterAlgorithm budgetSetBy group lacking unscaled',
  keysOfParametersMetricsAndFields: `key field series rows title rowName varyingParameters omittedParameters ExperimentAnalysis.name ProblemComparison.name
    RunDetail.name Series.name RunsOverlay.path VaryingParameter.path`,
  times: 'changedAt createdAt importedAt lastActivityAt openedAt startTime',
  sentencesOfTheService: `response heading openapi readOnlyReason AcrossInstanceTest.reason AnalysisNote.message
    DatabaseTest.message Diagnosis.message ExportFormat.reason WatchState.problem Guard.notes Guard.text GuardedPair.message GuardedPair.text
    GuardedSamples.notes Health.note ImportFailure.detail ImportNote.message StopResponse.message VerdictSentence.text`,
  databasesAndFilesThatTheUserNamed: `databaseFile databaseName dataSet dataset file folder host place schema servers user CurrentDatabase.name DataSet.name
    DataSetDeletion.name DataSetDeletionPreview.name ImportState.source`,
};

const plainNames = Object.values(plainTexts).flatMap((names) => names.split(/\s+/));

describe('the schemas of responses', () => {
  test('mark each text that may contain a secret: the others are ids, words, times and sentences of the service', () => {
    const names = Object.values(endpoints as unknown as Record<string, Endpoint>)
      .filter(({ kind = 'json' }) => kind === 'json')
      .flatMap(({ response }) => unmarkedTexts(response, 'response', 'response'));
    expect(names.length).toBeGreaterThan(plainNames.length);
    expect([...new Set(names)].sort()).toEqual(plainNames.sort());
  });
});

/** Columns whose texts are ids, by which rows are found, joined and grouped: they are shown as they are. */
const idColumns = /(_id|_hash|_by_run_id)$|^(optimizer_name|compared_reference_optimizer)$/;

/** Columns of words, which filters, groups and statuses go by, of keys, and of times. */
const wordColumns =
  /(_type|_at|_time|_key|_path_key)$|^(schema_version|section|param_path|status|scope|action|suite|objective_name)$/;

/** Columns of texts in which people and programs write what they like. */
function freeColumns(table: TableName): string[] {
  return Object.entries(tableDefinitions[table].columns).flatMap(([column, type]) =>
    type.startsWith('TEXT') && !idColumns.test(column) && !wordColumns.test(column) ? column : [],
  );
}

describeOnEachDatabase('a password in every text of the database', (database) => {
  const secret = 'hunter-2-of-clubs';
  const address = `postgres://me:${secret}@host/db`;
  let service: TestService;

  /** What is written into a column: what it is for, with a password in it. */
  function planted(table: TableName, column: string): string {
    const json = JSON.stringify({ note: address, password: secret, nested: { token: [secret] } });
    if (column === 'config_json') {
      const problem = {
        type: 'onemax',
        params: { password: secret, url: address, direction: 'max' },
      };
      const representation = { type: 'bitstring', length: 10, note: address };
      return JSON.stringify({
        problem,
        representation,
        run: { name: address },
        dbPassword: secret,
      });
    }
    if (column === 'diagnostics_json') {
      const action = { trigger: address, actionType: address, reason: `password=${secret}` };
      return JSON.stringify({ note: address, adaptiveActions: [action], password: secret });
    }
    if (column === 'artifacts_json') {
      const bestAstJson = {
        kind: 'terminal',
        depth: 0,
        outputType: 'x',
        symbol: address,
        children: [],
      };
      return JSON.stringify({ bestAstJson, bestExpressionInfix: address, password: secret });
    }
    if (column.endsWith('_json')) return json;
    if (column === 'config_yaml') return `password: ${secret}\nnote: ${address}\n`;
    if (table === 'experiment_params') return column === 'value_text' ? secret : json;
    return `it is ${address}, and password=${secret}`;
  }

  const plantedRow = (table: TableName) =>
    Object.fromEntries(freeColumns(table).map((column) => [column, planted(table, column)]));

  beforeAll(async () => {
    await insert(database(), 'experiments', { ...plantedRow('experiments'), experiment_id: 'e1' });
    await insert(database(), 'experiments', {
      ...plantedRow('experiments'),
      experiment_id: 'e2',
      config_hash: 'e2',
      algorithm_type: 'pbil',
      config_json: planted('experiments', 'config_json').replaceAll(secret, `${secret}-too`),
    });
    const paths = ['persistence.password', 'run.note', 'problem.tokens'];
    for (const experiment_id of ['e1', 'e2']) {
      for (const [index, param_path] of paths.entries()) {
        const leaf_key = param_path.split('.')[1];
        const isText = index < 2;
        await insert(database(), 'experiment_params', {
          experiment_id,
          param_path,
          leaf_key,
          value_type: isText ? 'string' : 'json',
          value_text: isText ? [secret, `${address} of ${experiment_id}`][index] : null,
          value_json: isText ? null : JSON.stringify([secret, experiment_id]),
        });
      }
    }
    const states = ['COMPLETED', 'FAILED', 'RUNNING', 'STOPPED'];
    for (const [index, status] of states.entries()) {
      for (const experiment of ['e1', 'e2']) {
        const run_id = `${experiment}-r${index}`;
        const isEnded = status !== 'RUNNING';
        await insert(database(), 'runs', {
          ...plantedRow('runs'),
          run_id,
          experiment_id: experiment,
          status,
          seed: index,
          best_fitness: isEnded ? index : null,
          evaluations: isEnded ? 20 : null,
        });
        for (const iteration of [1, 2]) {
          const row = { run_id, iteration, evaluations: 10 * iteration, best_fitness: iteration };
          await insert(database(), 'iterations', { ...plantedRow('iterations'), ...row });
        }
        if (database().dialect.name === 'sqlite' && experiment === 'e2') {
          // SQLite takes texts in columns of numbers.
          const texts = { iterations: address as never, runtime_millis: `password=${secret}` };
          await database()
            .kysely.updateTable('runs')
            .set(texts)
            .where('run_id', '=', run_id)
            .execute();
        }
        await insert(database(), 'events', { ...plantedRow('events'), run_id });
        await insert(database(), 'checkpoints', { ...plantedRow('checkpoints'), run_id });
        await insert(database(), 'run_objectives', {
          run_id,
          objective_name: 'best_obj_0',
          objective_value: 1,
        });
        await insert(database(), 'control_requests', {
          ...plantedRow('control_requests'),
          target_id: run_id,
        });
      }
    }
    await insert(database(), 'coco_campaigns', {
      ...plantedRow('coco_campaigns'),
      dimensions_json: `[2] ${address}`,
    });
    await insert(database(), 'coco_optimizer_configs', plantedRow('coco_optimizer_configs'));
    for (const [repetition, run_id] of ['e1-r0', 'e2-r0'].entries()) {
      await insert(database(), 'coco_trials', {
        ...plantedRow('coco_trials'),
        run_id,
        repetition,
        optimizer_id: `o${repetition + 1}`,
      });
    }
    await insert(database(), 'coco_aggregates', plantedRow('coco_aggregates'));
    await insert(database(), 'coco_reference_results', plantedRow('coco_reference_results'));
    const value = {
      displayName: `${address} me`,
      tags: [`password=${secret}`],
      note: `${address}\ntoken: ${secret}`,
    };
    await database().dialect.withWriteTransaction((transaction) =>
      database().dialect.documents.replace(transaction, () => [
        { kind: 'run', id: 'e1-r0', version: '1', value },
        { kind: 'experiment', id: 'e1', version: '1', value },
        { kind: 'algorithm', id: 'umda', version: '1', value },
      ]),
    );
    service = await startService(database(), { isInThisThread: true });
  });
  afterAll(() => service.close());

  test('is in every table', async () => {
    const empty: string[] = [];
    for (const table of tableNames) {
      const rows = await database().kysely.selectFrom(table).selectAll().execute();
      const isPlanted = JSON.stringify(rows).includes(secret) || freeColumns(table).length === 0;
      if (rows.length === 0 || !isPlanted) empty.push(table);
    }
    expect(empty).toEqual([]);
  });

  const ids: Record<string, string> = {
    runId: 'e1-r0',
    experimentId: 'e1',
    problemType: 'onemax',
    campaignId: 'c1',
    iteration: '1',
    id: '1',
    kind: 'run',
    subjectId: 'e1-r0',
    name: 'none',
    importId: 'none',
  };
  const queries: Record<string, string[]> = {
    overlayRuns: ['run=e1-r0&run=e2-r0&run=e1-r2'],
    overlayTelemetry: ['run=e1-r0&run=e2-r0&series=best'],
    listRuns: ['params=persistence.password,run.note,problem.tokens', 'sortBy=param:run.note'],
    listExperiments: ['params=persistence.password,run.note,problem.tokens&figures=true'],
    listEvents: ['previewBytes=70', 'q=note'],
    listIterations: ['fields=scalars'],
    compareProblem: ['groupBy=experiment', 'groupBy=configuration', 'target=1'],
    exportProblemComparison: ['groupBy=experiment', 'target=1'],
    compareAcross: ['groupBy=experiment'],
    exportAcross: ['groupBy=experiment'],
    countRunsNeeded: [''],
  };
  const found = Object.entries(endpoints as unknown as Record<string, Endpoint>).filter(
    ([, { method, kind }]) => method === 'get' && kind !== 'events',
  );
  const exportIds: typeof ids = { ...ids, kind: 'experiment', subjectId: 'e1' };
  const requests = found.flatMap(([name, { path, csv = {} }]) => {
    const own = path.startsWith('/api/export/') ? exportIds : ids;
    const place = path.replaceAll(/\{(\w+)\}/g, (_, id: string) => own[id] ?? 'none');
    const chosen = queries[name] ?? [];
    const asked = name.startsWith('overlay') ? chosen : ['', ...chosen];
    const tables = Object.keys(csv).map((table) => `format=csv&table=${table}`);
    return [
      ...asked.map((query) => `${place}?${query}`),
      ...tables.map((table) => `${place}?${[asked.at(-1), table].filter(Boolean).join('&')}`),
    ];
  });

  test('is in no response of any endpoint in any format', async () => {
    const leaks: string[] = [];
    const statuses = new Map<number, string[]>();
    for (const request of new Set(requests)) {
      const response = await fetch(service.url + request);
      const text = await response.text();
      if (text.includes(secret))
        leaks.push(
          `${request}: ${text.slice(Math.max(0, text.indexOf(secret) - 80), text.indexOf(secret) + 30)}`,
        );
      statuses.set(response.status, [...(statuses.get(response.status) ?? []), request]);
    }
    expect(leaks).toEqual([]);
    expect(statuses.get(400) ?? []).toEqual([]);
    expect(statuses.get(500) ?? []).toEqual([]);
    expect(statuses.get(200)?.length).toBeGreaterThan(80);
  }, 60_000);
});
