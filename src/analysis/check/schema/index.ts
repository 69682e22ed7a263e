import type { Rule } from '../define.js';
import badTimestamp from './bad-timestamp.js';
import headerFields from './header-fields.js';
import idsWithoutVersion from './ids-without-version.js';
import { fieldRules, unknownKindRules } from './misfit-rules.js';

/** What can be wrong with what entries hold. */
export const rules: readonly Rule[] = [
  headerFields,
  idsWithoutVersion,
  ...fieldRules,
  badTimestamp,
  ...unknownKindRules,
];
