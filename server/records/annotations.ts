import { makeOptimizerTitleGetter, makeOptimizerNameGetter } from '#shared/optimizer-names.ts';
import type { Database } from '#server/db/database.ts';
import type { StoredDocument } from '#server/db/documents.ts';
import { isUnreadableDocumentsError, parseValue } from '#server/errors.ts';
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

  /** Whether there is no annotation of any kind. */
  get isEmpty(): boolean {
    return this.#annotationsByKind.values().every((annotations) => annotations.size === 0);
  }

  /** Returns the annotation of a run, experiment or algorithm; undefined if there is none. */
  get(kind: AnnotationKind, id: string): Annotation | undefined {
    return this.#annotationsByKind.get(kind)?.get(id);
  }

  /** Returns all annotations of a kind, in the order of their ids. */
  list(kind: AnnotationKind): Annotation[] {
    const annotations = [...(this.#annotationsByKind.get(kind)?.values() ?? [])];
    return annotations.sort((a, b) => (a.id < b.id ? -1 : 1));
  }

  /** Returns the ids of the subjects of a kind that have any of the tags, ignoring case, in any order. */
  listIdsWithTags(kind: AnnotationKind, tags: readonly string[]): string[] {
    const lowerCaseTags = new Set(tags.map((tag) => tag.toLowerCase()));
    return this.#listIdsWhere(kind, (annotation) =>
      annotation.tags.some((tag) => lowerCaseTags.has(tag.toLowerCase())),
    );
  }

  /** Returns the ids of the subjects whose display name, tags or note contain a text, ignoring case, in any order. */
  findIds(text: string): AnnotatedIds {
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

  /**
   * Returns the annotation fields of the details of a run or an experiment; {@link emptyContent} without an annotation.
   */
  getDetails(kind: AnnotationKind, id: string): AnnotationContent {
    const { displayName, tags, note, isBaseline } = this.get(kind, id) ?? emptyContent;
    return { displayName, tags: [...tags], note, isBaseline };
  }

  /**
   * Returns the annotation fields of a run or an experiment for lists. Without an annotation, the display name is null,
   * and there are no tags.
   */
  getFields(kind: AnnotationKind, id: string): Pick<Annotation, 'displayName' | 'tags'> {
    const { displayName = null, tags = [] } = this.get(kind, id) ?? {};
    return { displayName, tags: [...tags] };
  }

  #listIdsWhere(kind: AnnotationKind, condition: (annotation: Annotation) => boolean): string[] {
    const annotations = [...(this.#annotationsByKind.get(kind)?.values() ?? [])];
    return annotations.filter(condition).map(({ id }) => id);
  }
}

/**
 * Returns the annotation in a document of this kind, without secrets. The content is empty if the document has another
 * format.
 */
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
  const result = parseValue(annotationContent, value);
  // A document of another version of the program may have other fields.
  return 'data' in result ? result.data : emptyContent;
}

/**
 * Returns the content that a user saves, with the stored secrets. The user receives masked texts, and a mask would
 * otherwise replace the secret. The function therefore restores the stored name, tag or line of the note for each
 * masked one that the user sends back unchanged. Returns `content` unchanged if there is no document.
 */
export function restoreSecrets(
  content: AnnotationContent,
  document: StoredDocument | undefined,
): AnnotationContent {
  if (!document) return content;
  const previousContent = parseContent(document.value);
  const { displayName, tags, note } = previousContent;
  const storedTags = Map.groupBy(tags, (tag) => maskText(tag));
  const isSameName = displayName !== null && content.displayName === maskText(displayName);
  return {
    ...content,
    displayName: isSameName ? displayName : content.displayName,
    // Several tags may have the same masked text. A user who retains one of them retains all.
    tags: [...new Set(content.tags.flatMap((tag) => storedTags.get(tag) ?? [tag]))],
    note: restoreNote(content.note, note),
  };
}

/**
 * Lines of a note as users receive them, and as the service stores them: one line, or several lines around a secret
 * that contains line ends.
 */
interface NotePart {
  maskedLines: readonly string[];
  storedLines: readonly string[];
}

/**
 * Returns a note with the stored lines of the parts that the user did not change. Equal masked lines may hide different
 * secrets. Therefore, the function matches the parts at the start and at the end first, then the others in their order.
 * A further copy of a masked part gets the stored lines of the first equal part.
 */
function restoreNote(note: string, storedNote: string): string {
  const lines = note.split('\n');
  const parts = splitNote(storedNote);
  const isAt = ({ maskedLines }: NotePart, position: number, end: number): boolean =>
    position + maskedLines.length <= end &&
    maskedLines.every((line, index) => lines[position + index] === line);
  let [firstPartIndex, start] = [0, 0];
  for (const part of parts) {
    if (!isAt(part, start, lines.length)) break;
    firstPartIndex += 1;
    start += part.maskedLines.length;
  }
  let [endPartIndex, end] = [parts.length, lines.length];
  for (const part of parts.slice(firstPartIndex).reverse()) {
    const position = end - part.maskedLines.length;
    if (position < start || !isAt(part, position, end)) break;
    endPartIndex -= 1;
    end = position;
  }
  const getFirstLine = ({ maskedLines }: NotePart) => maskedLines[0];
  const partsByLine = Map.groupBy(parts, getFirstLine);
  const pendingParts = Map.groupBy(parts.slice(firstPartIndex, endPartIndex), getFirstLine);
  const middleLines: string[] = [];
  while (start < end) {
    const line = lines[start] ?? '';
    const position = start;
    const isHere = (part: NotePart) => isAt(part, position, end);
    const pendingIndex = pendingParts.get(line)?.findIndex(isHere) ?? -1;
    const part =
      pendingIndex === -1
        ? partsByLine.get(line)?.find(isHere)
        : pendingParts.get(line)?.splice(pendingIndex, 1)[0];
    middleLines.push(...(part?.storedLines ?? [line]));
    start += part?.maskedLines.length ?? 1;
  }
  const getStoredLines = ({ storedLines }: NotePart) => storedLines;
  return [
    ...parts.slice(0, firstPartIndex).flatMap(getStoredLines),
    ...middleLines,
    ...parts.slice(endPartIndex).flatMap(getStoredLines),
  ].join('\n');
}

function splitNote(note: string): NotePart[] {
  const storedLines = note.split('\n');
  const maskedLines = maskText(note).split('\n');
  const makeParts = (maskedPart: readonly string[], storedPart: readonly string[]): NotePart[] =>
    maskedPart.map((line, index) => ({
      maskedLines: [line],
      storedLines: [storedPart[index] ?? line],
    }));
  if (storedLines.length === maskedLines.length) return makeParts(maskedLines, storedLines);
  // The mask of a secret with a line end replaces this line end too. The lines before and after all such secrets match.
  const isSameAt = (index: number) =>
    maskText(storedLines.at(index) ?? '') === maskedLines.at(index);
  let [countBefore, countAfter] = [0, 0];
  while (countBefore < maskedLines.length - 1 && isSameAt(countBefore)) countBefore += 1;
  while (countAfter < maskedLines.length - 1 - countBefore && isSameAt(-1 - countAfter))
    countAfter += 1;
  const [maskedEnd, storedEnd] = [maskedLines.length - countAfter, storedLines.length - countAfter];
  return [
    ...makeParts(maskedLines.slice(0, countBefore), storedLines.slice(0, countBefore)),
    {
      maskedLines: maskedLines.slice(countBefore, maskedEnd),
      storedLines: storedLines.slice(countBefore, storedEnd),
    },
    ...makeParts(maskedLines.slice(maskedEnd), storedLines.slice(storedEnd)),
  ];
}

/** The content for a subject without an annotation. */
export const emptyContent: AnnotationContent = {
  displayName: null,
  tags: [],
  note: '',
  isBaseline: false,
};

const noAnnotations = new Annotations([]);

/** Cache of the annotations by their documents. */
const annotationsCache = new WeakMap<readonly StoredDocument[], Annotations>();

/** Returns the annotations of a database; throws the errors of `DocumentStore.read`. */
export async function readAnnotations({ dialect }: Database): Promise<Annotations> {
  const documents = await dialect.documents.read();
  if (documents.length === 0) return noAnnotations;
  const annotations = annotationsCache.get(documents) ?? new Annotations(documents);
  annotationsCache.set(documents, annotations);
  return annotations;
}

/**
 * Returns the annotations of a database; no annotations if the documents are unreadable. Pages then show runs and
 * analyses without annotations, and the endpoints for annotations report the error.
 */
export async function readAnnotationsOrNone(database: Database): Promise<Annotations> {
  try {
    return await readAnnotations(database);
  } catch (error) {
    if (isUnreadableDocumentsError(error)) return noAnnotations;
    throw error;
  }
}

/**
 * Returns the getter of {@link makeOptimizerNameGetter} with the annotations of a database. The getter returns the
 * stored names if the documents are unreadable.
 */
export async function readOptimizerNames(
  database: Database,
  optimizers: readonly string[],
): Promise<(optimizer: string) => string> {
  const annotations = await readAnnotationsOrNone(database);
  return makeOptimizerNameGetter(annotations.list('algorithm'), optimizers);
}

/**
 * Returns the getter of {@link makeOptimizerTitleGetter} with the annotations of a database. The labels are the stored
 * names if the documents are unreadable.
 */
export async function readOptimizerTitles(
  database: Database,
  optimizers: readonly string[],
): Promise<ReturnType<typeof makeOptimizerTitleGetter>> {
  const annotations = await readAnnotationsOrNone(database);
  return makeOptimizerTitleGetter(annotations.list('algorithm'), optimizers);
}

/** Returns whether a database has readable annotations. Unreadable ones must not prevent other work. */
export async function hasAnnotations(database: Database): Promise<boolean> {
  return !(await readAnnotationsOrNone(database)).isEmpty;
}

/** The fields of a filter that apply to annotations. */
interface AnnotationFilter {
  tag: readonly string[];
  q?: string | undefined;
}

/**
 * Adds two fields to the filter of a list of runs: `runIds`, the runs with any of its tags, and `annotatedIds`, the ids
 * of the subjects whose annotations contain its text. Omits `runIds` without tags, and `annotatedIds` without a text.
 */
export function addRunMatches<Filter extends AnnotationFilter>(
  annotations: Annotations,
  filter: Filter,
): Filter & Pick<RunsFilter, 'runIds' | 'annotatedIds'> {
  const { tag, q } = filter;
  return {
    ...filter,
    ...(tag.length > 0 && { runIds: annotations.listIdsWithTags('run', tag) }),
    ...(q !== undefined && { annotatedIds: annotations.findIds(q) }),
  };
}

/**
 * Adds two fields to the filter of a list of experiments: `experimentIds`, the experiments with any of its tags, and
 * `annotatedIds`; see {@link addRunMatches}.
 */
export function addExperimentMatches<Filter extends AnnotationFilter>(
  annotations: Annotations,
  filter: Filter,
): Filter & Pick<ExperimentsFilter, 'experimentIds' | 'annotatedIds'> {
  const { tag, q } = filter;
  return {
    ...filter,
    ...(tag.length > 0 && { experimentIds: annotations.listIdsWithTags('experiment', tag) }),
    ...(q !== undefined && { annotatedIds: annotations.findIds(q) }),
  };
}
