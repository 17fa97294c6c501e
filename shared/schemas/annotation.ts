import * as z from 'zod';
import {
  annotationKinds,
  maximumNameLength,
  maximumNoteLength,
  maximumTagLength,
  maximumTags,
} from '#shared/words.ts';
import { pathId, makeWordFilter } from './common.ts';
import { maskings } from './masked.ts';

/** The kinds of annotated subjects. */
export const annotationKind = z.enum(annotationKinds, {
  error: `must be one of ${annotationKinds.join(', ')}`,
});
export type AnnotationKind = z.infer<typeof annotationKind>;

/** Path parameters of the endpoints of an annotation. */
export const annotationParams = z.object({
  kind: annotationKind.describe('The kind of the annotated subject'),
  subjectId: pathId.describe(
    'Id of a run or an experiment, or the stored name of an algorithm group, URL-encoded',
  ),
});

/** Query of `GET /api/annotations`. */
export const annotationsQuery = z.object({
  kind: makeWordFilter(annotationKinds).describe('Kind of the annotations. Default: all'),
});

/** Line ends, other control characters, and characters that change the direction of the following text. */
const forbiddenCharacter = /[\p{Cc}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069]/u;

/** Returns the schema of a text of a user with a maximum length in characters. */
function makeUserTextSchema(maximum: number) {
  return z
    .string()
    .max(2 * maximum, { error: `must have at most ${maximum} characters` })
    .refine((text) => Array.from(text).length <= maximum, {
      error: `must have at most ${maximum} characters`,
    })
    .refine((text) => text.isWellFormed(), { error: 'must be valid Unicode text' });
}

function makeLineSchema(maximum: number) {
  return makeUserTextSchema(maximum).refine((text) => !forbiddenCharacter.test(text), {
    error: 'must be one line without control characters',
  });
}

const displayName = makeLineSchema(maximumNameLength)
  .transform((text) => text.trim() || null)
  .nullable()
  .meta({ override: { type: ['string', 'null'], maxLength: maximumNameLength } });

const tags = z
  .array(
    makeLineSchema(maximumTagLength)
      .refine((text) => !text.includes(','), { error: 'must not contain a comma' })
      .transform((text) => text.trim()),
  )
  .max(maximumTags, { error: `must be at most ${maximumTags} tags` })
  .transform((texts) => {
    const tagsByWord = new Map(texts.map((text) => [text.toLowerCase(), text]));
    tagsByWord.delete('');
    return [...tagsByWord.values()];
  })
  .meta({
    override: {
      type: 'array',
      items: { type: 'string', maxLength: maximumTagLength },
      maxItems: maximumTags,
    },
  });

/** The content that a user edits. */
export const annotationContent = z.object({
  displayName: displayName
    .default(null)
    .describe('Name that pages show instead of the stored one; one line'),
  tags: tags
    .default([])
    .describe(
      'Words by which users filter lists. If words differ only in case, the service stores only the last one',
    ),
  note: makeUserTextSchema(maximumNoteLength)
    .meta({ override: { type: 'string', maxLength: maximumNoteLength } })
    .default('')
    .describe('Notes as plain text'),
  isBaseline: z
    .boolean()
    .default(false)
    .describe(
      'Whether pages compare other subjects of the kind with this subject. A new baseline replaces the previous baseline of its kind',
    ),
});
export type AnnotationContent = z.infer<typeof annotationContent>;

const version = z.string().max(100).nullable();

/** Body of `PUT /api/annotations/{kind}/{subjectId}`. */
export const annotationBody = annotationContent.extend({
  version: version.describe(
    'Version of the annotation that the client read; null if the subject had no annotation',
  ),
});
export type AnnotationBody = z.infer<typeof annotationBody>;

/** Query of `DELETE /api/annotations/{kind}/{subjectId}`. */
export const annotationRemovalQuery = z.object({
  version: z.string().max(100).describe('Version of the annotation that the client read'),
});

/** A text of a user. The service masks the secrets in the text when it reads the annotation from the database. */
const userText = z.string().register(maskings, { method: 'source' });

/** Fields of an annotation in lists of runs and experiments. */
export const annotationFields = {
  displayName: userText.nullable().meta({ description: 'The name that a user chose' }),
  tags: z.array(userText).meta({ description: 'The tags that users added' }),
};

/** Fields of an annotation in the details of a run or an experiment. */
export const annotationDetails = {
  ...annotationFields,
  note: z
    .string()
    .meta({ description: 'The notes that users wrote' })
    .register(maskings, { method: 'source' }),
  isBaseline: z.boolean(),
};

/** The annotation of a run, an experiment or an algorithm; empty if no user has saved one. */
export const annotation = z
  .object({
    kind: annotationKind,
    id: z.string(),
    version: version.meta({
      description: 'Version to send with a change; null if the subject has no annotation',
    }),
    ...annotationDetails,
  })
  .meta({ id: 'Annotation' });
export type Annotation = z.infer<typeof annotation>;
