import { promptChangedOften, toolsChangedOften } from './cache/changed-often.js';
import { declaredWithoutChange, undeclaredChange } from './cache/declaration-rules.js';
import { toolOrder } from './cache/tool-order.js';
import { datedPrefix, volatilePrefix } from './cache/volatile-prefix.js';
import dualWriteMismatch from './context/dual-write-mismatch.js';
import hollowSummary from './context/hollow-summary.js';
import { indexOutOfRange, opWithoutEffect, repeatedReplace } from './context/op-rules.js';
import { brokenPatchElsewhere, patchRules } from './context/patch-rules.js';
import { noImplementation, promptWithoutTime, systemPromptLost } from './context/prompt-rules.js';
import { compactionKeepsNothing, editWithoutReplacement, sentAsReplayed } from './context/stock-rules.js';
import unseenMessages from './context/unseen-messages.js';
import usageAboveWindow from './context/usage-above-window.js';
import type { RuleDefinition } from './define.js';
import { forbiddenCommands, maxCalls, requiredCalls } from './policy/call-rules.js';
import { maxCacheBreaks, maxCompactions } from './policy/counts.js';
import { maxContextTokens, maxContextUse, maxCost, maxFileSize } from './policy/limits.js';
import {
  allowedReasons,
  forbiddenParts,
  forbiddenTools,
  requiredParts,
  requiredTools,
} from './policy/parts-and-tools.js';
import snapshot from './policy/snapshot.js';
import { maxGrowth, maxUsage } from './policy/usage-rules.js';
import { badTimestamp, headerFields, idsWithoutVersion } from './schema/field-rules.js';
import { fieldRules, unknownKindRules } from './schema/misfit-rules.js';

/** The rules about the fields of entries. */
export const schema: readonly RuleDefinition[] = [
  headerFields,
  idsWithoutVersion,
  ...fieldRules,
  badTimestamp,
  ...unknownKindRules,
];

/** The rules about the context that replay builds from the entries. */
export const context: readonly RuleDefinition[] = [
  ...patchRules,
  brokenPatchElsewhere,
  editWithoutReplacement,
  compactionKeepsNothing,
  dualWriteMismatch,
  systemPromptLost,
  promptWithoutTime,
  indexOutOfRange,
  opWithoutEffect,
  repeatedReplace,
  noImplementation,
  sentAsReplayed,
  unseenMessages,
  hollowSummary,
  usageAboveWindow,
];

/** The rules about changes that invalidate the prompt cache. */
export const cache: readonly RuleDefinition[] = [
  undeclaredChange,
  declaredWithoutChange,
  volatilePrefix,
  datedPrefix,
  toolOrder,
  toolsChangedOften,
  promptChangedOften,
];

/** The limits of a team. Each rule is off until the configuration sets its limit. */
export const policy: readonly RuleDefinition[] = [
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
