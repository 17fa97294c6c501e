import { getTextStart } from '#shared/syntax.ts';

/** A run as loggers describe it. */
export interface LoggedRun {
  /** Number of the problem instance; 0 if it is unknown. */
  instance: number;
  /** Seed as decimal digits, with a minus sign if it is negative; null if it is unknown or not a whole number. */
  seed: string | null;
  /** Whether the run has completed. */
  hasCompleted: boolean;
  /** Number of evaluations at each improvement, at least 1, in ascending order. Several may be equal. */
  evaluations: readonly number[];
  /** Value of each improvement. */
  values: readonly number[];
  /** Number of evaluations that the run used, at least the number at its last improvement. */
  usedEvaluations: number;
}

/** An optimised function with its suite, and the algorithm of its runs. */
export interface LoggedFunction {
  algorithm: string;
  /** Parameters of the algorithm that all its runs on this function share, by name. */
  attributes: Readonly<Record<string, string | number | boolean>>;
  suite: string;
  functionId: number;
  functionName: string;
  isMaximised: boolean;
  /** Difference from the optimum that counts as solved; 1e-8 if it is unknown. */
  precision: number;
}

/** Functions that format runs as a logger does. */
export interface LoggerFormatter {
  /**
   * Extensions of the data files. Each has the function that formats the rows of a run with at least one improvement.
   */
  dataFiles: readonly {
    extension: string;
    formatRows: (run: LoggedRun, isMaximised: boolean) => string;
  }[];
  /**
   * Returns the path of the data files of a function in a dimension, without their extension. It is relative to the
   * folder of the algorithm.
   */
  getDataPath: (loggedFunction: LoggedFunction, dimension: number) => string;
  /** Returns the path of the index of a function, relative to the folder of the algorithm. */
  getIndexPath: (loggedFunction: LoggedFunction) => string;
  /** Returns the entry of a run in the index. */
  formatEntry: (run: LoggedRun) => string;
  /** Returns the text of a dimension in the index, with the entries of its runs. */
  formatScenario: (
    loggedFunction: LoggedFunction,
    dimension: number,
    entries: readonly string[],
  ) => string;
  /** Returns the whole index from the texts of its dimensions. */
  formatIndex: (loggedFunction: LoggedFunction, scenarios: readonly string[]) => string;
}

/**
 * Returns a number of evaluations as digits without an exponent. Throws a RangeError for a number that is not whole.
 */
export function formatEvaluations(evaluations: number): string {
  return Number.isSafeInteger(evaluations) ? String(evaluations) : String(BigInt(evaluations));
}

/**
 * Returns a text as one line of at most 200 UTF-16 code units. Replaces each sequence of control characters with a
 * space, and each lone surrogate with U+FFFD. Then removes whitespace at both ends, and truncates the text.
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
