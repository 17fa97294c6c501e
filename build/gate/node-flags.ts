/**
 * For Node where it runs tests and the programs that they start: room in memory for what a start or a test makes, which
 * is else sorted again and again until there is as much. A service starts in four fifths of the processor time.
 */
export const nodeFlags = ['--min-semi-space-size=32', '--max-semi-space-size=32'];
