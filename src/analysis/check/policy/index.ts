import type { RuleDefinition } from '../define.js';
import allowedReasons from './allowed-reasons.js';
import forbiddenCommands from './forbidden-commands.js';
import forbiddenParts from './forbidden-parts.js';
import forbiddenTools from './forbidden-tools.js';
import maxCacheBreaks from './max-cache-breaks.js';
import maxCalls from './max-calls.js';
import maxCompactions from './max-compactions.js';
import maxContextTokens from './max-context-tokens.js';
import maxContextUse from './max-context-use.js';
import maxCost from './max-cost.js';
import maxFileSize from './max-file-size.js';
import maxGrowth from './max-growth.js';
import maxUsage from './max-usage.js';
import requiredCalls from './required-calls.js';
import requiredParts from './required-parts.js';
import requiredTools from './required-tools.js';
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
  forbiddenCommands,
  requiredCalls,
  maxCalls,
  maxFileSize,
  maxCost,
  maxUsage,
  maxGrowth,
  maxCompactions,
  snapshot,
];
