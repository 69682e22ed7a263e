import type { Rule } from '../define.js';
import brokenPatchElsewhere from './broken-patch-elsewhere.js';
import compactionKeepsNothing from './compaction-keeps-nothing.js';
import dualWriteMismatch from './dual-write-mismatch.js';
import editWithoutReplacement from './edit-without-replacement.js';
import indexOutOfRange from './index-out-of-range.js';
import noImplementation from './no-implementation.js';
import opWithoutEffect from './op-without-effect.js';
import { patchRules } from './patch-rules.js';
import promptWithoutTime from './prompt-without-time.js';
import repeatedReplace from './repeated-replace.js';
import sentAsReplayed from './sent-as-replayed.js';
import systemPromptLost from './system-prompt-lost.js';

/** The rules about the context that replay builds from the entries. */
export const rules: readonly Rule[] = [
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
