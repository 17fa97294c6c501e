import fc from 'fast-check';

// The gate tries the same values each time, so that no change fails for values that an earlier one would have failed
// for. `npm run test:long` tries other values each time. A failed property prints its seed.
fc.configureGlobal({ seed: process.env.MODE === 'long' ? Date.now() : 20_261_125 });
