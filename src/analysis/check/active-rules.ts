import type { Severity } from '#base/errors.js';
import type { OpenSession } from '#context/open.js';
import type { EnvelopeOptions } from '#context/replay/build-envelope.js';
import type { Session } from '#session/session.js';
import type { RuleDefinition, RuleLookingAt } from './define.js';
import type { Finding } from './finding.js';

/** A rule with its severity, and its options as parsed by its schema. */
export interface ActiveRule<Kind extends RuleDefinition = RuleDefinition> {
  readonly rule: Kind;
  readonly severity: Severity;
  readonly options: unknown;
}

/** A session with the rules and settings to check it. */
export interface Check {
  readonly session: OpenSession;
  readonly rules: readonly ActiveRule[];
  /** Whether every request on the active path is checked, or only the next one. */
  readonly requests: 'leaf' | 'all';
  readonly envelope: EnvelopeOptions;
  /** Receives each finding, in any order. */
  report(finding: Finding): void;
}

export function selectRules<LooksAt extends RuleDefinition['looksAt']>(
  { rules, session }: Check,
  looksAt: LooksAt,
): readonly ActiveRule<RuleLookingAt<LooksAt>>[] {
  return rules.filter((active): active is ActiveRule<RuleLookingAt<LooksAt>> => {
    const { rule } = active;
    return rule.looksAt === looksAt && appliesTo(rule, session);
  });
}

/** Whether a rule is true for the agent that wrote a session. */
export function appliesTo({ isOnlyForPi }: RuleDefinition, { agent }: Pick<Session, 'agent'>): boolean {
  return !(isOnlyForPi && agent);
}
