import type { RuleDefinition } from '../define.js';
import abandonedLeaves from './abandoned-leaves.js';
import cycle from './cycle.js';
import danglingBranchSummary from './dangling-branch-summary.js';
import danglingCompaction from './dangling-compaction.js';
import danglingEdit from './dangling-edit.js';
import danglingLabel from './dangling-label.js';
import duplicateId from './duplicate-id.js';
import lateParent from './late-parent.js';
import newerVersion from './newer-version.js';
import orphan from './orphan.js';
import timeRunsBackwards from './time-runs-backwards.js';

/** The rules about the links between the entries of a file. */
export const rules: readonly RuleDefinition[] = [
  duplicateId,
  orphan,
  cycle,
  danglingLabel,
  danglingEdit,
  danglingCompaction,
  danglingBranchSummary,
  abandonedLeaves,
  lateParent,
  timeRunsBackwards,
  newerVersion,
];
