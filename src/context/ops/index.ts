import * as z from 'zod/mini';
import compactionApply from './compaction-apply.js';
import type { Op } from './define.js';
import messagesCachedReplace from './messages-cached-replace.js';
import messagesUncachedAppend from './messages-uncached-append.js';
import optionsSet from './options-set.js';
import systemPartRemove from './system-part-remove.js';
import systemPartSet from './system-part-set.js';
import systemPartsReplace from './system-parts-replace.js';
import toolsRemove from './tools-remove.js';
import toolsReplace from './tools-replace.js';

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
