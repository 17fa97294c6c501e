import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';

const fixtures = join(import.meta.dirname, '../fixtures/import');

/** Environment variable with a folder of data sets whose licences do not allow copies in this repository. */
const folderVariable = 'EVOSCOPE_IMPORT_DATA';

/** Reason why a test of such a data set is skipped. */
export const missingDataReason = `its licence allows no copy here: set ${folderVariable} to its folder`;

/** Whether the variable is set. */
export const hasDataFolder = process.env[folderVariable] !== undefined;

/** Returns the archive of a data set; null if it is neither in the fixtures nor in the folder of the variable. */
export function findArchive(dataSet: string): string | null {
  const folders = [fixtures, process.env[folderVariable] ?? fixtures];
  const paths = folders.map((folder) => join(folder, `${dataSet}.tar.gz`));
  return paths.find((path) => existsSync(path)) ?? null;
}

/** The runs of an algorithm on a function in a dimension, by an independent reader. */
export interface ExpectedSet {
  dataset: string;
  algorithm: string;
  function: number | string;
  dimension: number;
  direction: 'min' | 'max';
  /** Instances, sorted, then by repetition; null if the index does not state them. */
  instances: (number | null)[];
  repetitions: number[];
  evaluations: number[];
  finalBest: number[];
  rows: number;
}

/** The same runs to one target. */
export interface ExpectedEntry {
  dataset: string;
  algorithm: string;
  function: number | string;
  dimension: number;
  direction: 'min' | 'max';
  target: number;
  evalsToTarget: (number | null)[];
  successes: number;
  ert: number | null;
}

interface ExpectedData {
  datasets: { dataset: string; runs: number; rows: number; totalEvaluations: number }[];
  sets: ExpectedSet[];
  entries: ExpectedEntry[];
}

/** Reads the expected values of each data set; `meta` in the file defines them. */
export function readExpected(): ExpectedData {
  const compressedData = readFileSync(join(fixtures, 'expected.json.gz'));
  return JSON.parse(gunzipSync(compressedData).toString('utf8')) as ExpectedData;
}
