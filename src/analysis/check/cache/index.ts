import type { Rule } from '../define.js';
import { promptChangedOften, toolsChangedOften } from './changed-often.js';
import declaredWithoutChange from './declared-without-change.js';
import toolOrder from './tool-order.js';
import undeclaredChange from './undeclared-change.js';
import { datedPrefix, volatilePrefix } from './volatile-prefix.js';

/** The rules about changes that invalidate the prompt cache. */
export const rules: readonly Rule[] = [
  undeclaredChange,
  declaredWithoutChange,
  volatilePrefix,
  datedPrefix,
  toolOrder,
  toolsChangedOften,
  promptChangedOften,
];
