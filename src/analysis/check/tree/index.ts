import type { Rule } from '../define.js';
import { abandonedLeaves, danglingBranchSummary } from './branch-rules.js';
import { problemsOfLinks } from './problem-rules.js';
import { newerVersion, timeRunsBackwards } from './time-rules.js';

/** The rules about the links between the entries of a file. */
export const rules: readonly Rule[] = [
  ...problemsOfLinks,
  danglingBranchSummary,
  abandonedLeaves,
  timeRunsBackwards,
  newerVersion,
];
