import type { LoggerFormat } from './formats/columns.ts';
import type { StoredInteger } from '#server/db/schema.ts';
import type { FlatAttribute } from './formats/attributes.ts';
import type { Direction } from '#server/domain/objective.ts';
import type { RunTrace } from '#server/domain/trace.ts';

/** The runs of one algorithm on one function in one dimension: what becomes an experiment. */
export interface RunGroup {
  format: LoggerFormat | 'table';
  algorithm: string;
  attributes: Readonly<Record<string, FlatAttribute>>;
  /** What distinguishes problems of one name, such as their rotation; usually nothing. */
  problemAttributes: Readonly<Record<string, FlatAttribute>>;
  /** Null where the data belong to no suite and tell no instances: then there is no campaign. */
  suite: string | null;
  /** Digits or a text. */
  functionId: string;
  functionName: string | null;
  /** Null where the data do not say. */
  dimension: number | null;
  direction: Direction;
  /** The value that solves the function; null where the data have none. */
  precision: number | null;
  /** In reading order. */
  runs: ImportedRun[];
}

/** A run as it is written. */
export interface ImportedRun {
  /** 0 = unknown. */
  instance: number;
  /** Pairs runs with those of other algorithms: the seed of a table, else the instance. Decimal digits beyond 2^53. */
  seed: StoredInteger;
  /** From 1 among the runs of one place, in reading order. */
  repetition: number;
  /** `spent` are the evaluations that it used. */
  trace: RunTrace;
  /** The digits of evaluations beyond 2^53, by the nearest double. */
  exact: ReadonlyMap<number, string> | null;
  isFinalised: boolean;
  modifiedAt: Date;
}

/** What the runs of a group differ by, apart from their repetition: the instance; without one (0) the seed. */
export function placeOf({ instance, seed }: Pick<ImportedRun, 'instance' | 'seed'>): StoredInteger {
  return instance === 0 ? seed : instance;
}

/** Numbers the runs of each place from 1, in their order. */
export function numberRepetitions<Run extends Pick<ImportedRun, 'instance' | 'seed'>>(
  runs: readonly Run[],
): (Run & { repetition: number })[] {
  const counts = new Map<string, number>();
  return runs.map((run) => {
    const key = `${run.instance} ${placeOf(run)}`;
    const repetition = (counts.get(key) ?? 0) + 1;
    counts.set(key, repetition);
    return { ...run, repetition };
  });
}
