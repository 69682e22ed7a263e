import type { Baseline } from './baseline.js';
import type { ReadPatch } from './patch-step.js';
import type { TokenMethod } from './tokens.js';

/** What a replay needs to know beside the path. */
export interface ReplayOptions {
  readonly readPatch: ReadPatch;
  readonly baseline: Baseline;
  /** true: an op that breaks a boundary rule is skipped with a diagnostic instead of ending the replay. */
  readonly lenient: boolean;
  /** From this entry of the path on, messages are counted and let go: of what is sent, only the size is known then. */
  readonly sizesFrom?: number;
  /** Names of the tools that something implements; without it, those that the session's system messages declare. */
  readonly implementations?: readonly string[] | undefined;
  /** How tokens are counted; as Pi does it where nothing is said. */
  readonly method?: TokenMethod;
}
