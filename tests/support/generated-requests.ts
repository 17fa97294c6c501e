import fc from 'fast-check';

/** A request that a test sends unchanged. */
export interface GeneratedRequest {
  method: string;
  path: string;
  headers: Record<string, string>;
  body: string | undefined;
}

type Schema = Record<string, unknown>;

interface Operation {
  parameters?: { name: string; in: string; schema: Schema }[];
  requestBody?: { content: Record<string, { schema: Schema }> };
}

/** The used fields of an OpenAPI document. */
export interface OpenApiDocument {
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, Schema> };
}

const hostileText = fc.constantFrom(
  '',
  "'",
  '"; drop table runs; --',
  '%',
  '_',
  '\\',
  '[',
  '*',
  '../../etc/passwd',
  '%00',
  '\0',
  '\u2028',
  '{"$gt":""}',
  '1e309',
  '-0',
  '9223372036854775808',
  '-9223372036854775809',
  '9007199254740992',
  '1'.repeat(400),
  'NaN',
  '__proto__',
  'constructor',
  'r1',
  'e1',
  '1',
  '2026-02-30',
  '9999-12-31T23:59:59-14:00',
  '0000-01-01',
  '\ud800',
);

const anyText = fc.oneof(
  hostileText,
  fc.string({ unit: 'binary', maxLength: 60 }),
  fc.string({ maxLength: 60 }),
);

