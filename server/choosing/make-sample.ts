import { reserveFile, type ReservedFile } from '#server/db/dialects/sqlite-file.ts';
import { openDatabase } from '#server/db/open.ts';
import { ProblemError } from '#server/errors.ts';
import { importDataSets } from '#server/import/import-data-sets.ts';
import { sampleCampaign } from '#server/import/sample-campaign.ts';
import { countRuns, runSample } from '#server/sample/run-sample.ts';
import type { SampleProgress } from './orders.ts';

/**
 * Makes a SQLite file with the sample runs and the sample campaign. A file that is there is never touched: FILE_EXISTS.
 * What cannot be finished, or is aborted by the signal, leaves no file behind.
 */
export async function makeSample(
  file: string,
  onProgress: (progress: SampleProgress) => void,
  signal: AbortSignal,
): Promise<void> {
  const reserved = reserve(file);
  try {
    await fill(file, onProgress, signal);
  } catch (error) {
    reserved.remove();
    throw error;
  } finally {
    reserved.release();
  }
}

async function fill(
  file: string,
  onProgress: (progress: SampleProgress) => void,
  signal: AbortSignal,
): Promise<void> {
  const database = await openDatabase({
    dialect: 'sqlite',
    file,
    mode: 'rw',
    immutable: false,
    noLinks: true,
  });
  try {
    const totalRuns = countRuns();
    let runs = 0;
    onProgress({ runs, totalRuns });
    const onRunEnd = () => onProgress({ runs: ++runs, totalRuns });
    await runSample({ database, signal, onRunEnd });
    const { path, name } = sampleCampaign;
    await importDataSets(database, { path }, { name }, () => {}, signal);
  } finally {
    await database.close();
  }
}

/** Makes the file, empty, unless there is one. */
function reserve(file: string): ReservedFile {
  try {
    return reserveFile(file);
  } catch (error) {
    const { code } = Object(error) as { code?: unknown };
    if (code === 'EEXIST') {
      throw new ProblemError('FILE_EXISTS', 'There is a file of this name: choose another one');
    }
    throw new ProblemError('DATABASE_REFUSED', `The file cannot be made (${String(code)})`);
  }
}
