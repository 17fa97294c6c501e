import fc from 'fast-check';
import { isLong } from './long.ts';

// The gate uses the same values each time, so that a change does not fail because of values that also fail without it.
// `npm run test:long` uses other values each time. A failed property prints its seed.
fc.configureGlobal({ seed: isLong ? Date.now() : 20_261_125 });
