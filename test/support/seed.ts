import * as fc from 'fast-check';
import { compareBytesAtOnce } from './equal-bytes.js';
import { runs } from './runs.js';

// The same cases each time, so that a failure is the fault of a change. FC_SEED gives others.
fc.configureGlobal({ seed: Number(process.env['FC_SEED'] ?? 7), numRuns: runs(100) });

compareBytesAtOnce();
