import type { RuleDefinition } from '../define.js';
import datedPrefix from './dated-prefix.js';
import declaredWithoutChange from './declared-without-change.js';
import promptChangedOften from './prompt-changed-often.js';
import toolOrder from './tool-order.js';
import toolsChangedOften from './tools-changed-often.js';
import undeclaredChange from './undeclared-change.js';
import volatilePrefix from './volatile-prefix.js';

/** The rules about changes that invalidate the prompt cache. */
export const rules: readonly RuleDefinition[] = [
  undeclaredChange,
  declaredWithoutChange,
  volatilePrefix,
  datedPrefix,
  toolOrder,
  toolsChangedOften,
  promptChangedOften,
];
