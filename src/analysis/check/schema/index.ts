import type { Rule } from '../define.js';
import badTimestamp from './bad-timestamp.js';
import headerFields from './header-fields.js';
import idsWithoutVersion from './ids-without-version.js';
import { fieldRules, unknownKindRules } from './misfit-rules.js';

/** The rules about the fields of entries. */
export const rules: readonly Rule[] = [
  headerFields,
  idsWithoutVersion,
  ...fieldRules,
  badTimestamp,
  ...unknownKindRules,
];
