/** The longest write lock, in seconds, that a runner is kept waiting with unless the user forces it. */
export const harmlessLockSeconds = 1;

/** Another program that wrote to the database within this time is taken to be writing still. */
export const recentWriteMillis = 10_000;
