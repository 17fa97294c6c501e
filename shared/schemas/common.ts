import * as z from 'zod';
import { isInteger, parseDecimal, toInstantBound } from '#shared/syntax.ts';
import { makeMaskedText } from './masked.ts';
import { maximumPageSize, maximumSearchLength } from '#shared/words.ts';

/** Maximum length of an id in a request, in UTF-16 code units after decoding. */
export const maximumIdLength = 1_024;

/** Maximum length of a text from an integer column in a response, in characters (code points). */
const maximumIntegerTextLength = 100;

/**
 * An integer in JSON. It is a number within ±(2^53−1). Outside this range it is a decimal string, because clients would
 * round the number. Any other stored value, such as `1e+300`, `1.5` or `abc`, becomes a text that the service truncates
 * to {@link maximumIntegerTextLength}.
 */
export const wireInteger = z
  .union([z.int(), makeMaskedText('text', maximumIntegerTextLength)])
  .meta({
    description:
      'Integer; a decimal string outside ±(2^53−1). Any other stored value becomes a text',
  });
export type WireInteger = z.infer<typeof wireInteger>;

/** A finite number, or null. */
export const nullableNumber = z.number().nullable();

/** Marks a field whose null can mean an infinite value, which JSON does not have. */
export const infinityMark = { 'x-null': 'Infinity' } as const;

/** A time exactly as stored. The runner stores UTC in ISO 8601 with 0 to 9 fractional digits. */
export const storedTime = z.string();

/** An id in a path. */
export const pathId = z.string().min(1).max(maximumIdLength);

/** A filter by a text, without whitespace around it; blank text counts as absent. */
export const textFilter = z
  .string()
  .trim()
  .transform((text) => (text === '' ? undefined : text))
  .optional();

/** Returns the schema of `true` or `false` in any case. A missing or blank value becomes `defaultValue`. */
export function makeFlagFilter(defaultValue: boolean) {
  return z
    .string()
    .trim()
    .toLowerCase()
    .pipe(z.enum(['', 'true', 'false'], { error: 'must be true or false' }))
    .default('')
    .transform((text) => (text === '' ? defaultValue : text === 'true'))
    .meta({ override: { type: 'boolean', default: defaultValue } });
}

/** `true` or `false` in any case; blank text counts as absent. */
export const optionalFlag = z
  .string()
  .trim()
  .toLowerCase()
  .pipe(z.enum(['', 'true', 'false'], { error: 'must be true or false' }))
  .transform((text) => (text === '' ? undefined : text === 'true'))
  .optional()
  .meta({ override: { type: 'boolean' } });

type Words<Word extends string> = readonly [Word, ...Word[]];

/** Returns the schema of one of several words, in any case; blank text counts as absent. */
export function makeWordFilter<const Word extends string>(
  words: Words<Word>,
  error = `must be one of ${words.join(', ')}`,
) {
  return z
    .string()
    .trim()
    .toLowerCase()
    .transform((text) => (text === '' ? undefined : text))
    .pipe(z.enum(words, { error }).optional())
    .optional()
    .meta({ override: { type: 'string', enum: [...words] } });
}

/** Returns the schema of one of several words, in any case. A missing or blank value becomes the first word. */
export function makeWordFilterWithDefault<const Word extends string>(
  words: Words<Word>,
  error = `must be one of ${words.join(', ')}`,
) {
  return z
    .string()
    .trim()
    .toLowerCase()
    .transform((text) => (text === '' ? words[0] : text))
    .pipe(z.enum(words, { error }))
    .default(words[0] as z.util.NoUndefined<Word>)
    .meta({ override: { type: 'string', enum: [...words], default: words[0] } });
}

/**
 * Several values of one filter (`status=RUNNING&status=FAILED`), trimmed, without blank values and duplicates; empty if
 * absent.
 */
export const repeatedText = z
  .union([z.string(), z.array(z.string())])
  .transform((texts) => [texts].flat().map((text) => text.trim()))
  .transform((texts) => [...new Set(texts.filter(Boolean))])
  .optional()
  .transform((texts) => texts ?? [])
  .meta({ override: { type: 'array', items: { type: 'string' } } });

/** The search text `q`: a text filter with at most {@link maximumSearchLength} UTF-16 code units. */
export const searchText = z
  .string()
  .trim()
  .max(maximumSearchLength)
  .transform((text) => (text === '' ? undefined : text))
  .optional()
  .meta({
    description:
      'Text in an id, a name, a type, a configuration hash, a parameter or an annotation, in any case; for events, in the payload',
  });

/** A finite decimal number in a query (`z.coerce.number()` would accept ' ' as 0); blank text counts as absent. */
export const numberFilter = z
  .string()
  .trim()
  .refine((text) => text === '' || parseDecimal(text) !== undefined, {
    error: 'must be a finite number',
  })
  .transform((text) => (text === '' ? undefined : Number(text)))
  .optional()
  .meta({ override: { type: 'number' } });

