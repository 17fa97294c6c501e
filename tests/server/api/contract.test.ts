import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import * as z from 'zod';
import type { Page } from '#shared/schemas/common.ts';
import type { RunItem } from '#shared/schemas/run.ts';
import { tableNames } from '#server/db/tables.ts';
import { describeOnEachDatabase, type TestDatabase } from '#tests/support/databases.ts';
import { findArchive } from '#tests/support/import-data.ts';
import { importThrough } from '#tests/support/imports.ts';
import { whySkipped } from '#tests/support/long.ts';
import { loadSample } from '#tests/support/sample.ts';
import { sendRawRequest, startService, type TestService } from '#tests/support/test-service.ts';

type Schema = Record<string, unknown>;

interface Parameter {
  name: string;
  in: 'path' | 'query';
  schema: Schema;
}

interface Operation {
  operationId: string;
  parameters?: Parameter[];
  responses: Record<string, ResponseBody | { $ref: string }>;
}

interface ResponseBody {
  content: Record<string, { schema: Schema }>;
}

interface Document {
  openapi: string;
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, Schema>; responses: Record<string, ResponseBody> };
}

/** Values of each kind of parameter that a server accepts or refuses, beyond what its schema enumerates. */
const valuesByName: Record<string, { needed?: string[]; valid: string[]; invalid: string[] }> = {
  runId: { valid: ['xor3-umda-r01'], invalid: ['x'.repeat(1_025), '%E0%A4%A'] },
  experimentId: { valid: [''], invalid: ['x'.repeat(1_025), '%E0%A4%A'] },
  importId: { valid: [''], invalid: ['x'.repeat(1_025), '%E0%A4%A'] },
  name: { valid: ['a table'], invalid: ['x'.repeat(1_025), '%E0%A4%A'] },
  campaignId: { valid: ['bbob-small'], invalid: ['x'.repeat(1_025), '%E0%A4%A'] },
  functionId: { valid: ['1', '-8', '', ' '], invalid: ['x', '1.5', '99999999999'] },
  dimension: { valid: ['2', '40', '', ' '], invalid: ['x', '1.5', '99999999999'] },
  targets: { valid: ['1', '10,1,1e-8', '2..-8:51', ''], invalid: ['x', '1..2', '2..-8:501'] },
  budget: { valid: ['1', '1e6', ''], invalid: ['x', '0', '-1'] },
  problemType: { valid: ['onemax', 'sphere'], invalid: ['x'.repeat(1_025), '%E0%A4%A'] },
  campaign: { valid: ['bbob-small', ''], invalid: ['none', 'a\0b'] },
  control: { valid: ['umda', ''], invalid: ['none'] },
  instance: { valid: ['', ' '], invalid: ['none', 'a\0b'] },
  run: {
    needed: ['xor3-umda-r01', 'ckpt-umda'],
    valid: ['onemax40-pbil-r01', 'onemax40-pbil-r02'],
    invalid: ['nobody', 'a\0b', 'x'.repeat(1_025), 'xor3-umda-r01'],
  },
  series: { valid: ['diversity', 'entropy', ''], invalid: [] },
  reference: { valid: ['xor3-umda-r01', ''], invalid: ['nobody'] },
  points: { valid: ['2', '2000', ''], invalid: ['1', '2001', 'x'] },
  iteration: { valid: ['12', '3'], invalid: ['x', '1.5', '1'.repeat(20)] },
  id: { valid: [], invalid: ['x', '1'.repeat(20), '-1'] },
  q: { valid: ['', 'onemax', '%', '_', "'"], invalid: ['x'.repeat(201), 'a\0b'] },
  from: { valid: ['2026-11-21', '2026-11-21T10:00:00.5Z'], invalid: ['x', '2026-13-01'] },
  to: { valid: ['2026-11-21', '2026-11-21T10:00Z'], invalid: ['x', '2026-02-30'] },
  trials: { valid: ['include', 'exclude', 'only'], invalid: ['some'] },
  params: { valid: ['algorithm.populationSize,x'], invalid: [Array.from(Array(21).keys()).join()] },
  fields: { valid: ['all', 'scalars'], invalid: ['some'] },
  param: {
    valid: [
      'algorithm.populationSize > 50',
      'populationSize = [50, 100]',
      'problem.type ~ max',
      'nothing != x',
      '',
    ],
    invalid: [
      'populationSize',
      '> 5',
      'populationSize >',
      'populationSize < x',
      'type = a',
      'a = [',
    ],
  },
  effect: { valid: ['0.71', '0.64', ''], invalid: ['x', '1', '0.5'] },
  power: { valid: ['0.9', ''], invalid: ['x', '0', '1'] },
  alpha: { valid: ['0.01', ''], invalid: ['x', '0', '0.5'] },
  p1: { valid: ['0.9', '0', ''], invalid: ['x', '2'] },
  p2: { valid: ['0.9', '0', ''], invalid: ['x', '2'] },
  pairs: { valid: ['3', ''], invalid: ['x', '0'] },
  tag: { valid: ['a', ''], invalid: ['a\0b'] },
  kind: { valid: ['algorithm'], invalid: ['none'] },
  subjectId: { valid: ['umda'], invalid: ['x'.repeat(1_025), '%E0%A4%A'] },
  sortDir: { valid: ['asc', 'DESC', 'x'], invalid: [] },
};

