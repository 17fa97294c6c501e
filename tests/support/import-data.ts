import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';

const fixtures = join(import.meta.dirname, '../fixtures/import');

/** Names a folder with data sets whose licences keep them out of this repository. */
const folderVariable = 'EVOSCOPE_IMPORT_DATA';

/** Why a test over such a data set is skipped. */
export const missingDataReason = `its licence keeps it out of here: ${folderVariable} names its folder`;

/** Whether such a folder is named. */
export const hasDataFolder = process.env[folderVariable] !== undefined;

/** The archive of a data set; null where it is neither among the fixtures nor in the folder of the variable. */
export function findArchive(dataSet: string): string | null {
  const folders = [fixtures, process.env[folderVariable] ?? fixtures];
  const paths = folders.map((folder) => join(folder, `${dataSet}.tar.gz`));
  return paths.find((path) => existsSync(path)) ?? null;
}

/** The runs of an algorithm on a function in a dimension, as an independent reader has them. */
export interface ExpectedSet {
  dataset: string;
  algorithm: string;
  function: number | string;
  dimension: number;
  direction: 'min' | 'max';
  /** By instance, then repetition; null = the index does not say. */
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

interface Expected {
  datasets: { dataset: string; runs: number; rows: number; totalEvaluations: number }[];
  sets: ExpectedSet[];
  entries: ExpectedEntry[];
}

/** The expected values of each data set; the rules are in its `meta`. */
export function readExpected(): Expected {
  const packed = readFileSync(join(fixtures, 'expected.json.gz'));
  return JSON.parse(gunzipSync(packed).toString('utf8')) as Expected;
}
