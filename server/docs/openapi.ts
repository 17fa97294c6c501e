import {
  createDocument,
  type ZodOpenApiMediaTypeObject,
  type ZodOpenApiOperationObject,
  type ZodOpenApiPathsObject,
  type ZodOpenApiResponseObject,
  type ZodOpenApiResponsesObject,
} from 'zod-openapi';
import * as z from 'zod';
import { endpoints, type Endpoint } from '#shared/api.ts';
import { mlflowOperations } from '#shared/mlflow.ts';
import { makeFormatQuery } from '#shared/schemas/format.ts';
import { problemDocument, errorCatalogue, type ErrorCode } from '#shared/schemas/error.ts';
import { databaseHeader, identityHeader } from '#shared/words.ts';

/** Error codes in the description of every operation. */
const commonCodes: readonly ErrorCode[] = [
  'VALIDATION_FAILED',
  'UNAUTHORIZED',
  'FORBIDDEN_HOST',
  'FORBIDDEN_USER',
  'URI_TOO_LONG',
  'ANSWER_TOO_LARGE',
  'INTERNAL',
  'NO_DATABASE',
  'DATABASE_CHANGED',
  'DATABASE_BUSY',
  'DATABASE_UNAVAILABLE',
  'SERVICE_STOPPING',
];

const bodyCodes: readonly ErrorCode[] = [
  'MALFORMED_JSON',
  'PAYLOAD_TOO_LARGE',
  'UNSUPPORTED_MEDIA_TYPE',
];

const mediaTypes = {
  json: 'application/json',
  events: 'text/event-stream',
  html: 'text/html',
  tex: 'text/x-tex',
  zip: 'application/zip',
};

/** An OpenAPI document as `createDocument` returns it. */
export type OpenApiDocument = ReturnType<typeof createDocument>;

interface Parameter {
  schema: { description?: string };
}

/** Returns the contract of shared/api.ts as an OpenAPI 3.1 document. */
export function createOpenApiDocument(version: string): OpenApiDocument {
  const paths: ZodOpenApiPathsObject = {};
  for (const [name, endpoint] of Object.entries<Endpoint>(endpoints)) {
    paths[endpoint.path] = {
      ...paths[endpoint.path],
      [endpoint.method]: describeOperation(name, endpoint),
    };
  }
  return moveDescriptions(
    createDocument({
      openapi: '3.1.1',
      info: {
        title: 'Evoscope',
        version,
        description:
          'Runs, experiments and COCO campaigns of evolutionary optimisation. A response that depends on a database ' +
          `names it in \`${databaseHeader}\`. If the request has this header and another database is open, the response ` +
          'is 409 `DATABASE_CHANGED`. A request with ' +
          `\`databaseIdentity\` of \`GET /api/health\` in \`${identityHeader}\` reads and writes exactly this database: ` +
          'if another file replaces it, even during the request, the response is 409 `DATABASE_CHANGED` and ' +
          'the service writes nothing. Pages send this header with every change; for scripts it is optional. ' +
          'If the service runs with --record, clients of MLflow record runs with `<address>/mlflow` as their tracking ' +
          'URI and the token as `MLFLOW_TRACKING_TOKEN`. They can use these operations of the REST interface 2.0: ' +
          `${Object.keys(mlflowOperations).join(', ')}. They can also use artifacts. Errors have the format of MLflow.`,
        license: { name: 'MIT', identifier: 'MIT' },
      },
      servers: [{ url: '/' }],
      security: [{}, { bearer: [] }],
      components: {
        securitySchemes: {
          bearer: {
            type: 'http',
            scheme: 'bearer',
            description:
              'Required if the service has a token (SVC_TOKEN), except for `GET /api/health`',
          },
        },
      },
      paths,
    }),
  );
}

/** Moves the description of each parameter's schema to the parameter. Changes and returns the same document. */
function moveDescriptions(document: OpenApiDocument): OpenApiDocument {
  const operations = Object.values(document.paths ?? {}).flatMap((item) => Object.values(item));
  for (const { parameters = [] } of operations as { parameters?: Parameter[] }[]) {
    for (const parameter of parameters) {
      const { description, ...schema } = parameter.schema;
      Object.assign(parameter, { schema, description });
    }
  }
  return document;
}

function describeOperation(name: string, endpoint: Endpoint): ZodOpenApiOperationObject {
  const query = getQuery(endpoint);
  return {
    operationId: name,
    summary: endpoint.summary,
    requestParams: {
      ...(endpoint.params && { path: endpoint.params }),
      ...(query && { query }),
    },
    ...(endpoint.body && {
      requestBody: {
        required: !endpoint.body.safeParse(undefined).success,
        content: makeRequestContent(endpoint),
      },
    }),
    responses: {
      [endpoint.status ?? 200]: describeResponse(endpoint),
      ...describeProblemResponses(endpoint),
    },
  };
}

/**
 * Returns the query parameters of an operation, including the parameters that select CSV or Parquet if the operation
 * supports them; undefined without parameters.
 */
function getQuery({ query, csv }: Endpoint): z.ZodObject | undefined {
  return csv ? z.object({ ...query?.shape, ...makeFormatQuery(csv).shape }) : query;
}

function makeRequestContent({
  body,
  lines,
  uploads = [],
}: Endpoint): Record<string, ZodOpenApiMediaTypeObject> {
  if (lines) return { [lines.type]: { schema: lines.schema } };
  const binaryContent = { schema: { type: 'string', format: 'binary' } } as const;
  return {
    'application/json': { schema: body as z.ZodType },
    ...Object.fromEntries(uploads.map((type) => [type, binaryContent])),
  };
}

function describeResponse(endpoint: Endpoint) {
  const kind = endpoint.kind ?? 'json';
  const content: Record<string, ZodOpenApiMediaTypeObject> = {
    [mediaTypes[kind]]: { schema: endpoint.response },
    ...(endpoint.csv && {
      'text/csv': { schema: { type: 'string' } },
      'application/vnd.apache.parquet': { schema: { type: 'string', format: 'binary' } },
    }),
  };
  const description = kind === 'events' ? 'Events, one after another' : 'The response';
  return { description, content };
}

function describeProblemResponses(endpoint: Endpoint): ZodOpenApiResponsesObject {
  const codes = [...commonCodes, ...(endpoint.body ? bodyCodes : []), ...(endpoint.errors ?? [])];
  const writeCodes: ErrorCode[] =
    endpoint.method === 'get' ? [] : ['FORBIDDEN_ORIGIN', 'READ_ONLY'];
  const codesByStatus = Map.groupBy(
    [...codes, ...writeCodes],
    (code) => errorCatalogue[code].status,
  );
  return Object.fromEntries(
    [...codesByStatus].map(([status, statusCodes]) => [
      String(status),
      describeProblemResponse([...new Set(statusCodes)]),
    ]),
  );
}

const sharedResponses = new Map<string, ZodOpenApiResponseObject>();

/**
 * Returns the response with these error codes. Operations with the same codes share one object, so the document
 * contains it only once.
 */
function describeProblemResponse(codes: readonly ErrorCode[]): ZodOpenApiResponseObject {
  const id = codes.join('.');
  const response = sharedResponses.get(id) ?? {
    id,
    description: codes.join(', '),
    content: { 'application/problem+json': { schema: problemDocument } },
  };
  sharedResponses.set(id, response);
  return response;
}
