import { randomUUID } from 'node:crypto';
import type { Database } from '#server/db/database.ts';
import type { StoredDocument } from '#server/db/documents.ts';
import { makeNotFoundError, ProblemError, requireWritable } from '#server/errors.ts';
import {
  makeAnnotation,
  emptyContent,
  readAnnotations,
  readAnnotationsOrNone,
  restoreSecrets,
  type Annotations,
} from '#server/records/annotations.ts';
import { hasExperiment } from '#server/repositories/experiments.ts';
import { listPresentExperiments } from '#server/repositories/locks.ts';
import { listPresentRuns, hasRun } from '#server/repositories/runs.ts';
import {
  annotationContent,
  type Annotation,
  type AnnotationBody,
  type AnnotationContent,
  type AnnotationKind,
} from '#shared/schemas/annotation.ts';
import { annotationKinds } from '#shared/words.ts';

/** The run, experiment or algorithm that an annotation is about. */
export interface Subject {
  kind: AnnotationKind;
  id: string;
}

/**
 * Returns the annotations of a kind, or of all kinds in the order of {@link annotationKinds}, then by id. Omits
 * annotations of runs and experiments that are not in the database. Throws the errors of {@link DocumentStore.read}.
 */
export async function listAnnotations(
  database: Database,
  kind: AnnotationKind | undefined,
): Promise<Annotation[]> {
  const annotations = await readAnnotations(database);
  const lists = await Promise.all(
    annotationKinds
      .filter((annotationKind) => kind === undefined || annotationKind === kind)
      .map((annotationKind) => listPresentAnnotations(database, annotations, annotationKind)),
  );
  return lists.flat();
}

/** Returns the annotations of a kind by id. Omits annotations of missing runs and experiments. */
export async function listPresentAnnotations(
  { kysely, dialect }: Database,
  annotations: Annotations,
  kind: AnnotationKind,
): Promise<Annotation[]> {
  const listedAnnotations = annotations.list(kind);
  if (kind === 'algorithm' || listedAnnotations.length === 0) return listedAnnotations;
  const ids = listedAnnotations.map(({ id }) => id);
  const presentIds =
    kind === 'run'
      ? await listPresentRuns({ kysely, dialect }, ids)
      : await listPresentExperiments(kysely, dialect, ids, { isLocked: false });
  const idSet = new Set(presentIds);
  return listedAnnotations.filter(({ id }) => idSet.has(id));
}

/**
 * Returns the annotation of a subject; an empty one if there is none. Throws RUN_NOT_FOUND, EXPERIMENT_NOT_FOUND and
 * the errors of {@link DocumentStore.read}.
 */
export async function getAnnotation(database: Database, subject: Subject): Promise<Annotation> {
  await requireSubject(database, subject);
  return (
    (await readAnnotations(database)).get(subject.kind, subject.id) ?? makeEmptyAnnotation(subject)
  );
}

/**
 * Saves the annotation of a subject and returns it. If the content is empty, removes the annotation and returns an
 * empty one. Retains the secrets that users received masked; see {@link restoreSecrets}. A new baseline replaces the
 * previous one of its kind. Throws VERSION_CONFLICT with the current annotation if the version of that annotation is
 * not `version`, READ_ONLY with the reason, and the errors of {@link getAnnotation} and {@link DocumentStore.replace}.
 */
export async function saveAnnotation(
  database: Database,
  subject: Subject,
  { version, ...content }: AnnotationBody,
): Promise<Annotation> {
  await requireWritable(database);
  await requireSubject(database, subject);
  let newDocument: StoredDocument | undefined;
  await changeDocument(database, subject, version, (documents, currentDocument) => {
    newDocument = isEmpty(content)
      ? undefined
      : { ...subject, version: randomUUID(), value: restoreSecrets(content, currentDocument) };
    return [
      ...(content.isBaseline
        ? documents.flatMap((document) =>
            document.kind === subject.kind ? removeBaseline(document) : document,
          )
        : documents),
      ...(newDocument ? [newDocument] : []),
    ];
  });
  return newDocument ? makeAnnotation(subject.kind, newDocument) : makeEmptyAnnotation(subject);
}

/**
 * Removes the annotation of a subject, even of a deleted one, and returns an empty annotation. Throws VERSION_CONFLICT
 * with the current annotation if the version of that annotation is not `version`, READ_ONLY with the reason, and the
 * errors of {@link DocumentStore.replace}.
 */
export async function removeAnnotation(
  database: Database,
  subject: Subject,
  version: string,
): Promise<Annotation> {
  await requireWritable(database);
  await changeDocument(database, subject, version, (documents) => documents);
  return makeEmptyAnnotation(subject);
}

/**
 * Moves the annotation of a deleted experiment to the experiment that replaces it, unless the new experiment has an
 * annotation. Does nothing if there is no annotation to move, or if the annotations are unreadable. Throws the errors
 * of {@link DocumentStore.replace}.
 */