/** Returns the schema of a whole number in a query, within [minimum, maximum]; blank text counts as absent. */
export function makeIntegerFilter(minimum: number, maximum: number = Number.MAX_SAFE_INTEGER) {
  const lowerLimit = minimum === Number.MIN_SAFE_INTEGER ? '' : `, at least ${minimum}`;
  const range =
    maximum === Number.MAX_SAFE_INTEGER ? lowerLimit : `, from ${minimum} to ${maximum}`;
  return z
    .string()
    .trim()
    .refine((text) => text === '' || isIntegerWithin(text, minimum, maximum), {
      error: ({ input }) =>
        isInteger(String(input)) && !Number.isSafeInteger(Number(input))
          ? `must be from ${minimum} to ${maximum}`
          : `must be a whole number${range}`,
    })
    .transform((text) => (text === '' ? undefined : Number(text)))
    .optional()
    .meta({ override: { type: 'integer', minimum, maximum } });
}

function isIntegerWithin(text: string, minimum: number, maximum: number): boolean {
  const value = Number(text);
  return isInteger(text) && value >= minimum && value <= maximum;
}

/**
 * Several whole numbers of one filter (`dimension=2&dimension=5`), without blank values and duplicates; empty if
 * absent.
 */
export const integersFilter = repeatedText
  .refine((texts) => texts.every((text) => isIntegerWithin(text, -maximumInt4, maximumInt4)), {
    error: ({ input }) =>
      (input as string[]).every(isInteger)
        ? `must be from ${-maximumInt4} to ${maximumInt4}`
        : 'must be a whole number',
  })
  .transform((texts) => [...new Set(texts.map(Number))])
  .meta({ override: { type: 'array', items: { type: 'integer' } } });

/** Largest absolute value in a filter on columns with 32 bits. */
const maximumInt4 = 2_147_483_647;

/** Returns the parameters `page` and `size` of a list. A size above {@link maximumPageSize} becomes this maximum. */
export function makePageQuery(defaultSize = 25) {
  return {
    page: makeIntegerFilter(0)
      .transform((page) => page ?? 0)
      .describe('Number of the page, from 0'),
    size: makeIntegerFilter(1)
      .transform((size) => Math.min(size ?? defaultSize, maximumPageSize))
      .describe(`Items per page, at most ${maximumPageSize}. Default: ${defaultSize}`),
  };
}

/**
 * Returns the parameters `sortBy` and {@link sortDir}. `sortBy` is one of the columns, in any case. A missing or blank
 * value becomes the first column.
 */
export function makeSortQuery<const Key extends string>(keys: readonly [Key, ...Key[]]) {
  return {
    sortBy: makeWordFilterWithDefault(keys).describe(
      'Column that determines the order of the list',
    ),
    sortDir,
  };
}

/** `sortDir`: ascending for `asc` in any case, otherwise descending. */
export const sortDir = z
  .string()
  .optional()
  .transform((text): 'asc' | 'desc' => (text?.trim().toLowerCase() === 'asc' ? 'asc' : 'desc'))
  .meta({
    description: 'Order of the list: ascending for `asc`, descending for any other value',
    override: { type: 'string' },
  });

/** Returns the schema of one page of a list. `totalPages` is ceil(total / size), 0 for an empty list. */
export function makePageSchema<Item extends z.ZodType>(item: Item) {
  return z.object({
    items: z.array(item),
    page: z.int(),
    size: z.int(),
    total: z.int(),
    totalPages: z.int(),
  });
}

/** A page of a list in the services. */
export interface Page<Item> {
  items: Item[];
  page: number;
  size: number;
  total: number;
  totalPages: number;
}

/**
 * Selects all runs (`include`), all runs except the runs of COCO trials (`exclude`), or only the runs of COCO trials
 * (`only`). An experiment counts as one of the trials if it has runs and all its runs belong to trials.
 */
export const trialsFilter = z
  .enum(['include', 'exclude', 'only'])
  .optional()
  .describe(
    'Treatment of the trials of COCO campaigns: `include`, `exclude`, or `only` these trials',
  );
/** A value of {@link trialsFilter}. */
export type TrialsFilter = NonNullable<z.infer<typeof trialsFilter>>;

/**
 * The two ends of a filter on stored times. Both are inclusive. They are UTC texts with nine fractional digits and
 * without a zone (`2026-11-21T10:32:16.000000000`), and sort by time. An undefined end does not restrict the times.
 */
export interface InstantRange {
  from?: string | undefined;
  to?: string | undefined;
}

/**
 * Returns the schema of a time in a query. The time becomes its first (`start`) or last (`end`) instant, see {@link
 * toInstantBound}; blank text counts as absent.
 */
export function makeInstantFilter(edge: 'start' | 'end') {
  return z
    .string()
    .trim()
    .transform((text, context) => {
      if (text === '') return undefined;
      const bound = toInstantBound(text, edge);
      if (bound !== null) return bound;
      context.addIssue({
        code: 'custom',
        message: 'must be an ISO 8601 date or time such as 2026-11-21 or 2026-11-21T10:32:16Z',
      });
      return z.NEVER;
    })
    .optional()
    .meta({
      description: `${edge === 'start' ? 'Earliest' : 'Latest'} time: ISO 8601, UTC unless it has an offset; a date means its ${edge === 'start' ? 'beginning' : 'end'}`,
      override: { type: 'string' },
    });
}
