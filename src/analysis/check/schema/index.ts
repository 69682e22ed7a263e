import type { RuleDefinition } from '../define.js';
import { badTimestamp, headerFields, idsWithoutVersion } from './field-rules.js';
import { fieldRules, unknownKindRules } from './misfit-rules.js';

/** The rules about the fields of entries. */
export const rules: readonly RuleDefinition[] = [
  headerFields,
  idsWithoutVersion,
  ...fieldRules,
  badTimestamp,
  ...unknownKindRules,
];
