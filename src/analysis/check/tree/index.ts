import type { RuleDefinition } from '../define.js';
import { problemsOfLinks } from './problem-rules.js';
import { abandonedLeaves, danglingBranchSummary, newerVersion, timeRunsBackwards } from './tree-rules.js';

/** The rules about the links between the entries of a file. */
export const rules: readonly RuleDefinition[] = [
  ...problemsOfLinks,
  danglingBranchSummary,
  abandonedLeaves,
  timeRunsBackwards,
  newerVersion,
];
