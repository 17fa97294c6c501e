import { makeOptimizerTitleGetter, makeOptimizerNameGetter } from '#shared/optimizer-names.ts';
import type { Database } from '#server/db/database.ts';
import type { StoredDocument } from '#server/db/documents.ts';
import { isUnreadableDocumentsError } from '#server/errors.ts';
import { maskText } from '#server/domain/secrets/mask-text.ts';
import type { AnnotatedIds, ExperimentsFilter, RunsFilter } from '#server/repositories/filters.ts';
import {
  annotationContent,
  type Annotation,
  type AnnotationContent,
  type AnnotationKind,
} from '#shared/schemas/annotation.ts';
import { annotationKinds } from '#shared/words.ts';

/** The annotations of a database by kind and id, without secrets. */
export class Annotations {
  readonly #annotationsByKind: ReadonlyMap<AnnotationKind, ReadonlyMap<string, Annotation>>;

  constructor(documents: readonly StoredDocument[]) {
    this.#annotationsByKind = new Map(
      annotationKinds.map((kind) => [
        kind,
        new Map(
          documents
            .filter((document) => document.kind === kind)
            .map((document) => [document.id, makeAnnotation(kind, document)]),
        ),
      ]),
    );
  }

  /** Returns the annotation of a run, experiment or algorithm; undefined without one. */
  get(kind: AnnotationKind, id: string): Annotation | undefined {
    return this.#annotationsByKind.get(kind)?.get(id);
  }

  /** Returns all annotations of a kind, in the order of their ids. */
  list(kind: AnnotationKind): Annotation[] {
    const annotations = [...(this.#annotationsByKind.get(kind)?.values() ?? [])];
    return annotations.sort((a, b) => (a.id < b.id ? -1 : 1));
  }

  /** Returns the ids of the subjects of a kind with any of the tags, ignoring case. */
  listIdsWithTags(kind: AnnotationKind, tags: readonly string[]): string[] {
    const lowerCaseTags = new Set(tags.map((tag) => tag.toLowerCase()));
    return this.#listIdsWhere(kind, (annotation) =>
      annotation.tags.some((tag) => lowerCaseTags.has(tag.toLowerCase())),
    );
  }

  /** Returns the ids of the subjects whose display name, tags or note contain a text, ignoring case. */
  find(text: string): AnnotatedIds {
    const lowerCaseText = text.toLowerCase();
    const matchesText = ({ displayName, tags, note }: Annotation) =>
      [displayName ?? '', ...tags, note].some((field) =>
        field.toLowerCase().includes(lowerCaseText),
      );
    return {
      runIds: this.#listIdsWhere('run', matchesText),
      experimentIds: this.#listIdsWhere('experiment', matchesText),
      algorithms: this.#listIdsWhere('algorithm', matchesText),
    };
  }

  /** Returns the annotation fields of the details of a run or an experiment. */
  getDetails(kind: AnnotationKind, id: string): AnnotationContent {
    const { displayName, tags, note, isBaseline } = this.get(kind, id) ?? emptyContent;
    return { displayName, tags: [...tags], note, isBaseline };
  }

  /** Returns the annotation fields of a run or an experiment in lists. */
  getFields(kind: AnnotationKind, id: string): Pick<Annotation, 'displayName' | 'tags'> {
    const { displayName = null, tags = [] } = this.get(kind, id) ?? {};
    return { displayName, tags: [...tags] };
  }

  #listIdsWhere(kind: AnnotationKind, condition: (annotation: Annotation) => boolean): string[] {
    const annotations = [...(this.#annotationsByKind.get(kind)?.values() ?? [])];
    return annotations.filter(condition).map(({ id }) => id);
  }
}

/** Returns the annotation in a document of its kind, without secrets. */
export function makeAnnotation(
  kind: AnnotationKind,
  { id, version, value }: StoredDocument,
): Annotation {
  const { displayName, tags, note, isBaseline } = parseContent(value);
  return {
    kind,
    id,
    version,
    displayName: maskText(displayName),
    tags: tags.map((tag) => maskText(tag)),
    note: maskText(note),
    isBaseline,
  };
}

function parseContent(value: unknown): AnnotationContent {
  const result = annotationContent.safeParse(value);
  // A document of another version of the program may have other fields.
  return result.success ? result.data : emptyContent;
}

/**
 * Returns the content that a user saves, with the stored secrets in each name, tag and line of the note that the user
 * received masked and sends back unchanged. Otherwise, saving a masked text would replace the secret with the mask.
 */
export function restoreSecrets(
  content: AnnotationContent,
  document: StoredDocument | undefined,
): AnnotationContent {
  if (!document) return content;
  const previousContent = parseContent(document.value);
  const lines = previousContent.note.split('\n');
  const maskedLines = maskText(previousContent.note).split('\n');
  const originalTexts = new Map(
    [previousContent.displayName ?? '', ...previousContent.tags].map((text) => [
      maskText(text),
      text,
    ]),
  );
  const hasSameLineCount = lines.length === maskedLines.length;
  const originalLines = new Map(
    hasSameLineCount ? maskedLines.map((line, index) => [line, lines[index] ?? line]) : [],
  );
  const restore = (text: string) => originalTexts.get(text) ?? text;
  const note =
    content.note === maskedLines.join('\n')
      ? previousContent.note
      : content.note
          .split('\n')
          .map((line) => originalLines.get(line) ?? line)
          .join('\n');
  return {
    ...content,
    displayName: content.displayName === null ? null : restore(content.displayName),
    tags: content.tags.map(restore),
    note,
  };
}

/** The content for a subject without an annotation. */
export const emptyContent: AnnotationContent = {
  displayName: null,
  tags: [],
  note: '',
  isBaseline: false,
};

const noAnnotations = new Annotations([]);

/** Cache of the annotations, by the documents that they are read from. */
const annotationsCache = new WeakMap<readonly StoredDocument[], Annotations>();

/** Returns the annotations of a database; throws DOCUMENTS_UNREADABLE. */
export async function readAnnotations({ dialect }: Database): Promise<Annotations> {
  const documents = await dialect.documents.read();
  if (documents.length === 0) return noAnnotations;
  const annotations = annotationsCache.get(documents) ?? new Annotations(documents);
  annotationsCache.set(documents, annotations);
  return annotations;
}

/**
 * Returns the annotations of a database; none if they cannot be read. Runs and analyses are then shown without them,
 * and the endpoints for annotations report the error.
 */
export async function readAnnotationsOrNone(database: Database): Promise<Annotations> {
  try {
    return await readAnnotations(database);
  } catch (error) {
    if (isUnreadableDocumentsError(error)) return noAnnotations;
    throw error;
  }
}

/** Returns {@link makeOptimizerNameGetter} with the display names in a database; the stored names if they cannot be read. */
export async function readOptimizerNames(
  database: Database,
): Promise<(optimizer: string) => string> {
  return makeOptimizerNameGetter((await readAnnotationsOrNone(database)).list('algorithm'));
}

/** Returns {@link makeOptimizerTitleGetter} with the annotations of a database; the stored names if they cannot be read. */
export async function readOptimizerTitles(
  database: Database,
): Promise<ReturnType<typeof makeOptimizerTitleGetter>> {
  return makeOptimizerTitleGetter((await readAnnotationsOrNone(database)).list('algorithm'));
}

/** Returns whether there are readable annotations. Unreadable ones must not prevent other work. */
export async function hasAnnotations(database: Database): Promise<boolean> {
  return (await readAnnotationsOrNone(database)) !== noAnnotations;
}

/** The fields of a filter that apply to annotations. */
interface AnnotationFilter {
  tag: readonly string[];
  q?: string | undefined;
}

/** Returns the filter of a list of runs with the matches of its tags and its text in annotations. */
export function addRunMatches<Filter extends AnnotationFilter>(
  annotations: Annotations,
  filter: Filter,
): Filter & Pick<RunsFilter, 'runIds' | 'annotatedIds'> {
  const { tag, q } = filter;
  return {
    ...filter,
    ...(tag.length > 0 && { runIds: annotations.listIdsWithTags('run', tag) }),
    ...(q !== undefined && { annotatedIds: annotations.find(q) }),
  };
}

/** Returns the filter of a list of experiments with the matches of its tags and its text in annotations. */
export function addExperimentMatches<Filter extends AnnotationFilter>(
  annotations: Annotations,
  filter: Filter,
): Filter & Pick<ExperimentsFilter, 'experimentIds' | 'annotatedIds'> {
  const { tag, q } = filter;
  return {
    ...filter,
    ...(tag.length > 0 && { experimentIds: annotations.listIdsWithTags('experiment', tag) }),
    ...(q !== undefined && { annotatedIds: annotations.find(q) }),
  };
}
