import { defineRule, type Rule, type RuleDefinition } from '../define.js';
import { listMisfitHits, type Misfit } from './misfits.js';

interface MisfitRule extends Pick<Rule, 'severity' | 'isOnlyForPi' | 'summary' | 'help' | 'example'> {
  readonly name: Misfit['rule'];
}

/** Defines a rule that reports the misfits of its name. */
export function defineMisfitRule(about: MisfitRule): RuleDefinition {
  return defineRule({
    ...about,
    looksAt: 'shape',
    find: (stored, head) => listMisfitHits(about.name, stored, head),
  });
}
