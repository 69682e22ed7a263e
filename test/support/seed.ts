import * as fc from 'fast-check';

// The same cases each time, so that a failure is the fault of a change. FC_SEED gives others.
fc.configureGlobal({ seed: Number(process.env['FC_SEED'] ?? 7) });