/** Other parameters that a value of a parameter requires. */
const companions: Record<string, readonly string[]> = { 'measure=success': ['p1=0.9', 'p2=0.5'] };

/** They ask for everything of every run. */
const patient = { timeout: 240_000 };

describeOnEachDatabase('The OpenAPI document', (database, engine) => {
  let service: TestService;
  let document: Document;
  /** What its schemas refer to. */
  let definitions: unknown;
  let folder: string;

  beforeAll(async () => {
    await loadSample(database());
    folder = mkdtempSync(join(tmpdir(), 'evoscope-contract-'));
    service = await startService(database(), {
      choosingRules: { folder, servers: [] },
      // On the other database, every operation passes its thread.
      isInThisThread: engine === 'postgres',
    });
    document = await service.get<Document>('/api/openapi.json');
    definitions = inZod(document.components.schemas);
    const events = await service.get<{ items: { id: number }[] }>(
      `/api/runs/${valuesByName['runId']?.valid[0]}/events?size=1`,
    );
    const runs = await service.get<{ items: { experimentId: string }[] }>('/api/runs?q=onemax40');
    const table = join(folder, 'a.csv');
    writeFileSync(table, 'evaluations,best\n1,5\n9,2\n');
    await importThrough(service, { path: table }, 'name=a+table&direction=min');
    const dryRun = await importThrough(
      service,
      { path: findArchive('coco-gen-toy')! },
      'dryRun=true',
    );
    valuesByName['importId']?.valid.splice(0, 1, dryRun.importId);
    valuesByName['experimentId']?.valid.splice(0, 1, runs.items[0]?.experimentId ?? '');
    const { instances } = await service.get<{ instances: { id: string }[] }>(
      '/api/analysis/problem/onemax',
    );
    valuesByName['instance']?.valid.splice(0, 1, instances[0]?.id ?? '');
    valuesByName['id']?.valid.splice(0, 1, String(events.items[0]?.id));
  });

  afterAll(async () => {
    await service.close();
    rmSync(folder, { recursive: true });
  });

  const operations = () =>
    Object.entries(document.paths).flatMap(([path, item]) =>
      Object.entries(item).map(([method, operation]) => ({ path, method, operation })),
    );

  test('is OpenAPI 3.1 and names every operation', () => {
    expect(document.openapi).toMatch(/^3\.1\./);
    expect(operations().map(({ operation }) => operation.operationId)).toEqual(
      expect.arrayContaining(['listRuns', 'getRun', 'listIterations', 'getHealth']),
    );
    expect(operations().length).toBeGreaterThanOrEqual(15);
  });

  /** Sends the requests of all reading operations that {@link getRequests} marks as further ones, or all others. */
  async function walk(areFurther: boolean): Promise<void> {
    const before = await fingerprint(database());
    let requests = 0;
    for (const { path, method, operation } of operations().filter(isIndependent)) {
      for (const { url, isValid, isFurther = false } of getRequests(path, operation)) {
        if (isFurther !== areFurther) continue;
        const answer = await send(method, url, operation);
        const where = `${method} ${url.slice(0, 200)}`;
        if (isValid) expect(answer.status, where).toBe(200);
        else expect([400, 404], where).toContain(answer.status);
        expectToFit(answer, operation, where);
        requests += 1;
      }
    }
    expect(requests).toBeGreaterThan(100);
    expect(await fingerprint(database())).toBe(before);
  }

  test(
    'describes the responses of every reading operation to a valid and an invalid value of each parameter',
    patient,
    () => walk(false),
  );

  // Other tests send the values that the statements of each database depend on.
  test.skipIf(whySkipped)(
    `describes the responses of every reading operation to each further value of each parameter${whySkipped}`,
    patient,
    () => walk(true),
  );

  test('describes the responses of every writing operation to valid and invalid calls', async () => {
    const running = await service.get<{ experimentId: string }>('/api/runs/long-rastrigin-r02');
    const active = running.experimentId;
    const idle = valuesByName['experimentId']?.valid[0] ?? '';
    const calls: Record<string, [id: string, body: unknown, status: number][]> = {
      'post /api/runs/{runId}/stop': [
        ['long-rastrigin-r02', { reason: 'enough' }, 200],
        ['long-rastrigin-r02', undefined, 200],
        ['long-rastrigin-r02', { reason: 7 }, 400],
        ['ckpt-umda', undefined, 409],
        ['nobody', undefined, 404],
      ],
      'post /api/experiments/{experimentId}/stop': [
        [active, { reason: null }, 200],
        [active, { reason: 'x'.repeat(1001) }, 400],
        [idle, undefined, 409],
        ['nobody', undefined, 404],
      ],
      'post /api/experiments/delete-bulk': [
        ['', { experimentIds: [active, 'nobody'] }, 200],
        ['', { experimentIds: [] }, 400],
        ['', undefined, 400],
      ],
      'delete /api/experiments/{experimentId}': [
        [active, undefined, 409],
        ['nobody', undefined, 404],
        ['x'.repeat(1_025), undefined, 400],
        [idle, undefined, 200],
      ],
      'post /api/databases/test': [
        ['', { file: 'nothing-there.db' }, 200],
        ['', { url: 'postgres://localhost/x' }, 403],
        ['', {}, 400],
      ],
      'post /api/databases/open': [
        ['', { file: 'nothing-there.db' }, 409],
        ['', { file: '../elsewhere.db' }, 403],
        ['', { file: 'a.db', url: 'b.db' }, 400],
        ['', { file: 'no-such-folder/a.db', create: true }, 422],
      ],
      'post /api/databases/sample': [
        ['', { file: '../elsewhere.db' }, 403],
        ['', {}, 400],
      ],
      'put /api/annotations/{kind}/{subjectId}': [
        ['algorithm', { version: null, note: 'promising', tags: ['a'] }, 200],
        ['algorithm', { version: null, note: 'another' }, 409],
        ['algorithm', { note: 'without a version' }, 400],
        ['run', { version: null }, 404],
        ['none', { version: null }, 400],
      ],
      // Recording is off in this service, and lines are no JSON.
      'post /api/record': [['', {}, 415]],
      'delete /api/annotations/{kind}/{subjectId}': [['algorithm', undefined, 400]],
      'delete /api/datasets/{name}': [
        ['nobody', undefined, 404],
        ['x'.repeat(1_025), undefined, 400],
        ['a table', undefined, 200],
        ['a table', undefined, 404],
      ],
      'delete /api/import/{importId}': [
        [valuesByName['importId']?.valid[0] ?? '', undefined, 200],
        ['nobody', undefined, 404],
        ['x'.repeat(1_025), undefined, 400],
      ],
      'delete /api/coco/campaigns/{campaignId}': [
        ['nobody', undefined, 404],
        ['x'.repeat(1_025), undefined, 400],
        ['bbob-small', undefined, 200],
        ['bbob-small', undefined, 404],
      ],
      'post /api/runs/{runId}/settle': [
        ['long-rastrigin-r02', { reason: 7 }, 400],
        ['ckpt-umda', undefined, 409],
        ['nobody', undefined, 404],
        ['long-rastrigin-r02', { reason: 'its machine was switched off' }, 200],
        ['long-rastrigin-r02', undefined, 409],
      ],
      // Last, since no other database is opened during an import.
      'post /api/import': [
        ['', { path: '/nothing/there' }, 202],
        ['', { path: 'relative' }, 400],
        ['', undefined, 415],
      ],
    };
    const writing = operations().filter((operation) => !isReading(operation));
    expect(Object.keys(calls).sort()).toEqual(
      writing.map(({ method, path }) => `${method} ${path}`).sort(),
    );
    for (const [name, sent] of Object.entries(calls)) {
      const found = writing.find(({ method, path }) => `${method} ${path}` === name);
      if (!found) throw new Error(`${name} is not in the document`);
      const { path, method, operation } = found;
      for (const [id, body, status] of sent) {
        const url = path.replace(/\{\w+\}/, encodeURIComponent(id));
        const answer = await send(method, url, operation, body);
        const where = `${method} ${url.slice(0, 200)}`;
        expect(answer.status, where).toBe(status);
        expectToFit(answer, operation, where);
      }
    }
  });

  test(
    'describes no operation whose response contains the password that the runner stored',
    patient,
    async () => {
      const runs = await service.get<Page<RunItem>>('/api/runs?size=200');
      // Runs of one experiment have one configuration.
      const ofEach = [...Map.groupBy(runs.items, ({ experimentId }) => experimentId).values()];
      const reading = operations().filter(isReading);
      const compared = ofEach.slice(0, 20).map(([run]) => `run=${encodeURIComponent(run!.runId)}`);
      const getCalls = (path: string) => {
        if (path.includes('{runId}')) {
          const ids = ofEach.map(([run]) => encodeURIComponent(run!.runId));
          return ids.map((id) => path.replace('{runId}', id).replace(/\{\w+\}/, '1'));
        }
        if (path === '/api/analysis/runs') return [`${path}?${compared.join('&')}`];
        if (path === '/api/analysis/runs/telemetry')
          return [`${path}?${compared.join('&')}&series=best`];
        return [
          `${path.replace('{campaignId}', 'bbob-small')}?params=persistence.database.password,persistence,persistence.database`,
        ];
      };
      for (const { path, operation } of reading.filter((one) => one.path !== '/api/changes')) {
        const isTable = 'text/csv' in getContent(operation, 200);
        // A response without a table is JSON, even if CSV is requested.
        const accepted = isTable ? ['application/json', 'text/csv'] : ['application/json'];
        for (const url of getCalls(path)) {
          for (const accept of accepted) {
            const { body } = await sendRawRequest(service, url, { headers: { accept } });
            expect(body.includes('runner-pw'), `${url} as ${accept}`).toBe(false);
          }
        }
      }
      for (const q of ['runner-pw', 'pw-not-secret', 'not-secret']) {
        expect(await service.get(`/api/runs?q=${q}`)).toMatchObject({ total: 0 });
      }
    },
  );

  /** Generates requests with each value of each parameter; `isFurther`: neither the first valid nor the first invalid one. */
  function* getRequests(
    path: string,
    operation: Operation,
  ): Generator<{ url: string; isValid: boolean; isFurther?: boolean }> {
    const parameters = operation.parameters ?? [];
    const first = (parameter: Parameter) => getValues(parameter).valid[0] ?? '';
    const filled = parameters.reduce(
      (url, parameter) =>
        parameter.in === 'path'
          ? url.replace(`{${parameter.name}}`, encodeURIComponent(first(parameter)))
          : url,
      path,
    );
    // Required repeated parameters are in every call, together with the parameter under test.
    const needed = parameters.flatMap(({ name, schema }) =>
      Array.from({ length: Number(schema['minItems'] ?? 0) }, (_, index) =>
        [name, encodeURIComponent(valuesByName[name]?.needed?.[index] ?? '')].join('='),
      ),
    );
    const withQuery = (...pairs: string[]) => {
      const query = [...needed, ...pairs].join('&');
      return query === '' ? filled : `${filled}?${query}`;
    };
    yield { url: withQuery(), isValid: true };
    for (const parameter of parameters) {
      const { valid, invalid } = getValues(parameter);
      const withValue = (value: string) =>
        parameter.in === 'path'
          ? filled.replace(
              encodeURIComponent(first(parameter)),
              value.startsWith('%') ? value : encodeURIComponent(value),
            )
          : withQuery(
              `${parameter.name}=${encodeURIComponent(value)}`,
              ...(companions[`${parameter.name}=${value.toLowerCase()}`] ?? []),
            );
      for (const [index, value] of valid.entries()) {
        yield { url: withValue(value), isValid: true, isFurther: index > 0 };
      }
      for (const [index, value] of invalid.entries()) {
        yield { url: withValue(value), isValid: false, isFurther: index > 0 };
      }
      if (parameter.in === 'query') {
        const isList = parameter.schema['type'] === 'array';
        const again = encodeURIComponent(valid[1] ?? valid[0] ?? 'x');
        yield {
          url: `${withValue(valid[0] ?? 'x')}&${parameter.name}=${again}`,
          isValid: isList,
        };
      }
    }
  }

  async function send(method: string, url: string, operation: Operation, sent?: unknown) {
    const type = Object.keys(getContent(operation, 200))[0];
    if (type === 'text/event-stream') return readFirstEvent(url);
    const { status, headers, body } = await sendRawRequest(service, url, {
      method: method.toUpperCase(),
      ...(sent !== undefined && {
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(sent),
      }),
    });
    return { status, type: headers['content-type'] ?? '', text: body.toString() };
  }

  async function readFirstEvent(url: string) {
    const response = await fetch(`${service.url}${url}`);
    const chunks = response.body?.pipeThrough(new TextDecoderStream()) ?? [];
    let text = '';
    for await (const chunk of chunks) {
      text += chunk;
      if (text.includes('\n\n')) break;
    }
    const data = /^data: (.*)$/m.exec(text)?.[1] ?? '';
    return {
      status: response.status,
      type: response.headers.get('content-type') ?? '',
      text: response.ok ? data : text,
    };
  }

  /** Schemas of the responses of an operation with this status, by media type; empty without such a response. */
  function getContent({ responses }: Operation, status: number): ResponseBody['content'] {
    const answer = responses[String(status)];
    if (answer === undefined || 'content' in answer) return answer?.content ?? {};
    return document.components.responses[answer.$ref.split('/').at(-1) ?? '']?.content ?? {};
  }

  function expectToFit(
    answer: { status: number; type: string; text: string },
    operation: Operation,
    where: string,
  ): void {
    const content = getContent(operation, answer.status);
    const type = answer.type.split(';')[0] ?? '';
    expect(Object.keys(content), where).toContain(type);
    const isText = type.startsWith('text/') && type !== 'text/event-stream';
    const isFile = type === 'application/vnd.apache.parquet';
    const value: unknown = isText || isFile ? answer.text : JSON.parse(answer.text);
    const result = validator(content[type]?.schema ?? {}).safeParse(value);
    expect(result.error?.issues ?? [], where).toEqual([]);
  }

  const validators = new Map<Schema, z.ZodType>();

  /** The document's own schema, with what it refers to. */
  function validator(schema: Schema): z.ZodType {
    const known = validators.get(schema);
    if (known) return known;
    const made = z.fromJSONSchema({ ...inZod(schema), $defs: definitions } as never);
    validators.set(schema, made);
    return made;
  }
});

