import type { RuleDefinition } from '../define.js';
import badTimestamp from './bad-timestamp.js';
import blockFields from './block-fields.js';
import entryFields from './entry-fields.js';
import headerFields from './header-fields.js';
import idsWithoutVersion from './ids-without-version.js';
import messageFields from './message-fields.js';
import misplacedBlock from './misplaced-block.js';
import missingContent from './missing-content.js';
import oddFields from './odd-fields.js';
import opFields from './op-fields.js';
import unknownBlock from './unknown-block.js';
import unknownEntry from './unknown-entry.js';
import unknownRole from './unknown-role.js';
import usageFields from './usage-fields.js';

/** The rules about the fields of entries. */
export const rules: readonly RuleDefinition[] = [
  headerFields,
  idsWithoutVersion,
  entryFields,
  messageFields,
  blockFields,
  opFields,
  usageFields,
  missingContent,
  misplacedBlock,
  oddFields,
  badTimestamp,
  unknownEntry,
  unknownRole,
  unknownBlock,
];
