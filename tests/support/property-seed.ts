import fc from 'fast-check';
import { isLong } from './long.ts';

// The gate tries the same values each time, so that no change fails for values that an earlier one would have failed
// for. `npm run test:long` tries other values each time. A failed property prints its seed.
fc.configureGlobal({ seed: isLong ? Date.now() : 20_261_125 });
