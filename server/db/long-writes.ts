/** Maximum write lock, in seconds, while a runner writes, unless the user forces a longer one. */
export const harmlessLockSeconds = 1;

/** A program that wrote to the database within this time counts as writing. */
export const recentWriteMillis = 10_000;
