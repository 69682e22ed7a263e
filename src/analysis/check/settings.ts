import type { Severity } from '#base/errors.js';
import type { Baseline } from '#context/replay/content.js';
import type { ActiveRule } from './active-rules.js';
import type { Rule, RuleGroup } from './define.js';
import { loadRules } from './index.js';

/** The settings of a check, as plain data that can be sent to a thread. */
export interface CheckSettings {
  readonly rules: readonly RuleSettings[];
  readonly requests: 'leaf' | 'all';
  /** The model's context window in tokens. */
  readonly limit?: number | undefined;
  readonly configuredLimit?: number | undefined;
  /** System prompt, tools and options that sessions do not record. */
  readonly baseline?: Baseline | undefined;
}

export interface RuleSettings {
  readonly name: string;
  readonly group: RuleGroup;
  readonly severity: Severity;
  /** The options as the schema of the rule has read them. */
  readonly options?: unknown;
}

/** The rule that `ctx check --snapshot` switches on. Its options are the snapshots of each session. */
export const SNAPSHOT_RULE: RuleSettings = { name: 'snapshot', group: 'policy', severity: 'error' };

export async function loadActiveRules({ rules }: CheckSettings): Promise<readonly ActiveRule<Rule>[]> {
  const rulesByName = new Map<string, Rule>();
  for (const rule of await loadRules(rules.map(({ group }) => group))) rulesByName.set(rule.name, rule);
  return rules.flatMap(({ name, severity, options }) => {
    const rule = rulesByName.get(name);
    return rule ? [{ rule, severity, options }] : [];
  });
}
