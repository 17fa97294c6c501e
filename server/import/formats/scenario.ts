import type { Direction } from '#server/domain/objective.ts';
import type { FlatAttribute } from './attributes.ts';

/** The runs of an algorithm on a function in a dimension that an index lists for one set of data files. */
export interface Scenario {
  /** The index file and the line, where it has lines. */
  file: string;
  line: number | null;
  algorithm: string;
  /** What the logger says of the algorithm beyond its name. */
  attributes: Readonly<Record<string, FlatAttribute>>;
  /** Null where the index does not say, or says that it does not know. */
  suite: string | null;
  /** Digits or a text. */
  functionId: string;
  functionName: string | null;
  dimension: number;
  /** Null where the index does not say. */
  direction: Direction | null;
  /** The target of COCO's loggers, 1e-8; null where the index has none. */
  precision: number | null;
  /** Path of the data files in the source, without their endings; null where it leads out of the folder. */
  data: string | null;
  /** The last part of that path. */
  dataName: string;
  runs: ListedRun[];
}

/** A run as an index lists it. */
export interface ListedRun {
  instance: number;
  /** Evaluations used, or those until the best, by the logger; 0 where it does not say. */
  evaluations: number;
  isFinalised: boolean;
}
