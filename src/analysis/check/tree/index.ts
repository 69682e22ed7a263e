import type { Rule } from '../define.js';
import abandonedLeaves from './abandoned-leaves.js';
import danglingBranchSummary from './dangling-branch-summary.js';
import newerVersion from './newer-version.js';
import { problemsOfLinks } from './problem-rules.js';
import timeRunsBackwards from './time-runs-backwards.js';

/** The rules about the links between the entries of a file. */
export const rules: readonly Rule[] = [
  ...problemsOfLinks,
  danglingBranchSummary,
  abandonedLeaves,
  timeRunsBackwards,
  newerVersion,
];
