/** Whether `npm run test:long` runs the tests: then they may take minutes. */
export const isLong = process.env['npm_lifecycle_event'] === 'test:long';

/** Why the gate skips a test, for the end of its title; empty in `npm run test:long`, which runs all tests. */
export const whySkipped = isLong ? '' : ' (skipped, needs npm run test:long)';
