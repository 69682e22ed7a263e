import type { RuleDefinition } from '../define.js';
import { promptChangedOften, toolsChangedOften } from './changed-often.js';
import { declaredWithoutChange, undeclaredChange } from './declaration-rules.js';
import { toolOrder } from './tool-order.js';
import { datedPrefix, volatilePrefix } from './volatile-prefix.js';

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
