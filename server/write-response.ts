import { LRUCache } from 'lru-cache';
import type * as z from 'zod';
import type { Endpoint } from '#shared/api.ts';
import { type Masking, maskings } from '#shared/schemas/masked.ts';
import type { ParamRow } from '#shared/schemas/run.ts';
import { maskListedParam, maskParam } from './domain/secrets/mask-params.ts';
import { maskText, maskYaml } from './domain/secrets/mask-text.ts';
import { canContainSecret } from './domain/secrets/secret-words.ts';

/** The error of a response that its schema does not accept: a fault of the service, not of the request. */
export class ResponseError extends Error {
  constructor(endpoint: Endpoint, issues: readonly z.core.$ZodIssue[]) {
    const [firstIssue] = issues;
    super(
      `The response of ${endpoint.method} ${endpoint.path} does not match its schema: ` +
        `${firstIssue?.path.join('.') || 'response'} ${firstIssue?.message ?? ''}`,
    );
    this.name = 'ResponseError';
  }
}

/**
 * Returns the text of a response: the result of {@link checkResponse} as JSON; for the kinds `html` and `tex`, as plain
 * text. Throws a {@link ResponseError}.
 */
export function writeResponse(endpoint: Endpoint, response: unknown): string {
  const data = checkResponse(endpoint, response);
  return endpoint.kind === 'html' || endpoint.kind === 'tex' ? String(data) : JSON.stringify(data);
}

/** Returns the response parsed by its endpoint's schema, with masked secrets; throws a {@link ResponseError}. */
export function checkResponse<const Shape extends Endpoint>(
  endpoint: Shape,
  response: unknown,
): z.output<Shape['response']> {
  const { success, data, error } = endpoint.response.safeParse(response);
  if (!success) throw new ResponseError(endpoint, error.issues);
  return maskResponse(endpoint.response, data as z.output<Shape['response']>);
}

type Mask = (value: unknown) => unknown;

type Definition = z.core.$ZodTypeDef & {
  shape?: Record<string, z.ZodType>;
  element?: z.ZodType;
  valueType?: z.ZodType;
  innerType?: z.ZodType;
  output?: z.ZodType;
  options?: readonly z.ZodType[];
};

/** Cache of the functions that mask values of a schema; null for a schema without fields that need a mask. */
const maskCache = new WeakMap<z.ZodType, Mask | null>();

/**
 * Masks the secrets in the fields of a value that this schema parsed, each by its {@link Masking}. Changes objects and
 * lists in place and returns them; returns a new text or parameter.
 */
function maskResponse<Value>(schema: z.ZodType, value: Value): Value {
  const mask = getMask(schema);
  return mask === null ? value : (mask(value) as Value);
}

function getMask(schema: z.ZodType): Mask | null {
  const cachedMask = maskCache.get(schema);
  if (cachedMask !== undefined) return cachedMask;
  // If the schema contains itself, it contains this function, which creates the inner mask when it receives a value.
  maskCache.set(schema, (value) => createMask(schema)?.(value) ?? value);
  const mask = createMask(schema);
  maskCache.set(schema, mask);
  return mask;
}

function createMask(schema: z.ZodType): Mask | null {
  const masking = maskings.get(schema);
  if (masking !== undefined) return getFieldMask(masking);
  const { shape, element, valueType, innerType, output, options } = schema.def as Definition;
  if (shape) return makeObjectMask(shape);
  if (element) return makeListMask(element);
  if (valueType) return makeRecordMask(valueType);
  if (options) return makeUnionMask(options);
  const innerSchema = innerType ?? output;
  const mask = innerSchema ? getMask(innerSchema) : null;
  return mask && ((value) => (value === null || value === undefined ? value : mask(value)));
}

function getFieldMask({ method, maximumCharacters }: Masking): Mask | null {
  switch (method) {
    case 'yaml':
      return (text) => maskLongYaml(text as string);
    case 'param':
      return (row) => maskParam(row as ParamRow);
    case 'params':
      return (values) => maskParams(values as Record<string, string | null>);
    case 'source':
      return null;
    default:
      return (text) => truncate(maskText(text as string), maximumCharacters);
  }
}

/**
 * Cache of masked configurations, of about 4 MiB, because masking a configuration takes as long as the rest of its
 * response.
 */
const maskedYaml = new LRUCache<string, string>({
  maxSize: 4_194_304,
  sizeCalculation: (maskedText, text) => 2 * (maskedText.length + text.length) + 1,
});

function maskLongYaml(text: string): string {
  if (!canContainSecret(text)) return text;
  const maskedText = maskedYaml.get(text) ?? maskYaml(text);
  maskedYaml.set(text, maskedText);
  return maskedText;
}

/** Returns at most the first `maximum` characters of a text, without splitting a surrogate pair. */
function truncate(text: string, maximum = Infinity): string {
  return text.length <= maximum ? text : Array.from(text).slice(0, maximum).join('');
}

function maskParams(values: Record<string, string | null>): Record<string, string | null> {
  for (const [path, text] of Object.entries(values)) values[path] = maskListedParam(path, text);
  return values;
}

function makeObjectMask(shape: Record<string, z.ZodType>): Mask | null {
  const fields = Object.entries(shape).flatMap(([key, field]) => {
    const mask = getMask(field);
    return mask === null ? [] : [[key, mask] as const];
  });
  if (fields.length === 0) return null;
  return (value) => {
    const object = value as Record<string, unknown>;
    for (const [key, mask] of fields) {
      if (object[key] !== undefined) object[key] = mask(object[key]);
    }
    return object;
  };
}

function makeListMask(element: z.ZodType): Mask | null {
  const mask = getMask(element);
  if (mask === null) return null;
  return (value) => {
    const list = value as unknown[];
    for (const [index, item] of list.entries()) list[index] = mask(item);
    return list;
  };
}

function makeRecordMask(valueType: z.ZodType): Mask | null {
  const mask = getMask(valueType);
  if (mask === null) return null;
  return (value) => {
    const record = value as Record<string, unknown>;
    for (const [key, item] of Object.entries(record)) record[key] = mask(item);
    return record;
  };
}

/**
 * Returns a mask for a union, which uses the mask of the first schema that accepts the value; null if no schema has a
 * mask.
 */
function makeUnionMask(options: readonly z.ZodType[]): Mask | null {
  const optionMasks = options.map((option) => [option, getMask(option)] as const);
  if (optionMasks.every(([, mask]) => mask === null)) return null;
  return (value) => {
    // Many values of such unions are numbers, which need no mask.
    if (typeof value === 'number') return value;
    const mask = optionMasks.find(([option]) => option.safeParse(value).success)?.[1];
    return mask ? mask(value) : value;
  };
}
