/** Whether `npm run test:long` runs the tests, so that they may take minutes. */
export const isLong = process.env['npm_lifecycle_event'] === 'test:long';