/** A schema of the document with its references as in a separate JSON Schema. */
function inZod(schema: Schema): Schema {
  const text = JSON.stringify(schema).replaceAll('#/components/schemas/', '#/$defs/');
  return JSON.parse(text) as Schema;
}

function isReading({ method }: { method: string }): boolean {
  return method === 'get';
}

/** The parameters of an export depend on the kind of its subject: export.test.ts tests them. */
function isIndependent(operation: { method: string; path: string }): boolean {
  return isReading(operation) && !operation.path.startsWith('/api/export/');
}

function getValues({ name, schema }: Parameter): { valid: string[]; invalid: string[] } {
  const known = valuesByName[name];
  if (known) return known;
  const words = getWords(schema);
  if (words) return { valid: [...words, String(words[0]).toUpperCase()], invalid: ['nothing'] };
  if (schema['type'] === 'boolean') {
    return { valid: ['true', 'FALSE', ''], invalid: ['1', 'yes'] };
  }
  if (schema['type'] === 'integer') {
    return {
      valid: ['1', '+2', ' 3 ', '1048576'],
      invalid: ['x', '1.5', '99999999999999999999', 'NaN'],
    };
  }
  if (schema['type'] === 'number') {
    return {
      valid: ['1', '-1.5', '1e-300', ''],
      invalid: ['x', '1e999', 'NaN', 'Infinity', '0x10'],
    };
  }
  return { valid: ['umda', ' UMDA ', '', '%', "';--"], invalid: ['a\0'] };
}

/** The words that a parameter is limited to, itself or as an item of its list; a pattern gives none. */
function getWords(schema: Schema): string[] | undefined {
  const inner = [schema['items'], ...((schema['anyOf'] as Schema[] | undefined) ?? [])];
  const found = [schema, ...inner].find((part) =>
    Array.isArray((part as Schema | undefined)?.['enum']),
  );
  return (found as Schema | undefined)?.['enum'] as string[] | undefined;
}

/** A digest of every row of every table. */
async function fingerprint(database: TestDatabase): Promise<string> {
  const hash = createHash('sha256');
  for (const table of tableNames) {
    const rows = await database.kysely.selectFrom(table).selectAll().execute();
    const lines = rows.map((row) => JSON.stringify(row)).sort();
    hash.update(`${table}:${lines.join('\n')}`);
  }
  return hash.digest('hex');
}

describe('The walk itself', () => {
  test('finds a response that its schema rejects', () => {
    const schema = z.fromJSONSchema({
      type: 'object',
      properties: { a: { type: 'number' } },
      required: ['a'],
    });
    expect(schema.safeParse({ b: 1 }).success).toBe(false);
  });
});
