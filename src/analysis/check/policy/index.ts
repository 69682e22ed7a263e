import type { RuleDefinition } from '../define.js';
import { maxCacheBreaks, maxCompactions } from './counts.js';
import { maxContextTokens, maxContextUse, maxCost, maxFileSize } from './limits.js';
import { allowedReasons, forbiddenParts, forbiddenTools, requiredParts, requiredTools } from './parts-and-tools.js';
import snapshot from './snapshot.js';

/** The limits of a team. Each rule is off until the configuration sets its limit. */
export const rules: readonly RuleDefinition[] = [
  maxContextTokens,
  maxContextUse,
  maxCacheBreaks,
  allowedReasons,
  requiredParts,
  forbiddenParts,
  requiredTools,
  forbiddenTools,
  maxFileSize,
  maxCost,
  maxCompactions,
  snapshot,
];