/** Text in a URL: encoded, or unencoded as broken clients send it. */
const urlText = fc.tuple(anyText, fc.boolean()).map(([value, isRaw]) => {
  const wellFormedText = value.toWellFormed();
  return isRaw
    ? wellFormedText.replace(/[^\x21-\x7e]|[?#]/gu, (character) => encodeURIComponent(character))
    : encodeURIComponent(wellFormedText);
});

/** Values of parameters that select rows: those of the default rows in `rows.ts`. */
const storedIds = new Map<string, readonly string[]>([
  ['runId', ['r1']],
  ['run', ['r1', 'r2']],
  ['experimentId', ['e1']],
  ['campaignId', ['c1']],
  ['campaign', ['c1']],
  ['problemType', ['onemax']],
  ['subjectId', ['c1', 'e1', 'onemax', 'r1', 'umda']],
  ['id', ['1']],
  ['iteration', ['1']],
]);

const makeNested = (depth: number) => `${'['.repeat(depth)}${']'.repeat(depth)}`;

/** JSON that matches no schema. */
const oddJson = fc.oneof(
  fc.jsonValue(),
  hostileText,
  fc.constantFrom<unknown>(
    { toString: 1, valueOf: 1 },
    [{ toString: null }],
    { constructor: { prototype: 1 } },
    { length: 1e9 },
    JSON.parse('{"__proto__":{"toString":1}}'),
    JSON.parse(makeNested(500)),
  ),
);

const oddBody = fc.constantFrom(
  '',
  '{',
  'null',
  '1e999',
  makeNested(20_000),
  '['.repeat(50_000),
  '\ufeff{}',
);

/** Matches a body that imports an absolute path such as `/`, the whole disk of this machine, or the sample campaign. */
const expensiveImport = /"path":\s*"\/|"sample":\s*true/;

/** Returns requests to every operation of the document. Most of them are valid except for some values. */
export function generateRequests(document: OpenApiDocument): fc.Arbitrary<GeneratedRequest> {
  const operations = Object.entries(document.paths)
    .filter(([path]) => path !== '/api/changes')
    .flatMap(([path, byMethod]) =>
      Object.entries(byMethod).map(([method, operation]) => ({ path, method, operation })),
    );
  return fc.constantFrom(...operations).chain(({ path, method, operation }) => {
    const [type, { schema } = {}] = Object.entries(operation.requestBody?.content ?? {})[0] ?? [];
    const verb = method.toUpperCase();
    return fc.record({
      method: fc.oneof(
        { weight: 9, arbitrary: fc.constant(verb) },
        { weight: 1, arbitrary: fc.constantFrom('GET', 'HEAD', 'POST', 'DELETE', 'PUT', 'PATCH') },
      ),
      path: fc
        .tuple(getPath(path, operation, document), getQuery(operation, document))
        .map((parts) => parts.join('?')),
      headers: getHeaders(type),
      body:
        schema === undefined
          ? fc.constant(undefined)
          : getBody(schema, document).filter((body) => !expensiveImport.test(body ?? '')),
    });
  });
}

/** Returns headers with the content type of the body, by default JSON, and some odd ones. */
function getHeaders(type = 'application/json'): fc.Arbitrary<Record<string, string>> {
  return fc.oneof(
    {
      weight: 4,
      arbitrary: fc.constant<Record<string, string>>({ 'content-type': type }),
    },
    {
      weight: 1,
      arbitrary: fc.constantFrom<Record<string, string>>(
        {},
        { cookie: 'evoscope-1=%' },
        { 'if-none-match': '*' },
        { 'content-type': 'text/plain' },
        { 'content-type': `${type}; charset=utf-7` },
        { 'content-type': type, 'content-encoding': 'gzip' },
        { 'accept-encoding': 'br;q=x, gzip;q=2' },
        { range: 'bytes=0-1' },
      ),
    },
  );
}

function getPath(
  path: string,
  operation: Operation,
  document: OpenApiDocument,
): fc.Arbitrary<string> {
  const parameters = (operation.parameters ?? []).filter((one) => one.in === 'path');
  const values = parameters.map(({ name, schema }) =>
    fc.oneof(
      { weight: 4, arbitrary: getStoredValue(name, schema, document).map(encodeInUrl) },
      { weight: 1, arbitrary: urlText.filter((text) => text !== '') },
    ),
  );
  return fc.tuple(...values).map((texts) =>
    parameters.reduce((text, { name }, index) => {
      const value = texts[index] ?? '';
      return text.replace(`{${name}}`, () => value);
    }, path),
  );
}

function getStoredValue(
  name: string,
  schema: Schema,
  document: OpenApiDocument,
): fc.Arbitrary<unknown> {
  const ids = storedIds.get(name);
  return ids === undefined ? getLikelyValue(schema, document) : fc.constantFrom(...ids);
}

function getQuery(operation: Operation, document: OpenApiDocument): fc.Arbitrary<string> {
  const parameters = (operation.parameters ?? []).filter((one) => one.in === 'query');
  const unknownParameter: { name: string; schema: Schema } = { name: '__proto__', schema: {} };
  const pairs = [...parameters, unknownParameter].map(({ name, schema }) => {
    const likelyTexts = getStoredValues(name, schema, document).map((values) =>
      values.map(encodeInUrl),
    );
    const texts = fc
      .oneof(
        { weight: 6, arbitrary: likelyTexts },
        { weight: 1, arbitrary: urlText.map((text) => [text]) },
      )
      .map((values) => values.map((text) => `${name}=${text}`));
    return { texts, isRequired: schema['minItems'] !== undefined };
  });
  const getTexts = (areRequired: boolean) =>
    pairs.filter(({ isRequired }) => isRequired === areRequired).map(({ texts }) => texts);
  return fc
    .tuple(fc.tuple(...getTexts(true)), fc.array(fc.oneof(...getTexts(false)), { maxLength: 4 }))
    .map((texts) => texts.flat(2).join('&'));
}

/** Returns likely values of a parameter: several if it may be repeated. */
function getStoredValues(
  name: string,
  schema: Schema,
  document: OpenApiDocument,
): fc.Arbitrary<unknown[]> {
  if (schema['type'] !== 'array')
    return getStoredValue(name, schema, document).map((value) => [value]);
  const ids = storedIds.get(name);
  const { items = {}, minItems = 1 } = schema as { items?: Schema; minItems?: number };
  if (ids !== undefined) return fc.subarray([...ids], { minLength: minItems });
  return fc.array(getLikelyValue(items, document), { minLength: 1, maxLength: 3 });
}

function encodeInUrl(value: unknown): string {
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
  return encodeURIComponent(text.toWellFormed());
}

function getBody(schema: Schema, document: OpenApiDocument): fc.Arbitrary<string | undefined> {
  return fc.oneof(
    { weight: 8, arbitrary: getValue(schema, document).map((value) => JSON.stringify(value)) },
    { weight: 2, arbitrary: oddJson.map((value) => JSON.stringify(value)) },
    { weight: 1, arbitrary: oddBody },
  );
}

/** Returns values that match a schema, except for some odd ones at any position. */
function getValue(schema: Schema, document: OpenApiDocument): fc.Arbitrary<unknown> {
  const likelyValue = getLikelyValue(schema, document);
  return fc.oneof({ weight: 6, arbitrary: likelyValue }, { weight: 1, arbitrary: oddJson });
}

function getLikelyValue(schema: Schema, document: OpenApiDocument): fc.Arbitrary<unknown> {
  const {
    $ref,
    const: onlyValue,
    enum: values,
    oneOf,
    anyOf = oneOf,
    type,
    properties,
    items,
  } = schema as {
    $ref?: string;
    const?: unknown;
    enum?: unknown[];
    oneOf?: Schema[];
    anyOf?: Schema[];
    type?: string | string[];
    properties?: Record<string, Schema>;
    items?: Schema;
  };
  if ($ref !== undefined) {
    return getLikelyValue(
      document.components.schemas[$ref.split('/').at(-1) ?? ''] ?? {},
      document,
    );
  }
  if (onlyValue !== undefined) return fc.constant(onlyValue);
  if (values !== undefined) return fc.constantFrom(...values);
  if (Array.isArray(type)) {
    return fc.oneof(...type.map((one) => getLikelyValue({ ...schema, type: one }, document)));
  }
  if (anyOf !== undefined) return fc.oneof(...anyOf.map((one) => getValue(one, document)));
  if (properties !== undefined) {
    const fields = Object.entries(properties).map(([name, one]) => [name, getValue(one, document)]);
    return fc.record(Object.fromEntries(fields) as Record<string, fc.Arbitrary<unknown>>, {
      requiredKeys: [],
    });
  }
  if (type === 'array') return fc.array(getValue(items ?? {}, document), { maxLength: 5 });
  if (type === 'null') return fc.constant(null);
  if (type === 'boolean') return fc.boolean();
  if (type === 'integer') return fc.oneof(fc.nat(30), fc.integer());
  if (type === 'number') return fc.double();
  return anyText;
}
