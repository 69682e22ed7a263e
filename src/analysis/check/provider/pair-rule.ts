import type { Session } from '#session/session.js';
import { defineRule, type Hit, type Rule, type RuleDefinition } from '../define.js';
import type { PairFault } from './tool-pairs.js';
import { watchPairs } from './watch-pairs.js';

interface PairRule extends Pick<Rule, 'name' | 'severity' | 'isOnlyForPi' | 'summary' | 'help' | 'example'> {
  /** The hit for a fault; null for a fault of another rule. */
  hitOf(fault: PairFault, session: Session): Hit | null;
}

/** Defines a rule about the pairing of calls and results. All such rules share one pass over the messages. */
export function definePairRule({ hitOf, ...about }: PairRule): RuleDefinition {
  return defineRule({
    ...about,
    looksAt: 'request',
    watch: (_options, session) => watchPairs(session, (fault) => hitOf(fault, session)),
  });
}

/** The repair of a result that providers reject. */
export const OMIT_RESULT = '`ctx repair` omits the result with a `context_edit`';
