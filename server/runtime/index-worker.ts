import type { AuxiliaryIndex, IndexOutcome } from '#server/db/dialect.ts';
import type { FileLocation } from '#server/db/dialects/sqlite-file.ts';
import { createSqliteIndex } from '#server/db/dialects/sqlite-index-build.ts';
import { serveTasks } from './tasks.ts';

/** An index to build in a SQLite file. */
export interface IndexTask {
  location: FileLocation;
  index: AuxiliaryIndex;
}

serveTasks<IndexTask, IndexOutcome>({
  run: ({ location, index }, { isCancelled }) => createSqliteIndex(location, index, isCancelled),
});
