/**
 * Flags of Node for tests and the programs that they start. A larger young generation avoids garbage collections during
 * a start: a service starts in 80 % of the processor time.
 */
export const nodeFlags = ['--min-semi-space-size=32', '--max-semi-space-size=32'];
