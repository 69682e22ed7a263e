import type { RuleDefinition } from '../define.js';
import {
  abandonedLeaves,
  danglingBranchSummary,
  newerVersion,
  problemsOfLinks,
  timeRunsBackwards,
} from './tree-rules.js';

/** The rules about the links between the entries of a file. */
export const rules: readonly RuleDefinition[] = [
  ...problemsOfLinks,
  danglingBranchSummary,
  abandonedLeaves,
  timeRunsBackwards,
  newerVersion,
];
