/** How much memory the results of analyses may take, in megabytes. */
export interface MemoryLimits {
  /** Traces, which all threads share. */
  traceMegabytes: number;
  /** Finished answers, in the thread that answers requests. */
  answerMegabytes: number;
  /** Intermediate results, by their estimated size, in all threads that analyse together. */
  memoMegabytes: number;
}

export const usualLimits: MemoryLimits = {
  traceMegabytes: 256,
  answerMegabytes: 16,
  memoMegabytes: 32,
};

export const bytesPerMegabyte = 1_048_576;
