import * as z from 'zod';
import { maximumParamFilterLength, maximumParamFilters, parseParamFilter } from '#shared/syntax.ts';
import { maximumParamColumns } from '#shared/words.ts';
import { repeatedText, sortDir } from './common.ts';

/** Maximum number of values of {@link anyOfFilter}. */
const maximumFilterValues = 100;

/** A filter that matches any of its values; see {@link repeatedText}. */
export const anyOfFilter = repeatedText
  .refine((values) => values.length <= maximumFilterValues, {
    error: `must have at most ${maximumFilterValues} values`,
  })
  .meta({
    description: 'Value to match, in any case; repeatable: any of the values matches',
    override: { type: 'array', items: { type: 'string' } },
  });

/**
 * Paths of flattened parameters to add to each item, each once. A single text contains paths separated by commas
 * (`params=a.b,c.d`). If there are several texts, each text is one path, which may contain commas
 * (`params=a.b&params=c,d`).
 */
export const paramColumns = z
  .union([z.string(), z.array(z.string())])
  .transform((value) => {
    const texts = [value].flat();
    const paths = texts.length > 1 ? texts : texts.flatMap((text) => text.split(','));
    return [...new Set(paths.map((path) => path.trim()).filter(Boolean))];
  })
  .refine((paths) => paths.length <= maximumParamColumns, {
    error: `must name at most ${maximumParamColumns} parameters`,
  })
  .optional()
  .transform((paths) => paths ?? [])
  .meta({
    description:
      `Paths of parameters to add to each item, at most ${maximumParamColumns}: one text with commas between the paths, or ` +
      'one text for each path, if any path contains a comma. Send a single path with a comma twice',
    override: { type: 'array', items: { type: 'string' } },
  });

/** `param=<path> <op> <value>`, as {@link parseParamFilter} parses it. Repeated filters must all match. */
export const paramFilters = repeatedText
  .transform((texts, context) =>
    texts.flatMap((text) => {
      const isLong = text.length > maximumParamFilterLength;
      const filter = isLong
        ? `must have at most ${maximumParamFilterLength} characters`
        : parseParamFilter(text);
      if (typeof filter !== 'string') return filter;
      context.addIssue({ code: 'custom', message: filter });
      return [];
    }),
  )
  .refine((filters) => filters.length <= maximumParamFilters, {
    error: `must have at most ${maximumParamFilters} values`,
  })
  .meta({
    description:
      'Filter on a parameter: `<path> <op> <value>`, such as `populationSize > 50`. Repeatable: all filters must match. ' +
      'The path is that of a flattened parameter, or its last key if that is unambiguous among the requested items. `=` and ' +
      '`!=` compare numbers as numbers and texts without regard to case, and accept a JSON list: `= [50, 100]` matches any ' +
      'of the values, `!= [50, 100]` none of them. `<`, `<=`, `>`, `>=` compare numbers. `~` matches a part of the text. ' +
      'Items without the parameter and masked values never match',
    override: { type: 'array', items: { type: 'string' } },
  });

/** A column of a list, or `param:` and the path of a parameter. */
export type SortKey<Key extends string> = Key | `param:${string}`;

/** Returns the parameters of {@link makeSortQuery}; `sortBy` also accepts `param:<path>`. */
export function makeParamSortQuery<const Key extends string>(keys: readonly [Key, ...Key[]]) {
  const sortBy = z
    .string()
    .trim()
    .transform((text, context): SortKey<Key> => {
      const path = /^param:\s*(\S.*)$/is.exec(text)?.[1];
      if (path !== undefined) return `param:${path}`;
      const key = text === '' ? keys[0] : keys.find((name) => name === text.toLowerCase());
      if (key !== undefined) return key;
      const message = `must be one of ${keys.join(', ')}, param:<path>`;
      context.addIssue({ code: 'custom', message });
      return z.NEVER;
    })
    .optional()
    .transform((key) => key ?? keys[0])
    .meta({
      description:
        'A column, or `param:` with the path of a parameter. Numbers of a parameter come before texts. Texts are in the order of their code points',
      override: {
        default: keys[0],
        anyOf: [
          { type: 'string', enum: [...keys] },
          { type: 'string', pattern: '^param:' },
        ],
      },
    });
  return { sortBy, sortDir };
}
