import type { Rule } from '../define.js';
import datedPrefix from './dated-prefix.js';
import declaredWithoutChange from './declared-without-change.js';
import promptChangedOften from './prompt-changed-often.js';
import toolOrder from './tool-order.js';
import toolsChangedOften from './tools-changed-often.js';
import undeclaredChange from './undeclared-change.js';
import volatilePrefix from './volatile-prefix.js';

/** What keeps a provider from using what it has cached. */
export const rules: readonly Rule[] = [
  undeclaredChange,
  declaredWithoutChange,
  volatilePrefix,
  datedPrefix,
  toolOrder,
  toolsChangedOften,
  promptChangedOften,
];
