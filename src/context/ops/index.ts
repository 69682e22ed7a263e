import * as z from 'zod/mini';
import compactionApply from './compaction-apply.js';
import type { Op } from './define.js';
import { messagesCachedReplace, messagesUncachedAppend } from './messages.js';
import optionsSet from './options-set.js';
import { systemPartRemove, systemPartSet, systemPartsReplace } from './system.js';
import { toolsRemove, toolsReplace } from './tools.js';

/** All patch ops. */
export const ops: readonly Op[] = [
  systemPartSet,
  systemPartRemove,
  systemPartsReplace,
  toolsReplace,
  toolsRemove,
  messagesCachedReplace,
  messagesUncachedAppend,
  optionsSet,
  compactionApply,
];

/** The JSON form of a patch: ops in the order in which they apply. */
export const patch = z.array(z.union(ops.map(({ schema }) => schema)));
