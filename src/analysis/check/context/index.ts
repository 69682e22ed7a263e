import type { RuleDefinition } from '../define.js';
import dualWriteMismatch from './dual-write-mismatch.js';
import { indexOutOfRange, opWithoutEffect, repeatedReplace } from './op-rules.js';
import { brokenPatchElsewhere, patchRules } from './patch-rules.js';
import { noImplementation, promptWithoutTime, systemPromptLost } from './prompt-rules.js';
import { compactionKeepsNothing, editWithoutReplacement, sentAsReplayed } from './stock-rules.js';

/** The rules about the context that replay builds from the entries. */
export const rules: readonly RuleDefinition[] = [
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
];
