import * as z from 'zod';
import type { Kysely } from 'kysely';
import type { Tables } from './schema.ts';

/**
 * Schema of a document that Evoscope stores next to the tables of the runner and not in them. Currently, all documents
 * are annotations.
 */
export const storedDocument = z.object({
  /** The kind of document, such as `run` for the annotation of a run. */
  kind: z.string().min(1),
  /** Id that is unique among the documents of its kind. */
  id: z.string().min(1),
  /** Version that differs after each change, also if the document is deleted and created again. */
  version: z.string().min(1),
  value: z.unknown(),
});

/** Document that {@link storedDocument} describes. */
export type StoredDocument = z.infer<typeof storedDocument>;

/** Reads and writes the documents of a database; see {@link DatabaseDialect.documents}. */
export interface DocumentStore {
  /** Whether a change takes effect with the commit of its transaction; otherwise it takes effect immediately. */
  readonly isTransactional: boolean;
  /**
   * Returns a text that differs after any change by a service. Does not reject if the documents are unreadable. SQLite:
   * the text also differs after a change by another program. PostgreSQL: rejects with the errors of the server.
   */
  readVersion(): Promise<string>;
  /**
   * Returns all documents. Throws DOCUMENTS_UNREADABLE if they are unreadable, for example because another program has
   * created a file or table of the same name. On Linux, also throws DATABASE_CHANGED if a link has replaced the folder
   * of a file whose path must contain no links. The caller must not change the returned documents.
   */
  read(): Promise<readonly StoredDocument[]>;
  /**
   * Throws DOCUMENTS_UNREADABLE if the database user lacks the privilege to read the documents, which other users can
   * read. SQLite: never throws, because the documents are in a file.
   */
  requireReadPrivilege(): Promise<void>;
  /**
   * Replaces all documents by the documents that `change` returns; does nothing if it returns its argument. No other
   * service can change the documents meanwhile. `transaction` must come from {@link
   * DatabaseDialect.withWriteTransaction}. Throws the errors of {@link read} and `change`, and DOCUMENTS_FULL if the
   * documents are larger than {@link maximumDocumentBytes}. SQLite also throws DOCUMENTS_FULL on a full disk, READ_ONLY
   * in memory or if the service cannot write the file, DATABASE_CHANGED if another program has replaced the database
   * file, and DATABASE_UNAVAILABLE if the database file is missing. After an error and the rollback of the transaction,
   * nothing has changed.
   */
  replace(
    transaction: Kysely<Tables>,
    change: (documents: readonly StoredDocument[]) => readonly StoredDocument[],
  ): Promise<void>;
}

/** Maximum size of all documents of a database together, as JSON. */
export const maximumDocumentBytes = 8_388_608;

/** Returns whether the documents are larger than {@link maximumDocumentBytes}. */
export function isTooLarge(documents: readonly StoredDocument[]): boolean {
  const bytes = documents.reduce(
    (sum, document) => sum + Buffer.byteLength(JSON.stringify(document)),
    0,
  );
  return bytes > maximumDocumentBytes;
}
