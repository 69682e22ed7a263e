import type { RuleDefinition } from '../define.js';
import brokenPatchElsewhere from './broken-patch-elsewhere.js';
import compactionKeepsNothing from './compaction-keeps-nothing.js';
import dualWriteMismatch from './dual-write-mismatch.js';
import editWithoutReplacement from './edit-without-replacement.js';
import hollowSummary from './hollow-summary.js';
import indexOutOfRange from './index-out-of-range.js';
import noImplementation from './no-implementation.js';
import opWithoutEffect from './op-without-effect.js';
import patchFields from './patch-fields.js';
import patchReason from './patch-reason.js';
import patchSchemaVersion from './patch-schema-version.js';
import patchScope from './patch-scope.js';
import patchUnknownOp from './patch-unknown-op.js';
import promptWithoutTime from './prompt-without-time.js';
import repeatedReplace from './repeated-replace.js';
import sentAsReplayed from './sent-as-replayed.js';
import systemPromptLost from './system-prompt-lost.js';
import unseenMessages from './unseen-messages.js';
import usageAboveWindow from './usage-above-window.js';

/** The rules about the context that replay builds from the entries. */
export const rules: readonly RuleDefinition[] = [
  patchSchemaVersion,
  patchUnknownOp,
  patchScope,
  patchReason,
  patchFields,
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
