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

/** Matches a body with an absolute path such as `/`, which would import the whole disk of this machine. */
const absolutePath = /"path":\s*"\//;

/** Returns requests to every operation of the document. Most of them are valid except for some values. */
export function generateRequests(document: OpenApiDocument): fc.Arbitrary<GeneratedRequest> {
  const operations = Object.entries(document.paths)
    .filter(([path]) => path !== '/api/changes')
    .flatMap(([path, byMethod]) =>
      Object.entries(byMethod).map(([method, operation]) => ({ path, method, operation })),
    );
  return fc.constantFrom(...operations).chain(({ path, method, operation }) => {
    const schema = Object.values(operation.requestBody?.content ?? {})[0]?.schema;
    const verb = method.toUpperCase();
    return fc.record({
      method: fc.oneof(
        { weight: 9, arbitrary: fc.constant(verb) },
        { weight: 1, arbitrary: fc.constantFrom('GET', 'HEAD', 'POST', 'DELETE', 'PUT', 'PATCH') },
      ),
      path: fc.tuple(getPath(path), getQuery(operation, document)).map((parts) => parts.join('?')),
      headers: headerSets,
      body:
        schema === undefined
          ? fc.constant(undefined)
          : getBody(schema, document).filter((body) => !absolutePath.test(body ?? '')),
    });
  });
}

const headerSets = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.constant<Record<string, string>>({ 'content-type': 'application/json' }),
  },
  {
    weight: 1,
    arbitrary: fc.constantFrom<Record<string, string>>(
      {},
      { cookie: 'evoscope-1=%' },
      { 'if-none-match': '*' },
      { 'content-type': 'text/plain' },
      { 'content-type': 'application/json; charset=utf-7' },
      { 'content-type': 'application/json', 'content-encoding': 'gzip' },
      { 'accept-encoding': 'br;q=x, gzip;q=2' },
      { range: 'bytes=0-1' },
    ),
  },
);

function getPath(path: string): fc.Arbitrary<string> {
  return fc
    .array(urlText, { minLength: 2, maxLength: 2 })
    .map((values) => path.replaceAll(/\{\w+\}/g, () => values.pop() || 'r1'));
}

function getQuery(operation: Operation, document: OpenApiDocument): fc.Arbitrary<string> {
  const parameters = (operation.parameters ?? []).filter((one) => one.in === 'query');
  const pairs = [...parameters, { name: '__proto__', schema: {} }].map(({ name, schema }) =>
    fc
      .oneof(urlText, getLikelyValue(schema, document).map(encodeInQuery))
      .map((value) => `${name}=${value}`),
  );
  return fc.array(fc.oneof(...pairs), { maxLength: 6 }).map((texts) => texts.join('&'));
}

function encodeInQuery(value: unknown): string {
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
    enum: values,
    anyOf,
    type,
    properties,
    items,
  } = schema as {
    $ref?: string;
    enum?: unknown[];
    anyOf?: Schema[];
    type?: string;
    properties?: Record<string, Schema>;
    items?: Schema;
  };
  if ($ref !== undefined) {
    return getLikelyValue(
      document.components.schemas[$ref.split('/').at(-1) ?? ''] ?? {},
      document,
    );
  }
  if (values !== undefined) return fc.constantFrom(...values);
  if (anyOf !== undefined) return fc.oneof(...anyOf.map((one) => getValue(one, document)));
  if (properties !== undefined) {
    const fields = Object.entries(properties).map(([name, one]) => [name, getValue(one, document)]);
    return fc.record(Object.fromEntries(fields) as Record<string, fc.Arbitrary<unknown>>, {
      requiredKeys: [],
    });
  }
  if (type === 'array') return fc.array(getValue(items ?? {}, document), { maxLength: 5 });
  if (type === 'boolean') return fc.boolean();
  if (type === 'integer') return fc.oneof(fc.nat(30), fc.integer());
  if (type === 'number') return fc.double();
  return anyText;
}