export async function moveExperimentAnnotation(
  database: Database,
  fromId: string,
  toId: string,
): Promise<void> {
  const annotations = await readAnnotationsOrNone(database);
  if (annotations.get('experiment', fromId) === undefined) return;
  const { dialect } = database;
  await dialect.withWriteTransaction((transaction) =>
    dialect.documents.replace(transaction, (documents) => {
      const findDocument = (experimentId: string) =>
        documents.find(({ kind, id }) => kind === 'experiment' && id === experimentId);
      const movedDocument = findDocument(fromId);
      if (!movedDocument || findDocument(toId)) return documents;
      return documents.map((document) =>
        document === movedDocument ? { ...document, id: toId } : document,
      );
    }),
  );
}

/**
 * Replaces all documents by the result of `makeDocuments`, which receives the documents of other subjects, and the
 * document of this subject (undefined if there is none). Throws VERSION_CONFLICT if the document of this subject has
 * another version than `version`; null means that there is no document. Throws the errors of {@link
 * DocumentStore.replace}.
 */
async function changeDocument(
  { dialect }: Database,
  subject: Subject,
  version: string | null,
  makeDocuments: (
    documents: readonly StoredDocument[],
    currentDocument: StoredDocument | undefined,
  ) => readonly StoredDocument[],
): Promise<void> {
  await dialect.withWriteTransaction((transaction) =>
    dialect.documents.replace(transaction, (documents) => {
      const isSubject = ({ kind, id }: StoredDocument) =>
        kind === subject.kind && id === subject.id;
      const currentDocument = documents.find(isSubject);
      if ((currentDocument?.version ?? null) !== version)
        throw makeConflictError(subject, currentDocument);
      return makeDocuments(
        documents.filter((document) => !isSubject(document)),
        currentDocument,
      );
    }),
  );
}

function makeConflictError(
  subject: Subject,
  currentDocument: StoredDocument | undefined,
): ProblemError {
  return new ProblemError(
    'VERSION_CONFLICT',
    'Another client changed the notes meanwhile, so the service did not save your change. Compare both versions, then try again',
    {
      currentAnnotation: currentDocument
        ? makeAnnotation(subject.kind, currentDocument)
        : makeEmptyAnnotation(subject),
    },
  );
}

/**
 * Returns a list with the document, without its mark as baseline; an empty list if a marked document has no other
 * content.
 */
function removeBaseline(document: StoredDocument): StoredDocument[] {
  const value = Object(document.value) as { isBaseline?: unknown };
  if (value.isBaseline !== true) return [document];
  const newValue = { ...value, isBaseline: false };
  // A document with fields of another version of the program is not empty.
  const { data } = annotationContent.strict().safeParse(newValue);
  return data && isEmpty(data) ? [] : [{ ...document, version: randomUUID(), value: newValue }];
}

function isEmpty({ displayName, tags, note, isBaseline }: AnnotationContent): boolean {
  return displayName === null && tags.length === 0 && note.trim() === '' && !isBaseline;
}

function makeEmptyAnnotation({ kind, id }: Subject): Annotation {
  return { kind, id, version: null, ...emptyContent };
}

async function requireSubject(database: Database, { kind, id }: Subject): Promise<void> {
  if (kind === 'run' && !(await hasRun(database, id))) throw makeNotFoundError('run', id);
  if (kind === 'experiment' && !(await hasExperiment(database, id)))
    throw makeNotFoundError('experiment', id);
}

/** Runs and experiments whose annotations a deletion removes. */
export interface AnnotatedSubjects {
  experimentIds: readonly string[];
  runIds: readonly string[];
}

/** Returns the number of these runs and experiments that have an annotation. */
export function countAnnotations(
  annotations: Annotations,
  { experimentIds, runIds }: AnnotatedSubjects,
): number {
  const countSubjects = (kind: AnnotationKind, ids: readonly string[]) =>
    ids.filter((id) => annotations.get(kind, id) !== undefined).length;
  return countSubjects('experiment', experimentIds) + countSubjects('run', runIds);
}

/**
 * Deletes the annotations of deleted runs and experiments in a write transaction, and returns the number of deleted
 * annotations. Throws the errors of {@link DocumentStore.replace}.
 */
export async function deleteAnnotations(
  { dialect }: Database,
  transaction: Database['kysely'],
  { experimentIds, runIds }: AnnotatedSubjects,
): Promise<number> {
  const idsByKind: Partial<Record<string, ReadonlySet<string>>> = {
    experiment: new Set(experimentIds),
    run: new Set(runIds),
  };
  let count = 0;
  await dialect.documents.replace(transaction, (documents) => {
    const remainingDocuments = documents.filter(({ kind, id }) => !idsByKind[kind]?.has(id));
    count = documents.length - remainingDocuments.length;
    return count === 0 ? documents : remainingDocuments;
  });
  return count;
}
