/** Limits of the memory of caches, in megabytes. */
export interface MemoryLimits {
  /** Limit of the cached traces, which all threads share. */
  traceMegabytes: number;
  /** Limit of the cached responses in the thread that receives requests. */
  responseMegabytes: number;
  /** Limit of the estimated size of the intermediate results in all analysis threads together. */
  memoMegabytes: number;
}

/** Default limits of a service. */
export const defaultLimits: MemoryLimits = {
  traceMegabytes: 256,
  responseMegabytes: 16,
  memoMegabytes: 32,
};

/** Number of bytes in a megabyte of the limits: 2²⁰. */
export const bytesPerMegabyte = 1_048_576;
