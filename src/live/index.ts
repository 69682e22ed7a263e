import type { LivePart } from './define.js';
import recorder from './recorder.js';
import transforms from './transforms.js';

/** The parts of the extension, in the order in which their handlers run. */
export const parts: readonly LivePart[] = [transforms, recorder];
