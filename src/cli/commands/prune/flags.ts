import { PRUNE_FORMS } from '#change/prune/forms.js';
import { ZONES } from '#change/prune/zones.js';
import type { CommandInput } from '../define.js';
import { choiceFlag, numberFlag, textFlag, toggleFlag } from '../flags.js';
import * as shared from '../shared-flags.js';
import { policyFlags } from './policy.js';

export const pruneFlags = {
  ...shared.planningFlags,
  strategy: textFlag('NAMES', 'run these strategies in this order, separated by commas (default: those of the zone)'),
  'if-needed': toggleFlag('prune only if the policy asks for it now; otherwise exit with 1'),
  at: shared.at,
  zone: choiceFlag('ZONE', ZONES, 'use the strategies of this zone (default: the zone of the context)'),
  'recent-turns': numberFlag('N', 'the number of recent turns that the "turns" strategy keeps'),
  as: choiceFlag(
    'FORM',
    PRUNE_FORMS,
    'the kind of entries to write: those that stock Pi understands, edits only, or a transform ' +
      '(default: a transform where the session has one, else stock)',
  ),
  'only-if-worth': numberFlag('N', 'prune only if it pays off within N requests'),
  'side-files': textFlag('DIR', 'save the results that the strategy compress shortens in this folder'),
  list: toggleFlag('list the strategies'),
  explain: textFlag('STRATEGY', 'describe a strategy'),
  ...policyFlags,
};

export type PruneInput = CommandInput<typeof pruneFlags>;
