import type { Strategy } from '../define.js';
import compress from './compress.js';
import { decay } from './decay.js';
import dedupe from './dedupe.js';
import distill from './distill.js';
import errors from './errors.js';
import fold from './fold.js';
import images from './images.js';
import { summaries } from './summaries.js';
import thinking from './thinking.js';
import { turns } from './turns.js';

/** All ways to make a context smaller, in the order in which they are listed. */
export const strategies: readonly Strategy[] = [
  turns,
  summaries,
  dedupe,
  errors,
  thinking,
  images,
  distill,
  compress,
  fold,
  decay,
];
