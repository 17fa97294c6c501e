import { getTextStart } from '#shared/syntax.ts';

/** A run as loggers describe it. */
export interface LoggedRun {
  /** Number of the problem instance; 0 if it is unknown. */
  instance: number;
  /** Seed as decimal digits; null if it is unknown. */
  seed: string | null;
  /** Whether the run has completed. */
  hasCompleted: boolean;
  /** Evaluations of the improvements, ascending, at least 1. */
  evaluations: readonly number[];
  /** Best value at each of these evaluations. */
  values: readonly number[];
  /** Used evaluations, at least those of the last improvement. */
  usedEvaluations: number;
}

/** The function that runs optimised, and the algorithm. */
export interface LoggedFunction {
  algorithm: string;
  /** Parameters of the algorithm by name. */
  attributes: Readonly<Record<string, string | number | boolean>>;
  suite: string;
  functionId: number;
  functionName: string;
  isMaximised: boolean;
  /** Difference from the optimum that counts as solved. */
  precision: number;
}

/** Functions that format runs as a logger does. */
export interface LoggerTexts {
  /** Extensions of the data files, each with the function that formats the rows of a run that has an improvement. */
  dataFiles: readonly {
    extension: string;
    formatRows: (run: LoggedRun, isMaximised: boolean) => string;
  }[];
  /** Returns the path of the data files of a function in a dimension, without the extension. */
  getDataPath: (loggedFunction: LoggedFunction, dimension: number) => string;
  /** Returns the path of the index of a function. */
  getIndexPath: (loggedFunction: LoggedFunction) => string;
  /** Returns the entry of a run in the index. */
  formatEntry: (run: LoggedRun) => string;
  /** Returns the text around the entries of all runs in a dimension. */
  formatScenario: (
    loggedFunction: LoggedFunction,
    dimension: number,
    entries: readonly string[],
  ) => string;
  /** Returns the whole index from the texts of its dimensions. */
  formatIndex: (loggedFunction: LoggedFunction, scenarios: readonly string[]) => string;
}

/** Returns a number of evaluations as digits, also beyond 10^21. Throws a RangeError for a number that is not whole. */
export function formatEvaluations(evaluations: number): string {
  return Number.isSafeInteger(evaluations) ? String(evaluations) : String(BigInt(evaluations));
}

/**
 * Returns a text as one line of at most 200 characters. A space replaces each sequence of control characters, and
 * U+FFFD each lone surrogate. Removes whitespace at both ends.
 */
export function toLine(text: string): string {
  return getTextStart(
    text
      .toWellFormed()
      .replaceAll(/\p{Cc}+/gu, ' ')
      .trim(),
    200,
  );
}
