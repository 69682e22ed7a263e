import type { Rule } from '../define.js';
import allowedReasons from './allowed-reasons.js';
import maxCacheBreaks from './max-cache-breaks.js';
import maxCompactions from './max-compactions.js';
import maxContextTokens from './max-context-tokens.js';
import maxContextUse from './max-context-use.js';
import maxCost from './max-cost.js';
import maxFileSize from './max-file-size.js';
import { forbiddenParts, forbiddenTools, requiredParts, requiredTools } from './parts-and-tools.js';
import snapshot from './snapshot.js';

/** The limits of a team. Each rule is off until the configuration sets its limit. */
export const rules: readonly Rule[] = [
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
